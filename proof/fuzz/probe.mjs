// Loaded into the relay process before its program (with --expose-gc): reports memory and CPU time to its parent.
const QUESTIONS = {
  /** CPU time of all threads, in ms */
  cpu: () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  },
  /** see Memory in relay.ts */
  memory: () => {
    globalThis.gc?.();
    const { rss, heapUsed, external } = process.memoryUsage();
    return { rss, heapUsed, external };
  },
};

process.on('message', (question) => process.send?.(QUESTIONS[question]?.()));
// it keeps no process alive
process.channel?.unref();
