import { randomUUID } from 'node:crypto';
import { RESTAURANT_ROLES } from '../../src/domain/role.js';
import { Scenario } from '../support/scenario.js';

const MAY = ['OWNER', 'ADMIN', 'MANAGER'] as const;
const MAY_NOT = RESTAURANT_ROLES.filter((role) => !(MAY as readonly string[]).includes(role));

describe('who may cancel: POST /restaurants/:id/orders/:transactionKey/cancel', () => {
  let scenario: Scenario;
  let ours: Awaited<ReturnType<Scenario['restaurant']>>;
  let theirs: typeof ours;

  beforeAll(async () => {
    scenario = await Scenario.open();
    ours = await scenario.restaurant('OURS');
    theirs = await scenario.restaurant('THEIRS');
  });
  afterAll(() => scenario.close());

  const cancels = async (key: string) =>
    scenario.database.query(`SELECT id::text FROM outbox_jobs WHERE event_key = $1 AND action = 'CANCEL'`, [key]);

  test.each(MAY)('%s: 202 with the job, and 200 with the same job when asked again', async (role) => {
    const key = await scenario.keyOf(await ours.sell());
    const { token } = await scenario.staff(ours.id, role);
    const { body } = await scenario.cancel(ours.id, key, token).expect(202);
    expect(body).toEqual({ message: expect.any(String), data: { jobId: expect.any(String) } });
    const again = await scenario.cancel(ours.id, key, token).expect(200);
    expect(again.body.data).toEqual(body.data);
    expect(await cancels(key)).toEqual([{ id: body.data.jobId }]);
  });

  test('asked again by somebody else: the same job', async () => {
    const key = await scenario.keyOf(await ours.sell());
    const { body } = await scenario.cancel(ours.id, key, (await scenario.staff(ours.id, 'MANAGER')).token).expect(202);
    expect((await scenario.cancel(ours.id, key, ours.token).expect(200)).body.data).toEqual(body.data);
  });

  test.each(MAY_NOT)('%s: 403, and nothing is cancelled', async (role) => {
    const jobId = await ours.sell();
    const key = await scenario.keyOf(jobId);
    const { body } = await scenario.cancel(ours.id, key, (await scenario.staff(ours.id, role)).token).expect(403);
    expect(body.code).toBe('INSUFFICIENT_ROLE');
    expect(await cancels(key)).toEqual([]);
    expect((await scenario.jobs.get(jobId)).status).toBe('PENDING');
  });

  test.each([
    ['an OWNER of another restaurant', () => Promise.resolve(theirs.token), 403],
    ['a platform ADMIN who is not linked', () => scenario.relay.login(), 403],
    ['nobody', () => Promise.resolve('no.token.atall'), 401],
  ])('%s: refused, and nothing is cancelled', async (_, tokenOf, status) => {
    const key = await scenario.keyOf(await ours.sell());
    await scenario.cancel(ours.id, key, await tokenOf()).expect(status);
    expect(await cancels(key)).toEqual([]);
  });

  test("an order of another restaurant: 404 by way of one's own, and nothing is cancelled", async () => {
    const key = await scenario.keyOf(await theirs.sell());
    await scenario.cancel(ours.id, key, ours.token).expect(404);
    expect(await cancels(key)).toEqual([]);
  });

  test('a restaurant that does not exist: 404; an id that is none: 400', async () => {
    await scenario.cancel(randomUUID(), 'T-1', ours.token).expect(404);
    await scenario.cancel('1', 'T-1', ours.token).expect(400);
  });

  test('a role that was taken away no longer cancels, though its token is still good', async () => {
    const manager = await scenario.people.user();
    await scenario.people.link(manager.id, ours.id, 'MANAGER');
    const token = await scenario.relay.login(manager);
    await scenario.database.query(`UPDATE user_restaurants SET role = 'VIEWER' WHERE user_id = $1`, [manager.id]);
    await scenario.cancel(ours.id, await scenario.keyOf(await ours.sell()), token).expect(403);
  });
});
