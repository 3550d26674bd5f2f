import { migrate } from '../../../src/platform/database/migrations/migrations.js';
import { EmbeddedDatabase } from '../../../src/platform/database/pglite/embedded.js';
import { connected } from '../../runner/template.js';
import { sale } from '../../support/client.js';
import type { TestDatabase } from '../../support/database.js';
import { EAGER } from '../../support/environment.js';
import { Scenario } from '../../support/scenario.js';
import { until } from '../../support/until.js';
import { breaks, readSchema } from './released/compatibility.js';
import { OldInstance } from './released/old-instance.js';
import { type Release, readReleases, restoreRelease } from './released/released.js';

if (process.env.RELEASED === 'write')
  test('what this version leaves is written down', async () => (await import('./released/write.js')).writeReleased());

/** As if much time had passed since the release: what waits is due, whoever held a lock is long dead. */
const MUCH_LATER = `
  UPDATE outbox_jobs SET next_run_at = now() - interval '1 second' WHERE status IN ('PENDING', 'FAILED');
  UPDATE outbox_jobs SET processing_at = now() - interval '1 day' WHERE status = 'PROCESSING';`;

const WAITING = `SELECT event_key FROM outbox_jobs WHERE status IN ('PENDING', 'FAILED', 'PROCESSING')`;

interface Order {
  readonly key: string;
  readonly restaurantId: string;
  readonly status: string;
  readonly withdrawn: boolean;
}
const ordersIn = ({ query }: TestDatabase) =>
  query<Order>(
    `SELECT event_key AS key, restaurant_id AS "restaurantId", status, withdrawn FROM outbox_jobs
     WHERE action = 'CREATE' ORDER BY 1`,
  );

