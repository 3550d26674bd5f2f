import type { Socket } from 'node:net';
import { Injectable } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Log } from '../telemetry/log.js';
import { Metrics } from '../telemetry/metrics.js';

const SECOND_MS = 1_000;
/** Answers of a status that have a log line of their own, a second (L100). */
const LOGGED_PER_SECOND = 20;
/** Answers 401 that are sent at once, a second (L101). */
const AT_ONCE_PER_SECOND = 500;
/** How long a connection waits for each answer beyond, on average: connections that began together end apart; ms (L102). */
const WAIT_MS = 1_000;
/** The most connections that wait (L103). A proxy needs one for each answer that waits, and has to have others left. */
const MAX_CONNECTIONS = 1_000;
/** The most answers that wait (L104). More than one of a connection wait only if its client sends on without the answer. */
const MAX_ANSWERS = 10_000;

/** A connection that waits for answers 401. Nothing is read from it. */
interface Waiting {
  /** they send the answers */
  readonly answers: (() => void)[];
  /** pauses the connection again when Node resumes it, for the next request that it has read already */
  readonly pause: () => void;
  timer: NodeJS.Timeout;
  /** by performance.now(), ms */
  until: number;
}

/**
 * Bounds what wrong credentials cost (V15, V16; decisions/064): at a high rate the answers 401 wait, and most have no log line. Other
 * answers never wait.
 */
@Injectable()
export class Refusals {
  private second = 0;
  private inSecond = 0;
  /** status -> answers of this second that were logged, and those that were not since the last line about them */
  private readonly lines = new Map<number, { logged: number; left: number }>();
  private readonly waiting = new Map<Socket, Waiting>();
  private answersWaiting = 0;

  constructor(
    private readonly log: Log,
    private readonly metrics: Metrics,
    private readonly stopping: AbortSignal,
  ) {
    // a stop waits for the requests in flight
    stopping.addEventListener('abort', () => {
      for (const [socket, waiting] of [...this.waiting]) this.end(socket, waiting);
    });
  }

  /** Lets the answers 401 of all routes wait. Must be called before the routes are registered. */
  guard(app: NestFastifyApplication): void {
    const fastify = app.getHttpAdapter().getInstance();
    fastify.addHook('onSend', ({ raw }, reply, payload, next) => {
      if (reply.statusCode === 401) this.admit(raw.socket, () => next(null, payload));
      else next(null, payload);
    });
  }

  /** Whether an answer of this status may be logged (V15, W43). The others are counted, and a line has their number after a second. */
  mayLog(statusCode: number): boolean {
    this.startSecond();
    const lines = this.lines.get(statusCode) ?? { logged: 0, left: 0 };
    this.lines.set(statusCode, lines);
    if (lines.logged < LOGGED_PER_SECOND) {
      lines.logged++;
      return true;
    }
    if (lines.left++ === 0) setTimeout(() => this.logRest(statusCode, lines), SECOND_MS).unref();
    return false;
  }

  private logRest(statusCode: number, lines: { left: number }): void {
    this.log.info({ event: 'http.refused_more', statusCode, count: lines.left });
    lines.left = 0;
  }

  /** Sends a 401 now or later. @param send must be called once, also for a connection that has closed */
  private admit(socket: Socket, send: () => void): void {
    this.startSecond();
    const waiting = this.waiting.get(socket);
    if (!waiting && !this.mustWait()) {
      this.inSecond++;
      this.metrics.refusals.inc({ result: 'at_once' });
      send();
      return;
    }
    this.metrics.refusals.inc({ result: 'delayed' });
    this.answersWaiting++;
    if (!waiting) {
      this.wait(socket, send);
      return;
    }
    waiting.answers.push(send);
    waiting.until += WAIT_MS;
    if (this.answersWaiting > MAX_ANSWERS) socket.destroy();
  }

  private mustWait(): boolean {
    if (this.inSecond < AT_ONCE_PER_SECOND || this.stopping.aborted) return false;
    return this.waiting.size < MAX_CONNECTIONS && this.answersWaiting < MAX_ANSWERS;
  }

  private wait(socket: Socket, send: () => void): void {
    const waitMs = WAIT_MS * (0.5 + Math.random());
    const pause = () => socket.pause();
    const timer = setTimeout(() => this.look(socket), waitMs);
    this.waiting.set(socket, { answers: [send], pause, timer, until: performance.now() + waitMs });
    socket.on('resume', pause);
    socket.pause();
  }

  /** Ends the wait of a connection when its time is over, or it has closed. */
  private look(socket: Socket): void {
    const waiting = this.waiting.get(socket) as Waiting;
    const restMs = waiting.until - performance.now();
    // a timer may fire a little early
    if (socket.destroyed || restMs < 1) this.end(socket, waiting);
    else waiting.timer = setTimeout(() => this.look(socket), Math.min(restMs, WAIT_MS));
  }

  private end(socket: Socket, { answers, pause, timer }: Waiting): void {
    clearTimeout(timer);
    this.waiting.delete(socket);
    this.answersWaiting -= answers.length;
    socket.off('resume', pause);
    for (const send of answers) send();
    socket.resume();
  }

  private startSecond(): void {
    const now = performance.now();
    if (now - this.second < SECOND_MS) return;
    this.second = now;
    this.inSecond = 0;
    for (const lines of this.lines.values()) lines.logged = 0;
  }
}
