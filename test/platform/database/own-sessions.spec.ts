import pg from 'pg';
import { Connection } from '../../../src/capabilities/doctor/connection.js';
import { isDatabaseAway, isDatabaseUnfit } from '../../../src/platform/database/errors.js';
import { PrismaService } from '../../../src/platform/database/prisma.service.js';
import { connected } from '../../runner/template.js';
import { sale } from '../../support/client.js';
import { NEEDS_SERVER, untilWaiting, waitingSessions, whereServer } from '../../support/database.js';
import type { TestRelay } from '../../support/relay.js';
import { Scenario } from '../../support/scenario.js';
import { HOSTILE, Role } from './hostile-role.js';

const NAMES = ['lock_timeout', 'default_transaction_isolation', 'search_path', 'TimeZone', 'idle_session_timeout'];
const SHOWN = `SELECT ${NAMES.map((name) => `current_setting('${name}') AS "${name}"`).join(', ')}`;
const OWN = {
  lock_timeout: '0',
  default_transaction_isolation: 'read committed',
  search_path: 'public',
  TimeZone: 'UTC',
};

describe('S16: the session settings of the relay override those of role, database and server', () => {
  const server = process.env.TEST_DATABASE_URL as string;
  let scenario: Scenario;
  let role: Role;
  let relay: TestRelay;

  beforeAll(async () => {
    if (whereServer !== test) return;
    scenario = await Scenario.ofProcesses({}, { migrated: false });
    role = await Role.create(scenario.database.url, 'SUPERUSER');
    for (const [name, value] of Object.entries(HOSTILE)) await role.set(name, value);
    // migrated by it, too
    relay = await scenario.start({ DATABASE_URL: role.url() });
  });
  afterAll(async () => {
    await scenario?.close();
    await role?.drop(server);
  });

  whereServer(`both pools${NEEDS_SERVER}`, async () => {
    const prisma = relay.get(PrismaService);
    for (const client of [prisma, prisma.reports])
      expect(await client.$queryRawUnsafe(SHOWN)).toEqual([expect.objectContaining(OWN)]);
    expect(relay.logged.filter(({ event }) => String(event).startsWith('database.'))).toEqual([
      expect.objectContaining({ event: 'database.migrated' }),
    ]);
  });

  whereServer(`the doctor's${NEEDS_SERVER}`, async () => {
    const doctor = await Connection.open(role.url(), 'the test');
    expect(await doctor.query(SHOWN)).toEqual([expect.objectContaining(OWN)]);
    expect(await doctor.query('SELECT pg_sleep(0.01)')).toHaveLength(1);
    await doctor.close();
  });

  whereServer(`concurrent sales, deliveries, cancels and reports succeed${NEEDS_SERVER}`, async () => {
    const restaurantId = await relay.createRestaurant();
    const token = await relay.login();
    const sales = Array.from({ length: 60 }, () => sale());
    const posted = sales.map((each) => relay.post(each));
    const [answers] = await Promise.all([Promise.all(posted), relay.tick(), relay.reap(), relay.tick()]);
    expect(answers.map(({ status }) => status)).toEqual(sales.map(() => 200));
    const cancels = sales
      .slice(0, 5)
      .map(({ transactionKey }) =>
        relay.api.post(`/restaurants/${restaurantId}/orders/${transactionKey}/cancel`, token),
      );
    for (const { status } of await Promise.all(cancels)) expect(status).toBe(202);
    while ((await scenario.jobs.countByStatus()).PENDING) await relay.tick();
    await relay.api.get(`/restaurants/${restaurantId}/statistics`, token).expect(200);
    expect(relay.logged.filter(({ level }) => Number(level) >= 50)).toEqual([]);
  });

  whereServer(`a statement waits for a lock for longer than the role allows${NEEDS_SERVER}`, async () => {
    const sold = sale();
    await connected(scenario.database.url, async (other) => {
      await other.query('BEGIN');
      await other.query('LOCK TABLE outbox_jobs');
      const answer = relay.post(sold).then(({ status }) => status);
      await untilWaiting(scenario.database);
      await other.query('SELECT pg_sleep(0.02)');
      await other.query('COMMIT');
      expect(await answer).toBe(200);
    });
  });
});

describe('H13: what counts as an outage', () => {
  const errorOf = (code: string) => Object.assign(new pg.DatabaseError('said by the server', 1, 'error'), { code });

  test.each([
    ['55P03', 'a lock that is not granted in time'],
    ['40001', 'a serialization failure'],
    ['40P01', 'a deadlock'],
    ['55000', 'a former primary: recovery is in progress'],
    ['58030', 'an error of the disk'],
    ['42P01', 'a missing table'],
    ['42501', 'a missing privilege'],
  ])('%s, %s', (code) => {
    expect(isDatabaseAway(errorOf(code))).toBe(true);
    expect(isDatabaseUnfit(errorOf(code))).toBe(code.startsWith('42'));
  });

  test.each(['EMFILE', 'ENFILE'])('%s, no file descriptor for a connection', (code) => {
    expect(isDatabaseAway(Object.assign(new Error(`connect ${code} 127.0.0.1:5432`), { code }))).toBe(true);
  });

  test.each(['42703', '22003', '23503', '42601'])('%s is a bug, and no outage', (code) => {
    expect(isDatabaseAway(errorOf(code))).toBe(false);
  });
});

