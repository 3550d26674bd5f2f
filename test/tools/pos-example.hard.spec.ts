import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PullingPos } from '../capabilities/open-delivery/pulling.js';
import { Scenario } from '../support/scenario.js';
import { until } from '../support/until.js';
import { LossyLine } from './lossy-line.js';

const EXAMPLE = fileURLToPath(new URL('../../tools/examples/pos.mjs', import.meta.url));
const LIMIT_MS = 60_000;
const ORDERS = 12;

interface Entry {
  readonly eventType?: string;
  readonly orderId: string;
  readonly order?: { readonly id: string };
}

describe('pos.mjs, the example for makers of POSs', () => {
  const scenario = Scenario.ofSuite({ OUTBOX_PACE: 'eager' });
  const folders: string[] = [];
  const children: ChildProcess[] = [];
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });

  const open = async () => {
    const { restaurant, pos } = await PullingPos.ofRestaurant(() => scenario);
    const folder = mkdtempSync(join(tmpdir(), 'pos-example-'));
    folders.push(folder);
    const JOURNAL = join(folder, 'orders.jsonl');
    const settings = { CLIENT_ID: pos.credentials.clientId, CLIENT_SECRET: pos.credentials.clientSecret, JOURNAL };
    const start = (RELAY_URL: string, environment: Readonly<Record<string, string>> = {}) => {
      const env = { PATH: process.env.PATH, RELAY_URL, EVERY_MS: '20', ...settings, ...environment };
      const child = spawn(process.execPath, [EXAMPLE], { env: env as NodeJS.ProcessEnv });
      children.push(child);
      const shown = { child, text: '' };
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (shown.text += data));
      return shown;
    };
    /** What is in the journal; half a line is not. */
    const journal = (): Entry[] =>
      (existsSync(JOURNAL) ? readFileSync(JOURNAL, 'utf8') : '')
        .split('\n')
        .filter((line) => line.endsWith('}'))
        .map((line) => JSON.parse(line));
    return { restaurant, start, journal, JOURNAL };
  };
  const statuses = async (ids: readonly string[]) =>
    new Set(await Promise.all(ids.map(async (id) => (await scenario.jobs.get(id)).status)));

  test(
    'every third answer is lost, and the POS is killed after each four orders: each order is in its journal once, and is delivered (Q4, Q5)',
    async () => {
      const { restaurant, start, journal, JOURNAL } = await open();
      let answers = 0;
      const line = new LossyLine(scenario.relay.url, ({ path }) => path !== '/oauth/token' && answers++ % 3 === 0);
      const url = await line.open();
      try {
        const sold: string[] = [];
        for (let till = 4; till <= ORDERS; till += 4) {
          const pos = start(url);
          while (sold.length < till) sold.push(await restaurant.sell());
          await until(() => pos.text.split('CREATED').length > 1, LIMIT_MS);
          pos.child.kill('SIGKILL');
          await until(() => pos.child.signalCode !== null);
          // the crash left half a line
          appendFileSync(JOURNAL, '{"eventId":"');
        }
        start(url);
        await until(async () => [...(await statuses(sold))].join() === 'SENT', LIMIT_MS);
        const created = journal().filter(({ eventType }) => eventType === 'CREATED');
        expect(created.map(({ orderId }) => orderId).toSorted()).toEqual(sold.toSorted());
        for (const { orderId, order } of created) expect(order).toMatchObject({ id: orderId });
      } finally {
        line.close();
      }
    },
    LIMIT_MS,
  );

  test(
    'each order is confirmed until the relay has answered, and a cancel is printed (Q6)',
    async () => {
      const { restaurant, start, journal } = await open();
      const line = new LossyLine(scenario.relay.url);
      try {
        const pos = start(await line.open());
        const jobId = await restaurant.sell();
        await until(() => journal().some((entry) => 'confirmed' in entry), LIMIT_MS);
        const confirmations = line.passed.filter(({ path }) => path === `/v1/orders/${jobId}/confirm`);
        expect(confirmations.map(({ body }) => JSON.parse(body))).toEqual([
          { createdAt: expect.any(String), orderExternalCode: '1', eventId: jobId },
        ]);
        const { event_key: key } = await scenario.jobs.get(jobId);
        await scenario.api.post(`/restaurants/${restaurant.id}/orders/${key}/cancel`, restaurant.token).expect(202);
        await until(() => pos.text.includes(`CANCELLED ${jobId}`), LIMIT_MS);
      } finally {
        line.close();
      }
    },
    LIMIT_MS,
  );

  test('wrong credentials end it, and are reported', async () => {
    const { start } = await open();
    const pos = start(scenario.relay.url, { CLIENT_SECRET: 'wrong' });
    await until(() => pos.child.exitCode !== null, LIMIT_MS);
    expect([pos.child.exitCode, pos.text]).toEqual([1, expect.stringContaining('UNAUTHENTICATED')]);
  });
});
