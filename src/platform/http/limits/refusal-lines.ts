import { Injectable } from '@nestjs/common';
import { Log } from '../../telemetry/log.js';

const SECOND_MS = 1_000;
/** Answers of a status that have a log line of their own, a second (L100). */
const LOGGED_PER_SECOND = 20;

interface Lines {
  /** of this second */
  logged: number;
  /** without a line of their own, since the last line about them */
  left: number;
}

/** Bounds the log lines of refusals that may come at a high rate, by status (V15, W43). */
@Injectable()
export class RefusalLines {
  private second = 0;
  private readonly ofStatus = new Map<number, Lines>();

  constructor(private readonly log: Log) {}

  /** Whether an answer of this status may be logged. The others are counted, and a line has their number after a second. */
  mayLog(statusCode: number): boolean {
    this.startSecond();
    const lines = this.ofStatus.get(statusCode) ?? { logged: 0, left: 0 };
    this.ofStatus.set(statusCode, lines);
    if (lines.logged < LOGGED_PER_SECOND) {
      lines.logged++;
      return true;
    }
    if (lines.left++ === 0) setTimeout(() => this.logRest(statusCode, lines), SECOND_MS).unref();
    return false;
  }

  private logRest(statusCode: number, lines: Lines): void {
    this.log.info({ event: 'http.refused_more', statusCode, count: lines.left });
    lines.left = 0;
  }

  private startSecond(): void {
    const now = performance.now();
    if (now - this.second < SECOND_MS) return;
    this.second = now;
    for (const lines of this.ofStatus.values()) lines.logged = 0;
  }
}
