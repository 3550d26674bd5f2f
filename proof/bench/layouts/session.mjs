// Runs the relay's own statements on a layout, in place of its PrismaService.
import { readFileSync } from 'node:fs';
import { Prisma } from '../../../src/platform/database/generated/client.ts';
import { VARIANTS } from './variants.mjs';

/** Nanoseconds on a processor are the first number. */
function processorMsOf({ processID }) {
  try {
    return Number(readFileSync(`/proc/${processID}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  } catch {
    return Number.NaN;
  }
}

export class Session {
  /** ms of all statements so far */
  statementMs = 0;
  /** claimed jobs by id: what a settle of a layout needs besides the id */
  claimed = new Map();
  #texts = new Map();

  /** @param client of the relay's hot statements @param reportsClient of reports @param rewriteRead for other statements */
  constructor(client, layout, { reportsClient, rewriteRead = (text) => text } = {}) {
    this.client = client;
    this.variant = VARIANTS[layout];
    this.rewriteRead = rewriteRead;
    this.reports = reportsClient ? new Session(reportsClient, layout, { rewriteRead }) : this;
  }

  /** ms of processor time that the server used for the session so far; the server is on this machine. NaN elsewhere than on Linux */
  get processorMs() {
    return processorMsOf(this.client) + (this.reports === this ? 0 : processorMsOf(this.reports.client));
  }

  async prepared({ name, text }, values) {
    const label = /^relay_(\w+)_[0-9a-f]+$/.exec(name)[1];
    if (!this.#texts.has(name)) this.#texts.set(name, this.#textOf(label, text));
    const all = [...values];
    const { part } = this.variant;
    if (label === 'settle' && part) all.push(values[0].map((id) => part.of(this.claimed.get(id))));
    return (await this.#run({ name, text: this.#texts.get(name), values: all })).rows;
  }

  async unprepared(text, values) {
    return (await this.#run({ text: this.rewriteRead(text), values: [...values] })).rows;
  }

  async $queryRaw(strings, ...values) {
    const { text, values: flat } = Prisma.sql(strings, ...values);
    return this.unprepared(text, flat);
  }

  async $executeRaw(strings, ...values) {
    const { text, values: flat } = Prisma.sql(strings, ...values);
    return (await this.#run({ text, values: flat })).rowCount;
  }

  async $transaction(work) {
    await this.#run({ text: 'BEGIN' });
    const result = await work(this);
    await this.#run({ text: 'COMMIT' });
    return result;
  }

  #textOf(label, text) {
    const pairs = this.variant.rewrite[label];
    if (!pairs) return this.rewriteRead(text);
    return pairs.reduce((before, [from, to]) => {
      const after = before.replace(from, () => to);
      if (after === before) throw new Error(`the statement ${label} has changed: it has no "${from}"`);
      return after;
    }, text);
  }

  async #run(query) {
    const startedAt = performance.now();
    try {
      return await this.client.query(query);
    } finally {
      this.statementMs += performance.now() - startedAt;
    }
  }
}
