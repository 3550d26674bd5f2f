import { readFileSync } from 'node:fs';

/** When a process last made progress: logged a line or used CPU time. */
export class Progress {
  private readonly startedAt = performance.now();
  private movedAt = this.startedAt;
  private ticks: number | undefined;

  /** @param pid the process's id */
  constructor(private readonly pid: number) {}

  /** To be called for each log line. */
  moved(): void {
    this.movedAt = performance.now();
  }

  /** Time since its start and since its last progress; ms. */
  look(): { sinceStart: number; sinceMove: number } {
    const ticks = processorTicks(this.pid);
    // without /proc it counts as progress
    if (ticks === undefined || ticks !== this.ticks) this.moved();
    this.ticks = ticks;
    const now = performance.now();
    return { sinceStart: now - this.startedAt, sinceMove: now - this.movedAt };
  }
}

/** CPU time of a process in ticks of the kernel, usually 10 ms; undefined where there is no /proc. */
function processorTicks(pid: number): number | undefined {
  try {
    // the name may contain blanks and brackets: the fields after it, from the third on
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return Number(fields[11]) + Number(fields[12]);
  } catch {
    return undefined;
  }
}
