import { JobStore } from '../../../src/outbox/job-store.js';
import { PrismaService } from '../../../src/platform/database/prisma.service.js';
import { type Caller, Scenario } from '../../support/scenario.js';

interface Restaurant {
  readonly id: string;
  readonly owner: Caller;
  readonly sell: (changes?: object) => Promise<string>;
}

describe('POST /admin/jobs/reset (R9)', () => {
  const scenario = Scenario.ofSuite({ OPERATOR_ACTIONS: 'true' });
  let admin: Caller;
  let roma: Restaurant;
  let osteria: Restaurant;

  beforeAll(async () => {
    admin = await scenario.person('ADMIN');
    roma = await scenario.restaurant('STORE-1');
    osteria = await scenario.restaurant('STORE-2');
  });
  afterEach(async () => {
    await scenario.database.query('DELETE FROM outbox_jobs');
    await scenario.database.query('UPDATE restaurants SET deleted_at = NULL');
  });

  const send = (body: object, token = admin.token) => scenario.api.post('/admin/jobs/reset', token, body);
  const reset = async (body: object): Promise<{ matched: number; reset: number }> =>
    (await send(body).expect(200)).body.data;
  const parked = async (of = roma, message = 'unknown product X1') => scenario.settle(await of.sell(), 'DLQ', message);
  const failed = async (of = roma) => scenario.settle(await of.sell(), 'FAILED');
  const statuses = (...ids: string[]) => Promise.all(ids.map(async (id) => (await scenario.jobs.get(id)).status));
  const entries = async (restaurant = roma) => {
    const path = `/restaurants/${restaurant.id}/audit?action=jobs.reset`;
    return (await scenario.api.get(path, restaurant.owner.token).expect(200)).body.data;
  };

  /** A job in each state that a reset does not change. */
  async function untouchable(of = roma): Promise<string[]> {
    const sent = await scenario.settle(await of.sell(), 'SENT');
    const locked = await scenario.jobs.take(await of.sell());
    const withdrawn = await of.sell();
    await scenario.cancel(of.id, await scenario.keyOf(withdrawn), of.owner.token).expect(202);
    return [sent, locked, withdrawn];
  }

  test('without OPERATOR_ACTIONS=true: 404, and nothing is reset', async () => {
    const job = await parked();
    for (const OPERATOR_ACTIONS of ['false', '']) {
      const closed = await scenario.start({ OPERATOR_ACTIONS });
      await closed.api.post('/admin/jobs/reset', admin.token, { jobIds: [job] }).expect(404);
    }
    expect(await statuses(job)).toEqual(['DLQ']);
  });

  test('by ids: parked and failed jobs, and no others; they are delivered', async () => {
    const ids = [await parked(), await failed(), await parked(osteria)];
    const other = await parked();
    expect(await reset({ jobIds: ids })).toEqual({ matched: 3, reset: 3 });
    expect(await statuses(...ids, other)).toEqual(['PENDING', 'PENDING', 'PENDING', 'DLQ']);
    await scenario.relay.tick();
    expect(await statuses(...ids)).toEqual(['SENT', 'SENT', 'SENT']);
  });

  test('no job that is SENT, PROCESSING or withdrawn, or of a deleted restaurant (R12)', async () => {
    const ids = [...(await untouchable()), await parked(osteria)];
    await scenario.people.deleteRestaurant(osteria.id);
    const before = await statuses(...ids);
    expect(await reset({ jobIds: ids })).toEqual({ matched: 0, reset: 0 });
    expect(await reset({ restaurantId: roma.id })).toEqual({ matched: 0, reset: 0 });
    expect(await reset({ since: '2026-01-01' })).toEqual({ matched: 0, reset: 0 });
    expect(await statuses(...ids)).toEqual(before);
  });

  test('by restaurant: its jobs only', async () => {
    const theirs = [await parked(), await failed()];
    const others = [await parked(osteria), await failed(osteria)];
    expect(await reset({ restaurantId: roma.id })).toEqual({ matched: 2, reset: 2 });
    expect(await statuses(...theirs, ...others)).toEqual(['PENDING', 'PENDING', 'DLQ', 'FAILED']);
  });

  test('by a cause of GET /admin/parked: exactly its jobs', async () => {
    const meant = [await parked(roma, 'unknown product X1'), await parked(osteria, 'unknown product X2')];
    const others = [await parked(roma, 'unknown product X1!'), await failed()];
    const { body } = await scenario.api.get('/admin/parked', admin.token).expect(200);
    const [{ cause, parked: count }] = body.data;
    expect(await reset({ cause })).toEqual({ matched: count, reset: 2 });
    expect(await statuses(...meant, ...others)).toEqual(['PENDING', 'PENDING', 'DLQ', 'FAILED']);
    expect(await reset({ cause: cause.slice(0, -1) })).toEqual({ matched: 0, reset: 0 });
  });

  test('since a time, at or after it; filters narrow each other', async () => {
    const [early, late, other] = [await parked(), await parked(), await parked(osteria)];
    const parkedAt = (id: string, time: string) =>
      scenario.database.query('UPDATE outbox_jobs SET updated_at = $2 WHERE id = $1', [id, time]);
    await parkedAt(early, '2026-01-31T17:59:59.999Z');
    await parkedAt(late, '2026-01-31T18:00Z');
    const filter = { since: '2026-01-31T15:00:00-03:00', restaurantId: roma.id };
    expect(await reset(filter)).toEqual({ matched: 1, reset: 1 });
    expect(await statuses(early, late, other)).toEqual(['DLQ', 'PENDING', 'DLQ']);
  });

  test('a dry run counts, and resets and audits nothing', async () => {
    const ids = [await parked(), await failed(), ...(await untouchable())];
    const before = [await statuses(...ids), (await entries()).length];
    expect(await reset({ restaurantId: roma.id, dryRun: true })).toEqual({ matched: 2, reset: 0 });
    expect([await statuses(...ids), (await entries()).length]).toEqual(before);
  });

  test('limit: the next call resets the rest', async () => {
    const ids = [await parked(), await parked(), await failed()];
    expect(await reset({ restaurantId: roma.id, limit: 2 })).toEqual({ matched: 3, reset: 2 });
    expect((await statuses(...ids)).toSorted()).toEqual(['FAILED', 'PENDING', 'PENDING']);
    expect(await reset({ restaurantId: roma.id, limit: 2 })).toEqual({ matched: 1, reset: 1 });
    expect(await statuses(...ids)).toEqual(['PENDING', 'PENDING', 'PENDING']);
  });

  test('more than a batch: each job once', async () => {
    await scenario.database.query(
      `WITH event AS (
         INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, payload)
         SELECT 'BULK-' || n, 'BULK-' || n, false, $1, '{}' FROM generate_series(1, 1200) n RETURNING transaction_key
       )
       INSERT INTO outbox_jobs (id, event_key, restaurant_id, status, last_error)
       SELECT gen_random_uuid(), transaction_key, $1, 'DLQ', 'HTTP 422: no' FROM event`,
      [roma.id],
    );
    expect(await reset({ cause: 'HTTP 422: no' })).toEqual({ matched: 1_200, reset: 1_200 });
    const audited = (await entries()).slice(0, 3).map(({ details }: { details: { reset: number } }) => details.reset);
    expect(audited.toSorted()).toEqual([200, 500, 500]);
    expect(await scenario.jobs.countByStatus()).toEqual({ PENDING: 1_200 });
  });

  test('the audit of a restaurant has the number of its reset jobs, the actor and the filter', async () => {
    const ids = [await parked(), await parked(), await parked(osteria)];
    await reset({ jobIds: ids });
    const of = (restaurant: Restaurant, count: number) => ({
      ...{ action: 'jobs.reset', actorEmail: admin.email, restaurantId: restaurant.id },
      details: { reset: count, byIds: true },
    });
    expect((await entries())[0]).toMatchObject(of(roma, 2));
    expect((await entries(osteria))[0]).toMatchObject(of(osteria, 1));
    await scenario.database.query('DELETE FROM outbox_jobs');
    await parked();
    await reset({ restaurantId: roma.id, since: '2026-01-01', cause: 'HTTP 422, POS error 310: unknown product #' });
    expect((await entries())[0].details).toEqual({
      ...{ reset: 1, byRestaurant: true, since: '2026-01-01T00:00:00.000Z' },
      cause: 'HTTP 422, POS error 310: unknown product #',
    });
  });

  test('concurrent with cancels of the same orders: no order is sent', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 8; i++) ids.push(await parked());
    const keys = await Promise.all(ids.map(scenario.keyOf));
    const cancels = keys.map((key) => scenario.cancel(roma.id, key, roma.owner.token).expect(202));
    const [{ body }] = await Promise.all([send({ jobIds: ids }).expect(200), ...cancels]);
    expect(body.data.reset).toBeLessThanOrEqual(ids.length);
    // a cancel after the reset withdraws the job again
    for (const id of ids) expect(await scenario.jobs.get(id)).toMatchObject({ status: 'DLQ', withdrawn: true });
    const before = scenario.pos.orders.size;
    for (let i = 0; i < 3; i++) await scenario.relay.tick();
    expect(scenario.pos.orders.size).toBe(before);
  });

  test('concurrent with a worker: jobs that it claims are not reset, and nothing is sent twice', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 6; i++) ids.push(await failed());
    for (const id of ids) await scenario.jobs.makeDue(id);
    const [answer] = await Promise.all([
      send({ jobIds: ids }).expect(200),
      scenario.relay.tick(),
      scenario.relay.tick(),
    ]);
    expect(answer.body.data.reset).toBeLessThanOrEqual(ids.length);
    while ((await scenario.jobs.countByStatus()).SENT !== ids.length) await scenario.relay.tick();
    for (const key of await Promise.all(ids.map(scenario.keyOf)))
      expect(scenario.pos.orders.get(key)).toMatchObject({ cooked: 1 });
  });

  test('a job that is parked again during a reset is not reset twice', async () => {
    const id = await parked();
    const jobs = scenario.relay.get(JobStore);
    const filter = { restaurantId: roma.id };
    const { asOf } = await jobs.countResettable(filter);
    await reset(filter);
    await scenario.settle(id, 'DLQ');
    expect(await jobs.resetJobs(scenario.relay.get(PrismaService), filter, asOf, 10)).toEqual([]);
    expect(await statuses(id)).toEqual(['DLQ']);
  });

  test.each<[string, object]>([
    ['no filter', {}],
    ['a dry run alone', { dryRun: true }],
    ['a limit alone', { limit: 10 }],
    ['no ids', { jobIds: [] }],
    ['a malformed id', { jobIds: ['1'] }],
    ['too many ids', { jobIds: Array(1_001).fill('00000000-0000-4000-8000-000000000000') }],
    ['a malformed restaurantId', { restaurantId: 'Roma' }],
    ['an empty cause', { cause: '' }],
    ['a malformed time', { since: 'yesterday' }],
    ['a limit that is too large', { limit: 10_001, since: '2026-01-01' }],
    ['a malformed dryRun', { dryRun: 'yes', since: '2026-01-01' }],
    ['an unknown field', { since: '2026-01-01', status: 'SENT' }],
  ])('%s: 400, and nothing is reset', async (_, body) => {
    const job = await parked();
    await send(body).expect(400);
    expect(await statuses(job)).toEqual(['DLQ']);
  });
});
