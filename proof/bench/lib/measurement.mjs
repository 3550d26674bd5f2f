import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Helper, startLoader, startReceiver } from '../../load/processes.mjs';
import { secondsOf, secondsOfTree } from './cpu.mjs';

/** What one measurement starts and creates; `close` ends all of it. */
export class Measurement {
  #started = [];

  /** @param run what all measurements share: `databases`, and the `postmaster`'s process id if it is known */
  constructor(run) {
    this.run = run;
  }

  /** A new database; a copy of another, if named. */
  async database(template) {
    const url = await this.run.databases.create(template);
    // dropped last: what is connected to it ends before
    this.#started.unshift({ end: () => this.run.databases.drop(url) });
    return url;
  }

  /** @returns the receiver, with its `url` */
  async receiver() {
    const receiver = this.use(startReceiver());
    receiver.url = await receiver.call('listen');
    return receiver;
  }

  /** A folder for files. */
  folder() {
    const path = mkdtempSync(join(tmpdir(), 'relay-bench-'));
    this.use({ end: () => rmSync(path, { recursive: true, force: true }) });
    return path;
  }

  loader = () => this.use(startLoader());

  /** @param script its URL */
  helper(script, args, node) {
    return this.use(new Helper(script, args, node));
  }

  /** A process of a version of the relay. @param nodeOptions arguments for Node */
  async relay(version, environment, nodeOptions) {
    return this.use(await version.start(environment, nodeOptions));
  }

  use(started) {
    this.#started.push(started);
    return started;
  }

  /** Ends everything, the latest first. */
  async close() {
    for (const started of this.#started.splice(0).reverse()) await started.end();
  }

  /** Begins to count processor time. @returns a function that ends it: seconds of these processes, of Postgres, and in all */
  countCpu(...pids) {
    const read = () => ({
      at: performance.now(),
      own: secondsOf(...pids),
      postgres: this.run.postmaster ? secondsOfTree(this.run.postmaster) : Number.NaN,
    });
    const before = read();
    return () => {
      const after = read();
      return {
        seconds: (after.at - before.at) / 1_000,
        own: after.own - before.own,
        postgres: after.postgres - before.postgres,
      };
    };
  }
}

/** Waits for a promise no longer than `ms`. @throws naming what was waited for */
export async function within(ms, what, promise) {
  const limit = new AbortController();
  const late = delay(ms, undefined, { signal: limit.signal }).then(() => {
    throw new Error(`${what}: not within ${ms / 1_000} s`);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    limit.abort();
    late.catch(() => {});
  }
}
