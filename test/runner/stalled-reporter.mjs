/** A run in which no suite begins or ends for this time has stalled, in ms: each test and hook has a limit of 120 s. */
const LIMIT_MS = 600_000;

/**
 * Ends a run that has stalled, and names the suites that were running. A worker that was killed, for example because memory was short, would
 * otherwise be waited for without an end.
 */
export default class StalledReporter {
  running = new Map();
  timer;

  onRunStart() {
    this.moved();
  }

  onTestFileStart({ path }) {
    this.running.set(path, Date.now());
    this.moved();
  }

  onTestFileResult({ path }) {
    this.running.delete(path);
    this.moved();
  }

  onRunComplete() {
    clearTimeout(this.timer);
  }

  moved() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      const suites = [...this.running].map(([path, at]) => `  ${path}, for ${Math.round((Date.now() - at) / 1_000)} s`);
      process.stderr.write(`No suite has ended for ${LIMIT_MS / 60_000} min. Running:\n${suites.join('\n')}\n`);
      process.exit(1);
    }, LIMIT_MS).unref();
  }
}
