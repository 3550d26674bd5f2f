/** Loaded into the relay's process before it: tells its parent what it has used so far. */

/** What the process occupies, in bytes, once its garbage is collected. */
export interface Memory {
  readonly rss: number;
  readonly heapUsed: number;
  /** outside the heap: buffers, and the embedded database */
  readonly external: number;
}

const QUESTIONS: Readonly<Record<string, () => unknown>> = {
  /** CPU time of all threads, in ms */
  cpu: () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  },
  memory: (): Memory => {
    // Node has this with --expose-gc
    (globalThis as { gc?: () => void }).gc?.();
    const { rss, heapUsed, external } = process.memoryUsage();
    return { rss, heapUsed, external };
  },
};

process.on('message', (question: string) => process.send?.(QUESTIONS[question]?.()));
// it keeps no process alive
process.channel?.unref();
