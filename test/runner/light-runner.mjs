import { createRunner } from 'jest-light-runner';

const RUNTIME = 'child_process';

/**
 * jest-light-runner, whose processes get their configuration each on a channel of its own. On the one channel of its pool, the first process that
 * asks has all of them answered: a process that has not loaded yet misses its answer, and waits without an end.
 */
export default class extends createRunner({ runtime: RUNTIME }) {
  constructor(globalConfig, ...rest) {
    super(globalConfig, ...rest);
    if (globalConfig.maxWorkers > 1) this._testRunners = new OwnChannels(globalConfig);
  }
}

/** project -> its pool of processes, and how a suite runs in it */
class OwnChannels extends Map {
  constructor(globalConfig) {
    super();
    this.globalConfig = globalConfig;
  }

  set(projectConfig, { pool }) {
    const workerData = { globalConfig: this.globalConfig, projectConfig, runtime: RUNTIME };
    const run = (test) => pool.run(test.path, { channel: channelOf(workerData) });
    return super.set(projectConfig, { pool, run });
  }
}

/** Answers the one process whose suite was given it. */
function channelOf(workerData) {
  let send = () => {};
  return {
    onMessage: (listener) => {
      send = listener;
    },
    postMessage: (message) => {
      if (message === 'jest-light-runner-get-worker-data') send({ type: 'jest-light-runner-worker-data', workerData });
    },
  };
}
