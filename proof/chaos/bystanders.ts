import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../random.js';
import { REFUSED_PREFIX } from './audit.js';
import { ask, get, post } from './client.js';
import { REFUSED_STORE } from './deployment.js';
import type { EventLog } from './event-log.js';
import type { BystanderCall, ClientCall } from './history.js';
import type { Callers } from './load.js';

/** Requests that one kind of bystander has open at once. */
const AT_ONCE = 8;
const PAUSE_MS = 20;
/** What viewers read of a restaurant, the expensive ones among them. */
const REPORTS = ['state', 'orders', 'orders?state=parked', 'statistics', 'takings.csv'] as const;

/** A file as a tired person exports it: rows, and lines of nothing. */
const FILE = ['reference;amount;date', ...Array.from({ length: 2_000 }, (_, row) => `N-${row};1,50;2026-11-20`)]
  .flatMap((line, row) => (row % 4 === 0 ? [line, ';;'] : [line]))
  .join('\n');

/** Those who call the relay beside the terminals of the run: what they do must cost no order anything. */
export class Bystanders {
  readonly calls: BystanderCall[] = [];
  private sold = 0;
  private files = 0;

  constructor(
    private readonly callers: Callers,
    private readonly events: EventLog,
    private readonly random: Random,
  ) {}

  /** A tenant sends sales whose rows the database refuses, over and over. */
  async sellRefused(ms: number): Promise<void> {
    const over = this.events.begin('refused', null, `a tenant sends rows that the database refuses for ${ms} ms`);
    const count = await this.loops(ms, 'tenant with refused rows', async () => {
      const body = { transactionKey: `${REFUSED_PREFIX}${++this.sold}`, storeCode: REFUSED_STORE, totalAmount: 0 };
      const path = '/webhooks/terminal';
      return [path, await post(this.random.pick(this.callers.doors), path, this.callers.terminalToken, body)];
    });
    over(`the tenant had sent ${count} of them`);
  }

  /** Staff read lists and reports of all restaurants, over and over. */
  async view(ms: number): Promise<void> {
    const over = this.events.begin('viewers', null, `viewers read reports for ${ms} ms`);
    const day = new Date().toISOString().slice(0, 10);
    const count = await this.loops(ms, 'viewer', async () => {
      const report = this.random.pick(REPORTS);
      const path = `/restaurants/${this.random.pick(this.callers.restaurants).id}/${report}`;
      const whole = report === 'takings.csv' ? `${path}?day=${day}` : path;
      return [whole, await get(this.random.pick(this.callers.doors), whole, this.callers.jwt)];
    });
    over(`the viewers had read ${count} reports`);
  }

  /** Staff upload files of their terminals and look at them, over and over. */
  async readFiles(ms: number): Promise<void> {
    const over = this.events.begin('files', null, `staff read files of terminals for ${ms} ms`);
    const { jwt } = this.callers;
    const count = await this.loops(ms, 'reader of files', async () => {
      const door = this.random.pick(this.callers.doors);
      const path = `/restaurants/${this.random.pick(this.callers.restaurants).id}/terminal-files`;
      const csv = {
        method: 'POST',
        headers: { 'content-type': 'text/csv' },
        body: `${FILE}\nN-${++this.files};2;2026-11-20`,
      };
      const { call, body } = await ask(door, `${path}?name=chaos.csv`, jwt, csv);
      if (!body.data?.id) return [path, call];
      const preview = await post(door, `${path}/${body.data.id}/preview`, jwt, body.data.mapping);
      // so that there is room for the next
      await ask(door, `${path}/${body.data.id}`, jwt, { method: 'DELETE' });
      return [`${path}/:fileId/preview`, preview];
    });
    over(`staff had read ${count} files`);
  }

  private async loops(
    ms: number,
    who: BystanderCall['who'],
    call: () => Promise<[path: string, answer: ClientCall]>,
  ): Promise<number> {
    const before = this.calls.length;
    const endsAt = performance.now() + ms;
    const loop = async () => {
      while (performance.now() < endsAt) {
        const [path, { status, code }] = await call();
        this.calls.push({ who, path, status, code });
        await delay(PAUSE_MS);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, loop));
    return this.calls.length - before;
  }
}
