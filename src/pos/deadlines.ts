/** Something that ends late when its time has come. */
export interface Late {
  late(): void;
}

/**
 * Deadlines that all lie equally far ahead when they are set, so that the first one set is the first to pass: one timer serves
 * them all, in place of one for each call.
 */
export class Deadlines {
  /** by performance.now(), ms; in the order of their times */
  private readonly open = new Map<Late, number>();
  private timer: NodeJS.Timeout | undefined;

  /** @param ms from `set` to the deadline, in ms */
  constructor(private readonly ms: number) {}

  /** Calls `late` when the time has passed, unless it is cleared before. */
  set(call: Late): void {
    this.open.set(call, performance.now() + this.ms);
    this.timer ??= this.wait(this.ms);
  }

  clear(call: Late): void {
    this.open.delete(call);
  }

  private wait(ms: number): NodeJS.Timeout {
    return setTimeout(() => this.pass(), ms).unref();
  }

  private pass(): void {
    this.timer = undefined;
    const now = performance.now();
    for (const [call, at] of this.open) {
      if (at > now) {
        this.timer = this.wait(at - now);
        return;
      }
      this.open.delete(call);
      call.late();
    }
  }
}
