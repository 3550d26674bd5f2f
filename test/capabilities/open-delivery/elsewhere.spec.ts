import { Scenario } from '../../support/scenario.js';
import { Receiver } from '../channels/receiver.js';
import { PullingPos } from './pulling.js';

const CALLED = '/v1/newEvent';

describe('a cancel does not go to a POS that did not get the order (Q30)', () => {
  const scenario = Scenario.ofSuite({ OUTBOUND_ALLOW: '127.0.0.1', RESEND: 'restaurants' });
  const opened = () => scenario;
  const [first, second] = [new Receiver(), new Receiver()];
  const addresses: string[] = [];
  beforeAll(async () => {
    for (const receiver of [first, second]) addresses.push(await receiver.listen());
  });
  beforeEach(() => {
    for (const receiver of [first, second]) {
      receiver.reset();
      receiver.answers.set(CALLED, { status: 204 });
    }
  });
  afterAll(() => Promise.all([first.close(), second.close()]));

  type Place = { readonly id: string; readonly token: string };
  const change = ({ id, token }: Place, fields: object) =>
    scenario.api.patch(`/restaurants/${id}`, token, fields).expect(200);
  const cancel = async ({ id, token }: Place, jobId: string) =>
    (await scenario.cancel(id, await scenario.keyOf(jobId), token).expect(202)).body.data.jobId as string;
  const job = (id: string) => scenario.jobs.get(id);
  const cancelCalls = () => scenario.pos.requests.filter(({ path }) => path.includes('cancel')).length;
  const parked = { status: 'DLQ', cause: 'unconfirmed', last_error: expect.stringContaining('by hand') };
  const partner = () => scenario.restaurant(`CHANGES-${crypto.randomUUID()}`);

  test('another vendor: parked, whatever order has the key there; requested again it is sent', async () => {
    const restaurant = await partner();
    const jobId = await restaurant.sell();
    await scenario.settle(jobId, 'SENT');
    await change(restaurant, { posVendor: 'open-delivery', currency: 'BRL' });
    const pos = await PullingPos.of(opened, restaurant);
    const ofOrder = await cancel(restaurant, jobId);
    expect(await pos.poll()).toEqual([]);
    expect(await job(ofOrder)).toMatchObject(parked);
    expect(await cancel(restaurant, jobId)).toBe(ofOrder);
    expect(await pos.poll()).toMatchObject([{ eventType: 'CANCELLED', eventId: ofOrder }]);
  });

  test('from a POS that pulls to one that is called; orders of after the change are cancelled there', async () => {
    const { restaurant, pos } = await PullingPos.ofRestaurant(opened);
    const jobId = await restaurant.sell();
    await pos.acknowledge(...(await pos.poll()));
    await change(restaurant, { posVendor: null, codeStorePos: '1003' });
    const before = cancelCalls();
    const ofOrder = await cancel(restaurant, jobId);
    await scenario.relay.tick();
    expect(await job(ofOrder)).toMatchObject(parked);
    expect(cancelCalls()).toBe(before);
    const next = await restaurant.sell();
    await scenario.settle(next, 'SENT');
    const ofNext = await cancel(restaurant, next);
    await scenario.settle(ofNext, 'SENT');
    expect(cancelCalls()).toBe(before + 1);
  });

  test('another store code, also when the order only may have arrived; the first code that is set is no change', async () => {
    const restaurant = await partner();
    const delivered = await restaurant.sell();
    await scenario.settle(delivered, 'SENT');
    const unclear = await restaurant.sell();
    scenario.pos.behave({ mode: 'reset' });
    await scenario.relay.tick();
    scenario.pos.behave({ mode: 'ok' });
    await change(restaurant, { codeStorePos: `${crypto.randomUUID()}` });
    const before = cancelCalls();
    for (const jobId of [delivered, unclear]) {
      const ofOrder = await cancel(restaurant, jobId);
      await scenario.relay.tick();
      expect(await job(ofOrder)).toMatchObject(parked);
    }
    expect(await job(unclear)).toMatchObject({ status: 'DLQ', withdrawn: true });
    expect(cancelCalls()).toBe(before);
    const unsent = await restaurant.sell();
    const ofUnsent = await cancel(restaurant, unsent);
    await scenario.settle(ofUnsent, 'SENT');
    // the first code that is set, and the same again, are no change
    const { id } = await partner();
    const sinceWith = async (code: string | null) => {
      const [row] = await scenario.database.query<{ pos_since: Date | null }>(
        'UPDATE restaurants SET code_store_pos = $2 WHERE id = $1::uuid RETURNING pos_since',
        [id, code],
      );
      return row?.pos_since;
    };
    await sinceWith(null);
    await scenario.database.query('UPDATE restaurants SET pos_since = NULL WHERE id = $1::uuid', [id]);
    expect(await sinceWith('first')).toBeNull();
    expect(await sinceWith('first')).toBeNull();
    expect(await sinceWith('second')).toBeInstanceOf(Date);
  });

  test('another address of a POS that gets events: parked; requested again it is sent there; https for http is the same POS', async () => {
    const { restaurant } = await PullingPos.ofRestaurant(opened, { posBaseUrl: addresses[0] });
    const jobId = await restaurant.sell();
    await scenario.relay.tick();
    expect(await job(jobId)).toMatchObject({ status: 'SENT' });
    await change(restaurant, { posBaseUrl: addresses[1] });
    const ofOrder = await cancel(restaurant, jobId);
    await scenario.relay.tick();
    expect(await job(ofOrder)).toMatchObject(parked);
    expect([first, second].map(({ received }) => received.length)).toEqual([1, 0]);
    await cancel(restaurant, jobId);
    await scenario.relay.tick();
    expect(await job(ofOrder)).toMatchObject({ status: 'SENT' });
    expect([first, second].map(({ received }) => received.length)).toEqual([1, 1]);

    const sinceAs = (scheme: string) =>
      scenario.database.query(
        `UPDATE restaurants SET pos_base_url = $2 || '://pos.example' WHERE id = $1::uuid RETURNING pos_since`,
        [restaurant.id, scheme],
      );
    expect(await sinceAs('http')).toEqual(await sinceAs('https'));
  });

  test('a cancel that the change itself has parked is sent when it is requested again (Q14)', async () => {
    const { restaurant, pos } = await PullingPos.ofRestaurant(opened);
    const jobId = await restaurant.sell();
    await pos.acknowledge(...(await pos.poll()));
    const ofOrder = await cancel(restaurant, jobId);
    await change(restaurant, { posVendor: null, codeStorePos: '1004' });
    expect(await job(ofOrder)).toMatchObject({ status: 'DLQ', cause: 'unconfirmed' });
    expect(await scenario.jobs.attempts(ofOrder)).toMatchObject([{ outcome: 'DLQ', reach: 'NOT_SENT' }]);
    const before = cancelCalls();
    await cancel(restaurant, jobId);
    await scenario.relay.tick();
    expect(cancelCalls()).toBe(before + 1);
  });
});
