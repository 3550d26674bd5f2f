import { Instances } from '../../src/outbox/instances.js';
import { DatabaseSwitch } from '../platform/health/line.js';
import { sale } from '../support/client.js';
import { type Caller, Scenario } from '../support/scenario.js';
import { until } from '../support/until.js';

interface Row {
  id: string;
  alive: boolean;
  secondsSinceSeen: number;
  startedAt: string;
}

describe('the instances (R21)', () => {
  const scenario = Scenario.ofSuite();
  let admin: Caller;

  beforeAll(async () => {
    admin = await scenario.person('ADMIN');
    // the heartbeat of its start
    await until(() => find());
  });
  beforeEach(() => scenario.database.query('DELETE FROM relay_instances WHERE id <> $1', [own()]));

  const list = async (): Promise<Row[]> =>
    (await scenario.api.get('/admin/instances', admin.token).expect(200)).body.data;
  const own = () => scenario.relay.config.instance;
  const find = async (id = own()) => (await list()).find((row) => row.id === id);
  const beat = () => scenario.relay.get(Instances).beat();
  const age = (id: string, time: string) =>
    scenario.database.query('UPDATE relay_instances SET last_seen_at = now() - $2::interval WHERE id = $1', [id, time]);
  const add = (id: string, seen: string) =>
    scenario.database.query(
      `INSERT INTO relay_instances (id, version, host, started_at, last_seen_at, worker_enabled, pace)
       VALUES ($1, '0.9.0', 'relay-9', now() - interval '2 days', now() - $2::interval, true, 'eager')`,
      [id, seen],
    );

  test('a process with WORKER_ENABLED=false writes its row at its start, with its version', async () => {
    expect(await find()).toEqual({
      ...{ id: own(), version: '1.0.0', host: own().split(':')[0], alive: true, workerEnabled: false, pace: 'tick' },
      ...{ startedAt: expect.any(String), lastSeenAt: expect.any(String), secondsSinceSeen: expect.any(Number) },
      processing: 0,
    });
  });

  test('a heartbeat updates lastSeenAt and not startedAt', async () => {
    await beat();
    const before = await find();
    await age(own(), '10 seconds');
    await beat();
    const after = await find();
    expect(after?.startedAt).toBe(before?.startedAt);
    expect(after?.secondsSinceSeen).toBeLessThan(5);
  });

  test("an instance that was not seen for 45 s by the database's clock is not alive; live ones are listed first", async () => {
    await add('relay-9:7', '46 seconds');
    await beat();
    expect((await list()).map(({ id, alive }) => [id, alive])).toEqual([
      [own(), true],
      ['relay-9:7', false],
    ]);
    await age('relay-9:7', '44 seconds');
    expect(await find('relay-9:7')).toMatchObject({ alive: true, version: '0.9.0' });
  });

  test('processing is the number of jobs that each has claimed', async () => {
    await add('relay-9:7', '1 second');
    await beat();
    await scenario.restaurant('STORE-1');
    const job = await scenario.jobs.take(await scenario.relay.accept(sale()));
    await scenario.database.query(
      `UPDATE outbox_jobs SET locked_by = 'relay-9:7/' || gen_random_uuid() WHERE id = $1`,
      [job],
    );
    const counted = (await list()).map((row) => [row.id, (row as unknown as { processing: number }).processing]);
    expect(counted.toSorted()).toEqual(
      [
        [own(), 0],
        ['relay-9:7', 1],
      ].toSorted(),
    );
  });

  test('a heartbeat removes instances that were not seen for a day', async () => {
    await add('relay-8:7', '25 hours');
    await add('relay-9:7', '23 hours');
    await beat();
    expect((await list()).map(({ id }) => id)).toEqual([own(), 'relay-9:7']);
  });

  test('a clean stop removes its row; a later heartbeat does not bring it back', async () => {
    const rows = () => scenario.database.query('SELECT FROM relay_instances WHERE id = $1', [own()]);
    const other = await scenario.start();
    await other.get(Instances).beat();
    expect(await rows()).toHaveLength(1);
    const instances = other.get(Instances);
    await other.close();
    await instances.beat();
    expect(await rows()).toHaveLength(0);
  });

  test('while the database is away: one log line', async () => {
    const line = await DatabaseSwitch.before(scenario.database);
    const relay = await scenario.start({ DATABASE_URL: line.url });
    await line.cut();
    for (let i = 0; i < 3; i++) await relay.get(Instances).beat();
    expect(relay.logged.filter(({ event }) => event === 'instances.not_written')).toHaveLength(1);
    await line.restore();
    await relay.get(Instances).beat();
    expect(await find()).toMatchObject({ alive: true });
    await relay.close();
    await line.close();
  });
});