describe('H12, H13: a database in which no sale can be stored', () => {
  let scenario: Scenario;
  let relay: TestRelay;
  let role: Role | undefined;

  beforeAll(async () => {
    scenario = await Scenario.open();
    relay = scenario.relay;
    await relay.createRestaurant();
    await relay.accept(sale());
  });
  afterAll(async () => {
    await scenario.close();
    await role?.drop(process.env.TEST_DATABASE_URL as string);
  });

  const ready = async (of = relay) => (await of.http.get('/health/ready')).status;

  test.each(['terminal_events', 'outbox_jobs', 'restaurants', 'user_restaurants'])(
    'without the table %s: 503 at the door and of ready, the text in the log; 200 when it is back',
    async (table) => {
      const before = relay.logged.length;
      await scenario.database.query(`ALTER TABLE ${table} RENAME TO elsewhere`);
      const { status, body } = await relay.post(sale());
      const told = [status, body.code, await ready()];
      await scenario.database.query(`ALTER TABLE elsewhere RENAME TO ${table}`);
      expect(told).toEqual([503, 'DATABASE_UNAVAILABLE', 503]);
      expect(relay.logged.slice(before)).toContainEqual(
        expect.objectContaining({ event: 'http.failed', level: 50, error: expect.stringContaining(table) }),
      );
      expect(await ready()).toBe(200);
      await relay.accept(sale());
    },
  );

  test('without delivery_attempts: the settle is retried until the table is back, and the order is sent once', async () => {
    const id = await relay.accept(sale());
    await scenario.database.query('ALTER TABLE delivery_attempts RENAME TO elsewhere');
    const tick = relay.tick();
    await relay.hasLogged('outbox.settle_delayed');
    await scenario.database.query('ALTER TABLE elsewhere RENAME TO delivery_attempts');
    await tick;
    expect(await scenario.jobs.get(id)).toMatchObject({ status: 'SENT', attempts: 1 });
  });

  // the COMMIT of a transaction fails with an error that no query of the client wraps
  test.each([
    ['08P01', 'as PgBouncer answers when its server is gone'],
    ['57P01', 'as a server that shuts down'],
  ])('H13: the COMMIT of a cancel fails with %s, %s: 503, and the repeated cancel is accepted', async (code) => {
    const { id, token } = await scenario.restaurant(`COMMIT-${code}`);
    const key = await scenario.keyOf(await relay.accept(sale({ storeCode: `COMMIT-${code}` })));
    await scenario.database.query(
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN RAISE EXCEPTION 'server conn crashed?' USING ERRCODE = '${code}'; END $$`,
    );
    await scenario.database.query(
      `CREATE CONSTRAINT TRIGGER refuse AFTER INSERT ON audit_entries DEFERRABLE INITIALLY DEFERRED
         FOR EACH ROW EXECUTE FUNCTION refuse()`,
    );
    const { status, body } = await scenario.cancel(id, key, token);
    await scenario.database.query('DROP FUNCTION refuse() CASCADE');
    expect([status, body.code]).toEqual([503, 'DATABASE_UNAVAILABLE']);
    await scenario.cancel(id, key, token).expect(202);
  });

  whereServer(
    `under LOCK TABLE ready is 503 within a second, asked by many at once; 200 after it${NEEDS_SERVER}`,
    async () => {
      await connected(scenario.database.url, async (other) => {
        for (const table of ['terminal_events', 'outbox_jobs', 'restaurants']) {
          await other.query('BEGIN');
          await other.query(`LOCK TABLE ${table} IN ${table === 'outbox_jobs' ? 'SHARE' : 'ACCESS EXCLUSIVE'} MODE`);
          const asked = await Promise.all(Array.from({ length: 30 }, () => ready()));
          const waiting = await waitingSessions(scenario.database);
          await other.query('COMMIT');
          expect(new Set(asked)).toEqual(new Set([503]));
          expect(waiting).toBeLessThanOrEqual(1);
          expect(await ready()).toBe(200);
        }
      });
    },
  );

  whereServer(
    `a role without the right to insert: 503 at the door and of ready, until it is granted${NEEDS_SERVER}`,
    async () => {
      role = await Role.create(scenario.database.url);
      await role.run(
        'GRANT ALL ON ALL TABLES IN SCHEMA public TO ROLE_NAME; GRANT CREATE ON SCHEMA public TO ROLE_NAME',
      );
      await role.run('GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO ROLE_NAME');
      const restricted = await scenario.start({ DATABASE_URL: role.url() });
      expect(await ready(restricted)).toBe(200);
      await role.run('REVOKE INSERT ON terminal_events FROM ROLE_NAME');
      expect([(await restricted.post(sale())).status, await ready(restricted)]).toEqual([503, 503]);
      await role.run('GRANT INSERT ON terminal_events TO ROLE_NAME');
      expect([(await restricted.post(sale())).status, await ready(restricted)]).toEqual([200, 200]);
    },
  );

  whereServer(`a cancel of an order that retention removes concurrently: 404${NEEDS_SERVER}`, async () => {
    const { id: restaurantId, token, sell } = await scenario.restaurant('STORE-404');
    const key = await scenario.keyOf(await sell());
    await connected(scenario.database.url, async (retention) => {
      await retention.query('BEGIN');
      await retention.query('DELETE FROM outbox_jobs WHERE event_key = $1', [key]);
      await retention.query('DELETE FROM terminal_events WHERE transaction_key = $1', [key]);
      const answer = scenario.cancel(restaurantId, key, token).then(({ status }) => status);
      await untilWaiting(scenario.database);
      await retention.query('COMMIT');
      expect(await answer).toBe(404);
    });
  });
});
