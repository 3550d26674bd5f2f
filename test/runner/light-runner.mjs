import { createRunner } from 'jest-light-runner';

const RUNTIME = 'child_process';
const ALL = 'all projects';

/** Size of the young generation of each process, in MB: with the default of 16 the suites spend 7 % of their CPU time on collections. */
const YOUNG_MB = 64;

/**
 * jest-light-runner, whose processes get their configuration each on a channel of its own. On the one channel of its pool, the first process that
 * asks has all of them answered: a process that has not loaded yet misses its answer, and waits without an end.
 */
export default class extends createRunner({ runtime: RUNTIME }) {
  constructor(globalConfig, ...rest) {
    super(globalConfig, ...rest);
    if (globalConfig.maxWorkers <= 1) return;
    // the processes of the suites inherit it; the relays that suites start do not
    process.execArgv.push(`--max-semi-space-size=${YOUNG_MB}`);
    this._testRunners = new OwnChannels(globalConfig);
  }
}

/**
 * The pool of processes, and how a suite runs in it. All projects share one pool, since their set-up is the same: each process of a
 * pool loads the application and creates a database of its own.
 */
class OwnChannels extends Map {
  constructor(globalConfig) {
    super();
    this.globalConfig = globalConfig;
  }

  has() {
    return super.has(ALL);
  }

  get() {
    return super.get(ALL);
  }

  set(projectConfig, { pool }) {
    const workerData = { globalConfig: this.globalConfig, projectConfig, runtime: RUNTIME };
    const run = (test) => pool.run(test.path, { channel: channelOf(workerData) });
    return super.set(ALL, { pool, run });
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