describe.each(readReleases().map((release): [string, Release] => [release.version, release]))(
  'what version %s left behind',
  (_, release) => {
    const { secrets } = release;
    const environment = { SECRETS_KEY: secrets.SECRETS_KEY, POS_PARTNER_ID: 'test-partner' };
    const pos = { partners: secrets.partners };
    let scenario: Scenario;

    afterEach(() => scenario.close());

    async function open(): Promise<Scenario> {
      scenario = await Scenario.ofProcesses(environment, { migrated: false, pos });
      await restoreRelease(scenario.database.url, release);
      return scenario;
    }

    /** Every order that was to be delivered is at the POS once, as whom its restaurant is; nothing waits any more. */
    async function expectDelivered(before: Order[]): Promise<void> {
      const waited = before.filter(({ status }) => ['PENDING', 'FAILED', 'PROCESSING'].includes(status));
      expect(waited.length).toBeGreaterThan(4);
      for (const { key } of waited) expect(scenario.pos.orders.get(key)).toMatchObject({ cooked: 1 });
      expect(scenario.pos.orders.size).toBe(waited.length);
      const credentials = scenario.pos.requests.map(({ headers }) => `${headers['id-partner']} ${headers.secret}`);
      expect(new Set(credentials)).toEqual(new Set(Object.entries(secrets.partners).map((pair) => pair.join(' '))));
    }

    test('as a dump: every order is readable, what waits is delivered, its secrets open with the same key', async () => {
      const { database, jobs } = await open();
      const before = await ordersIn(database);
      const relay = await scenario.start();
      await database.query(MUCH_LATER);

      const token = await relay.login(secrets);
      for (const { key, restaurantId, status } of before) {
        const path = `/restaurants/${restaurantId}/orders`;
        const { body } = await relay.api.get(`${path}/${key}`, token).expect(200);
        expect(JSON.stringify(body)).toContain(`"status":"${status}"`);
        expect((await relay.api.get(`${path}?limit=100`, token).expect(200)).text).toContain(key);
      }
      await relay.reap();
      while ((await database.query(WAITING)).length > 0) {
        await relay.tick();
        await database.query(MUCH_LATER);
      }
      await expectDelivered(before);
      const after = new Map((await ordersIn(database)).map((order) => [order.key, order]));
      for (const { key, status } of before) expect(after.get(key)?.status).toBe(status === 'DLQ' ? 'DLQ' : 'SENT');
      expect(relay.logged.filter(({ event }) => String(event).includes('secrets'))).toEqual([]);
      // what its retention removed is refused still
      const [spent] = await database.query<{ key: string; jobId: string }>(
        'SELECT transaction_key AS key, job_id AS "jobId" FROM spent_keys',
      );
      const repeated = await relay.post(sale({ transactionKey: spent?.key })).expect(400);
      expect(repeated.body).toMatchObject({ code: 'DUPLICATE_TRANSACTION', jobId: spent?.jobId });
      expect(await jobs.countByStatus()).not.toHaveProperty('PROCESSING');
    });

    test('as a DATA_DIR: the next version comes up on it and delivers what waits', async () => {
      scenario = await Scenario.inDataDir({ ...environment, ...EAGER, REAPER_INTERVAL_MS: '100' }, { pos });
      const { dataDir } = scenario;
      const database = await EmbeddedDatabase.open(dataDir);
      await connected(database.url, (client) => client.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public'));
      await restoreRelease(database.url, release);
      await connected(database.url, (client) => client.query(MUCH_LATER));
      const before = await ordersIn(scenario.database);
      await database.close();

      const relay = await scenario.startProcess();
      await until(async () => (await scenario.database.query(WAITING)).length === 0);
      await expectDelivered(before);
      await relay.login(secrets);
      expect(await relay.stop()).toBe(0);
    });

    test('its instances go on beside those of the next: each delivers what the other has accepted', async () => {
      const { database, jobs } = await open();
      const relay = await scenario.start();
      const old = await OldInstance.connect(database.url, release);
      expect(release.statements.length).toBeGreaterThan(30);
      expect(await old.misunderstood()).toEqual([]);
      await database.query(
        `UPDATE outbox_jobs SET next_run_at = now() + interval '1 hour' WHERE next_run_at IS NOT NULL`,
      );

      const [restaurant] = await database.query<{ id: string; code: string; posCode: string }>(
        `SELECT id, code_store_terminal AS code, code_store_pos AS "posCode" FROM restaurants WHERE pos_secret IS NULL`,
      );
      const theirs = await old.accept(restaurant as never, 'ACCEPTED-BY-THE-OLD');
      await relay.tick();
      expect(await jobs.get(theirs)).toMatchObject({ status: 'SENT', attempts: 1 });
      expect(scenario.pos.orders.get('ACCEPTED-BY-THE-OLD')).toMatchObject({ cooked: 1 });

      const ours = await relay.accept(sale({ storeCode: restaurant?.code, transactionKey: 'ACCEPTED-BY-THE-NEW' }));
      const locked = await old.lock();
      expect(locked).toMatchObject({ id: ours, eventKey: 'ACCEPTED-BY-THE-NEW' });
      await relay.tick();
      expect(await jobs.get(ours)).toMatchObject({ status: 'PROCESSING', locked_by: locked?.lockedBy });
      expect(await old.deliver(locked as never)).toBe(true);
      expect(await old.deliver(locked as never)).toBe(false);
      expect(await jobs.get(ours)).toMatchObject({ status: 'SENT', attempts: 1 });
      expect(await jobs.attempts(ours)).toEqual([expect.objectContaining({ outcome: 'SENT', http_status: 200 })]);
      await old.end();
    });

    test('no migration since takes from its instances what they read, or asks for what they do not write', async () => {
      const { database } = await open();
      const before = await readSchema(database);
      await connected(database.url, migrate);
      expect(breaks(before, await readSchema(database))).toEqual([]);
      // it would be told
      await database.query(`ALTER TABLE spent_keys ADD COLUMN lane int`);
      await database.query(`UPDATE spent_keys SET lane = 1`);
      await database.query(`ALTER TABLE spent_keys ALTER COLUMN lane SET NOT NULL`);
      await database.query(`ALTER TABLE delivery_attempts DROP COLUMN error_code`);
      await database.query(`ALTER TABLE delivery_attempts ALTER COLUMN duration_ms TYPE bigint`);
      await database.query(`ALTER TYPE attempt_outcome ADD VALUE 'FOUND'`);
      expect(breaks(before, await readSchema(database))).toEqual([
        'delivery_attempts.duration_ms is int8, it was int4',
        'delivery_attempts.error_code has gone',
        'spent_keys.lane must be written: give it a default',
        'attempt_outcome has other values: DLQ FAILED FOUND LOST SENT, they were DLQ FAILED LOST SENT',
      ]);
    });
  },
);
