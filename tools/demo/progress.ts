import { readFileSync } from 'node:fs';

/** Whether a process gets on: when it last logged something, or used the processor. */
export class Progress {
  private readonly startedAt = performance.now();
  private movedAt = this.startedAt;
  private ticks: number | undefined;

  /** @param pid the process's id */
  constructor(private readonly pid: number) {}

  /** It has said something. */
  moved(): void {
    this.movedAt = performance.now();
  }

  /** How long ago it was started and how long ago it last moved, in ms. */
  look(): { sinceStart: number; sinceMove: number } {
    const ticks = processorTicks(this.pid);
    // where nothing can be known of it, it gets the benefit of the doubt
    if (ticks === undefined || ticks !== this.ticks) this.moved();
    this.ticks = ticks;
    const now = performance.now();
    return { sinceStart: now - this.startedAt, sinceMove: now - this.movedAt };
  }
}

/** Processor time a process has used, in the kernel's ticks (10 ms as a rule); undefined where there is no /proc. */
function processorTicks(pid: number): number | undefined {
  try {
    // behind the name, which may have blanks and brackets in it: the fields from the third on
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return Number(fields[11]) + Number(fields[12]);
  } catch {
    return undefined;
  }
}
