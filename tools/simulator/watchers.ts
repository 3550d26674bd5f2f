/** Waits for conditions. */
export class Watchers {
  private readonly checks = new Set<() => void>();

  /** Checks all conditions again. */
  changed(): void {
    for (const check of [...this.checks]) check();
  }

  /**
   * Resolves once `predicate` holds; it is checked now and after every change.
   * Rejects after `timeoutMs` milliseconds, naming the predicate.
   */
  when(predicate: () => boolean, timeoutMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (conclude: () => void) => {
        clearTimeout(timer);
        this.checks.delete(check);
        conclude();
      };
      const check = () => {
        try {
          if (predicate()) settle(resolve);
        } catch (error) {
          settle(() => reject(error));
        }
      };
      const late = new Error(`not within ${timeoutMs} ms: ${predicate}`);
      const timer = setTimeout(() => settle(() => reject(late)), timeoutMs);
      this.checks.add(check);
      check();
    });
  }
}
