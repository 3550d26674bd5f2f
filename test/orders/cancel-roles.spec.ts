import { randomUUID } from 'node:crypto';
import { RESTAURANT_ROLES } from '../../src/domain/role.js';
import { House } from './house.js';

const MAY = ['OWNER', 'ADMIN', 'MANAGER'] as const;
const MAY_NOT = RESTAURANT_ROLES.filter((role) => !(MAY as readonly string[]).includes(role));

describe('who may cancel: POST /restaurants/:id/orders/:transactionKey/cancel', () => {
  let house: House;
  let ours: Awaited<ReturnType<House['restaurant']>>;
  let theirs: typeof ours;

  beforeAll(async () => {
    house = await House.open();
    ours = await house.restaurant('OURS');
    theirs = await house.restaurant('THEIRS');
  });
  afterAll(() => house.close());

  const cancels = async (key: string) =>
    house.database.query(`SELECT id::text FROM outbox_jobs WHERE event_key = $1 AND action = 'CANCEL'`, [key]);

  test.each(MAY)('%s: 202 with the job, and 200 with the same job when asked again', async (role) => {
    const key = await house.keyOf(await ours.sell());
    const token = await house.staff(ours.id, role);
    const { body } = await house.cancel(ours.id, key, token).expect(202);
    expect(body).toEqual({ message: expect.any(String), data: { jobId: expect.any(String) } });
    const again = await house.cancel(ours.id, key, token).expect(200);
    expect(again.body.data).toEqual(body.data);
    expect(await cancels(key)).toEqual([{ id: body.data.jobId }]);
  });

  test('asked again by somebody else: the same job', async () => {
    const key = await house.keyOf(await ours.sell());
    const { body } = await house.cancel(ours.id, key, await house.staff(ours.id, 'MANAGER')).expect(202);
    expect((await house.cancel(ours.id, key, ours.token).expect(200)).body.data).toEqual(body.data);
  });

  test.each(MAY_NOT)('%s: 403, and nothing is cancelled', async (role) => {
    const jobId = await ours.sell();
    const key = await house.keyOf(jobId);
    const { body } = await house.cancel(ours.id, key, await house.staff(ours.id, role)).expect(403);
    expect(body.code).toBe('INSUFFICIENT_ROLE');
    expect(await cancels(key)).toEqual([]);
    expect((await house.jobs.get(jobId)).status).toBe('PENDING');
  });

  test.each([
    ['an OWNER of another restaurant', () => Promise.resolve(theirs.token), 403],
    ['a platform ADMIN who is not linked', () => house.relay.login(), 403],
    ['nobody', () => Promise.resolve('no.token.atall'), 401],
  ])('%s: refused, and nothing is cancelled', async (_, tokenOf, status) => {
    const key = await house.keyOf(await ours.sell());
    await house.cancel(ours.id, key, await tokenOf()).expect(status);
    expect(await cancels(key)).toEqual([]);
  });

  test("an order of another restaurant: 404 by way of one's own, and nothing is cancelled", async () => {
    const key = await house.keyOf(await theirs.sell());
    await house.cancel(ours.id, key, ours.token).expect(404);
    expect(await cancels(key)).toEqual([]);
  });

  test('a restaurant that does not exist: 404; an id that is none: 400', async () => {
    await house.cancel(randomUUID(), 'T-1', ours.token).expect(404);
    await house.cancel('1', 'T-1', ours.token).expect(400);
  });

  test('a role that was taken away no longer cancels, though its token is still good', async () => {
    const manager = await house.people.user();
    await house.people.link(manager.id, ours.id, 'MANAGER');
    const token = await house.relay.login(manager);
    await house.database.query(`UPDATE user_restaurants SET role = 'VIEWER' WHERE user_id = $1`, [manager.id]);
    await house.cancel(ours.id, await house.keyOf(await ours.sell()), token).expect(403);
  });
});
