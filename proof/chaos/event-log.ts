import type { Fault, FaultKind } from './history.js';

/** An event loop that was away for longer, in ms: the machine stalled, and calls may have met their deadlines by that alone. */
const STALL_MS = 750;
const LOOK_EVERY_MS = 100;

/** Writes down every fault with its time, as it begins and ends, and prints it. */
export class EventLog {
  readonly faults: Fault[] = [];
  private readonly startedAt = performance.now();
  private readonly watch: NodeJS.Timeout;

  constructor(private readonly print: (line: string) => void) {
    let lookedAt = performance.now();
    this.watch = setInterval(() => {
      const late = performance.now() - lookedAt - LOOK_EVERY_MS;
      lookedAt = performance.now();
      if (late < STALL_MS) return;
      const text = `this machine was busy elsewhere for ${Math.round(late)} ms`;
      this.faults.push({ at: Date.now() - late, until: Date.now(), kind: 'stall', instance: null, text });
      this.say(text);
    }, LOOK_EVERY_MS);
    this.watch.unref();
  }

  /**
   * A fault begins. It lasts until the function that is returned is called.
   * @param instance number of the instance it meets; null: all
   */
  begin(kind: FaultKind, instance: number | null, text: string, pid?: number): (how?: string) => void {
    const fault: Fault = { at: Date.now(), until: Number.POSITIVE_INFINITY, kind, instance, text, pid };
    this.faults.push(fault);
    this.say(text);
    return (how) => {
      fault.until = Date.now();
      if (how) this.say(how);
    };
  }

  /** A fault of one moment. */
  happened(kind: FaultKind, instance: number | null, text: string, pid?: number): void {
    this.begin(kind, instance, text, pid)();
  }

  /** Prints a line with the time since the run began. */
  say(text: string): void {
    const seconds = (performance.now() - this.startedAt) / 1_000;
    this.print(`${seconds.toFixed(1).padStart(7)} s  ${text}`);
  }

  close(): void {
    clearInterval(this.watch);
  }
}
