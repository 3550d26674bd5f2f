import { JobStore } from '../../../src/outbox/job-store.js';
import { TERMINAL_TOKEN } from '../../support/environment.js';
import { Scenario } from '../../support/scenario.js';
import { receiptsOf } from '../receipts/receipts.js';
import { type Event, PullingPos } from './pulling.js';
import { deviationFrom } from './standard.js';

describe('what a POS that pulls says of its orders', () => {
  const scenario = Scenario.ofSuite({ OUTBOX_PACE: 'eager', WORKER_ENABLED: 'false', RESEND: 'restaurants' });
  const opened = () => scenario;
  const job = (id: string) => scenario.jobs.get(id);
  const said = (jobId: string) =>
    scenario.database.query(
      'SELECT state, number, reason, code, items, offer FROM pos_acceptances WHERE job_id = $1::uuid ORDER BY created_at',
      [jobId],
    );

  /** A restaurant, and an order of it that its POS has acknowledged. */
  async function delivered(...sold: Parameters<Awaited<ReturnType<Scenario['restaurant']>>['sell']>) {
    const { restaurant, pos } = await PullingPos.ofRestaurant(opened);
    const jobId = await restaurant.sell(...sold);
    await pos.acknowledge(...(await pos.poll()));
    return { restaurant, pos, jobId };
  }
  const types = (events: readonly Event[]) => events.map(({ eventType }) => eventType);

  test('it accepts an order with its number, and says how far it is: each is an event until it is acknowledged, for an hour (Q15, Q17, L265)', async () => {
    const { pos, jobId } = await delivered();
    await pos.accept(jobId, '4711').expect(202);
    for (const path of ['preparing', 'readyForPickup', 'dispatch', 'pickedUp', 'delivered'])
      await pos.say(jobId, path).expect(202);
    expect(await job(jobId)).toMatchObject({ status: 'SENT' });
    expect(await said(jobId)).toMatchObject([
      { state: 'ACCEPTED', number: '4711', offer: 0 },
      ...['PREPARING', 'READY', 'DISPATCHED', 'PICKED_UP', 'DELIVERED'].map((state) => ({ state })),
    ]);
    const events = await pos.poll();
    expect(types(events)).toEqual([
      'CONFIRMED',
      'PREPARING',
      'READY_FOR_PICKUP',
      'DISPATCHED',
      'PICKED_UP',
      'DELIVERED',
    ]);
    for (const event of events) expect(deviationFrom('Event', event)).toBeNull();
    expect(await pos.poll()).toEqual(events);
    await pos.acknowledge(...events.slice(0, 2));
    expect(types(await pos.poll())).toEqual(['READY_FOR_PICKUP', 'DISPATCHED', 'PICKED_UP', 'DELIVERED']);
    // the standard: what a poll leaves out is acknowledged
    expect(types(await pos.poll('?eventType=CREATED&eventType=CANCELLED&eventType=DELIVERED'))).toEqual(['DELIVERED']);
    expect(types(await pos.poll())).toEqual(['DELIVERED']);
    await scenario.database.query(`UPDATE pos_acceptances SET created_at = created_at - interval '61 minutes'`);
    expect(await pos.poll()).toEqual([]);
  });

  test('who speaks of an order has its event: it is delivered, although the acknowledgement is missing; twice is a 422 (Q15)', async () => {
    const { restaurant, pos } = await PullingPos.ofRestaurant(opened);
    const jobId = await restaurant.sell();
    await pos.accept(jobId, '1').expect(422);
    expect(await job(jobId)).toMatchObject({ status: 'PENDING' });
    await pos.poll();
    await pos.accept(jobId, '4711').expect(202);
    expect(await job(jobId)).toMatchObject({ status: 'SENT', attempts: 1 });
    const { body } = await pos.accept(jobId, '4712').expect(422);
    expect(body).toMatchObject({ code: 'ORDER_STATE', status: 422, title: expect.stringContaining('before') });
    expect(deviationFrom('Error', body)).toBeNull();
    expect(await said(jobId)).toMatchObject([{ number: '4711' }]);
    const twice = await Promise.all([pos.say(jobId, 'preparing'), pos.say(jobId, 'preparing')]);
    expect(twice.map(({ status }) => status).sort()).toEqual([202, 422]);
  });

  test('it refuses an order for products that it does not know: parked as refused, with their codes; sent again it has the same id and another event (Q16)', async () => {
    const { restaurant, pos, jobId } = await delivered();
    await pos.accept(jobId, '4711').expect(202);
    const { body: order } = await pos.read(jobId).expect(200);
    const [item] = order.items;
    await pos.refuse(jobId, { invalidItems: [item.id] }).expect(202);
    expect(await job(jobId)).toMatchObject({
      status: 'DLQ',
      cause: 'refused',
      subject: 'product',
      last_error: `the POS refused it: OUTDATED_MENU: unknown product; it does not know: ${item.externalCode}`,
    });
    await pos.refuse(jobId).expect(422);
    await pos.say(jobId, 'preparing').expect(422);
    const events = await pos.poll();
    expect(types(events)).toEqual(['CONFIRMED', 'CANCELLED']);
    await pos.acknowledge(...events);
    const key = await scenario.keyOf(jobId);
    await scenario.api.post(`/restaurants/${restaurant.id}/orders/${key}/resend`, restaurant.owner.token).expect(202);
    const [again] = await pos.poll();
    expect(again).toMatchObject({ eventType: 'CREATED', orderId: jobId, eventId: expect.not.stringMatching(jobId) });
    expect(await pos.poll()).toEqual([again]);
    // an acknowledgement of the event of before says nothing of the new one
    await pos.acknowledge({ ...(again as Event), eventId: jobId });
    expect(await job(jobId)).toMatchObject({ status: 'PROCESSING' });
    await pos.acknowledge(again as Event);
    expect(await job(jobId)).toMatchObject({ status: 'SENT', last_error: null, cause: null });
    await pos.accept(jobId, '4712').expect(202);
    expect((await said(jobId)).map(({ state, offer }) => `${state} ${offer}`)).toEqual([
      'ACCEPTED 0',
      'REFUSED 0',
      'ACCEPTED 1',
    ]);
  });

  test('a refusal of an order whose codes changed while the POS had it names its items, not the new codes (Q16, Q5)', async () => {
    const { restaurant, pos } = await PullingPos.ofRestaurant(opened);
    const jobId = await restaurant.sell();
    await pos.poll();
    const { body: order } = await pos.read(jobId).expect(200);
    const [{ id, name, externalCode }] = order.items;
    await scenario.database.query(
      `INSERT INTO pos_codes (restaurant_id, kind, terminal_code, pos_code) VALUES ($1::uuid, 'ITEM', $2, 'NEW-CODE')`,
      [restaurant.id, externalCode],
    );
    await pos.refuse(jobId, { invalidItems: [id] }).expect(202);
    expect(await job(jobId)).toMatchObject({
      ...{ status: 'DLQ', cause: 'refused', subject: 'product' },
      last_error: `the POS refused it: OUTDATED_MENU: unknown product; it does not know: ${name} (their codes may have changed since it read the order)`,
    });
  });

  test('an order that is sent again is not stopped by the event of its refusal, which its POS has not read (Q17)', async () => {
    const { restaurant, pos, jobId } = await delivered();
    await pos.refuse(jobId).expect(202);
    const key = await scenario.keyOf(jobId);
    await scenario.api.post(`/restaurants/${restaurant.id}/orders/${key}/resend`, restaurant.owner.token).expect(202);
    for (let polls = 0; polls < 2; polls++) expect(types(await pos.poll())).toEqual(['CREATED']);
  });

  /** An order that its POS has refused, and that somebody has sent again. */
  async function sentAgain() {
    const { restaurant, pos, jobId } = await delivered();
    await pos.refuse(jobId).expect(202);
    const key = await scenario.keyOf(jobId);
    await scenario.api.post(`/restaurants/${restaurant.id}/orders/${key}/resend`, restaurant.owner.token).expect(202);
    return { restaurant, pos, jobId };
  }
  const pollCreated = async (pos: PullingPos) =>
    (await pos.poll()).find(({ eventType }) => eventType === 'CREATED') as Event;

  test('an order that was sent again and given up is not stopped by the event of its refusal either (Q17)', async () => {
    const { restaurant, pos, jobId } = await delivered();
    await pos.refuse(jobId).expect(202);
    const key = await scenario.keyOf(jobId);
    await scenario.api.post(`/restaurants/${restaurant.id}/orders/${key}/resend`, restaurant.owner.token).expect(202);
    expect(types(await pos.poll())).toEqual(['CREATED']);
    // ten minutes later its lease has ended, and it was its last
    await scenario.database.query(
      `UPDATE pos_acceptances SET created_at = created_at - interval '10 minutes' WHERE job_id = $1::uuid`,
      [jobId],
    );
    await scenario.database.query(
      `UPDATE outbox_jobs SET processing_at = processing_at - interval '5 minutes' WHERE id = $1::uuid`,
      [jobId],
    );
    await scenario.relay.reap();
    await scenario.database.query(
      `UPDATE outbox_jobs SET status = 'DLQ', cause = 'lost', last_error = 'gave up', next_run_at = NULL WHERE id = $1::uuid`,
      [jobId],
    );
    expect(await pos.poll()).toEqual([]);
  });

  test('a statement about an order that was sent again counts after the acknowledgement of its new event, since it may be a repetition from before (Q23)', async () => {
    const { pos, jobId } = await sentAgain();
    // nobody has been offered it again: it can only be the refusal of before
    expect((await pos.refuse(jobId).expect(422)).body.code).toBe('ORDER_STATE');
    const event = await pollCreated(pos);
    for (const say of [() => pos.refuse(jobId), () => pos.accept(jobId, '4711'), () => pos.say(jobId, 'preparing')]) {
      const { body, headers } = await say().expect(503);
      expect(body).toMatchObject({
        code: 'ORDER_NOT_ACKNOWLEDGED',
        title: expect.stringContaining('acknowledge its new event'),
      });
      expect(headers['retry-after']).toBe('1');
    }
    expect(await job(jobId)).toMatchObject({ status: 'PROCESSING' });
    // after the lease it may still be about the new event
    await scenario.database.query(`UPDATE pos_acceptances SET created_at = created_at - interval '2 hours'`);
    await scenario.database.query(`UPDATE delivery_attempts SET started_at = started_at - interval '3 hours'`);
    await scenario.database.query(
      `UPDATE outbox_jobs SET processing_at = now() - interval '1 hour' WHERE id = $1::uuid`,
      [jobId],
    );
    await scenario.relay.reap();
    await pos.refuse(jobId).expect(503);
    expect(await job(jobId)).toMatchObject({ status: 'PENDING' });
    await pos.acknowledge(event);
    await pos.accept(jobId, '4711').expect(202);
    expect(await job(jobId)).toMatchObject({ status: 'SENT' });
    expect((await said(jobId)).map(({ state, offer }) => `${state} ${offer}`)).toEqual(['REFUSED 0', 'ACCEPTED 1']);
  });

  test('a statement that names its event counts for that offer only, and acknowledges it (Q23)', async () => {
    const { pos, jobId } = await sentAgain();
    const { eventId } = await pollCreated(pos);
    const earlier = await pos.refuse(jobId, { eventId: jobId }).expect(422);
    expect(earlier.body).toMatchObject({ code: 'ORDER_STATE', title: expect.stringContaining('eventId') });
    expect(await job(jobId)).toMatchObject({ status: 'PROCESSING' });
    await pos.say(jobId, 'confirm', { orderExternalCode: '4711', eventId: eventId.toUpperCase() }).expect(202);
    expect(await job(jobId)).toMatchObject({ status: 'SENT' });
    await pos.refuse(jobId, { eventId: jobId }).expect(422);
    await pos.refuse(jobId, { eventId }).expect(202);
    expect(await job(jobId)).toMatchObject({ status: 'DLQ', cause: 'refused' });
    const { body } = await pos.refuse(jobId, { eventId: 'E-1' }).expect(400);
    expect(body.message).toEqual(['eventId must be the eventId of an event CREATED of the order, a UUID']);
  });

  test('a refusal that waited here while its order was sent again and acknowledged is not one of the new offer (Q23)', async () => {
    const { pos, jobId } = await sentAgain();
    const event = await pollCreated(pos);
    await pos.acknowledge(event);
    const say = (waitedMs: number) =>
      scenario.relay
        .get(JobStore)
        .say(pos.credentials.id, jobId, { state: 'REFUSED', code: 'X', reason: 'no' }, waitedMs);
    expect(await say(60_000)).toMatchObject({ hearing: 'unclear' });
    expect(await job(jobId)).toMatchObject({ status: 'SENT' });
    expect(await say(0)).toMatchObject({ hearing: 'new' });
  });

  test('a refusal before the acknowledgement, and of an order that was given up; not of one that somebody has entered by hand (Q16)', async () => {
    const { restaurant, pos } = await PullingPos.ofRestaurant(opened);
    const [first, second, third] = [await restaurant.sell(), await restaurant.sell(), await restaurant.sell()];
    await pos.poll();
    await pos.refuse(first, { code: 'UNAVAILABLE_ITEM', reason: 'no dough' }).expect(202);
    expect(await job(first)).toMatchObject({ status: 'DLQ', cause: 'refused', subject: 'other' });
    const give = (id: string) =>
      scenario.database.query(
        `UPDATE outbox_jobs SET status = 'DLQ', cause = 'lost', last_error = 'gave up', next_run_at = NULL
         WHERE id = $1::uuid`,
        [id],
      );
    await scenario.database.query(
      `UPDATE outbox_jobs SET processing_at = now() - interval '1 hour' WHERE status = 'PROCESSING'`,
    );
    await scenario.relay.reap();
    await give(second);
    await give(third);
    await pos.refuse(second).expect(202);
    expect(await job(second)).toMatchObject({ status: 'DLQ', cause: 'refused' });
    const key = await scenario.keyOf(third);
    await scenario.api
      .post(`/restaurants/${restaurant.id}/orders/${key}/entered`, restaurant.owner.token, {})
      .expect(202);
    await pos.refuse(third).expect(202);
    expect(await job(third)).toMatchObject({ status: 'DLQ', cause: 'lost', resolved_at: expect.any(Date) });
  });

  test('only the refusal of its POS takes an order out of SENT (Q16, O28)', async () => {
    const { pos, jobId } = await delivered();
    const park = () => scenario.database.query(`UPDATE outbox_jobs SET status = 'DLQ' WHERE id = $1::uuid`, [jobId]);
    await expect(park()).rejects.toThrow('cannot be moved to DLQ');
    await pos.accept(jobId, '1').expect(202);
    await expect(park()).rejects.toThrow('cannot be moved to DLQ');
  });

  test('a cancelled order is neither accepted nor refused; the POS says that it has cancelled it (Q15)', async () => {
    const { restaurant, pos, jobId } = await delivered();
    await pos.say(jobId, 'acceptCancellation').expect(422);
    await scenario.cancel(restaurant.id, await scenario.keyOf(jobId), restaurant.owner.token).expect(202);
    await pos.accept(jobId, '1').expect(422);
    await pos.refuse(jobId).expect(422);
    await pos.say(jobId, 'denyCancellation', { reason: 'in the oven' }).expect(422);
    await pos.say(jobId, 'acceptCancellation').expect(204);
    expect(await said(jobId)).toMatchObject([{ state: 'CANCELLED' }]);
    expect(types(await pos.poll())).toEqual(['CANCELLED']);
  });

  test('what it sends is checked, and kept without card numbers and control characters; another restaurant has no such order (Q15, L266)', async () => {
    const { pos, jobId } = await delivered();
    const { pos: other } = await PullingPos.ofRestaurant(opened);
    const message = async (path: string, body: object) => (await pos.say(jobId, path, body).expect(400)).body.message;
    expect(await message('confirm', {})).toEqual(['orderExternalCode must be text of 1 to 100 characters']);
    expect(await message('confirm', { orderExternalCode: 'x'.repeat(101), preparationTime: -1, reason: 7 })).toEqual([
      'orderExternalCode must be text of 1 to 100 characters',
      'reason must be text',
      'preparationTime must be a whole number of minutes from 0 to 10080',
    ]);
    expect(await message('requestCancellation', { invalidItems: ['1'] })).toEqual([
      'reason must be text',
      'code must be text of 1 to 100 characters',
      'invalidItems must be a list of at most 100 ids of items, UUIDs',
    ]);
    await other.accept(jobId, '1').expect(404);
    await other.refuse(jobId).expect(404);
    await pos.refuse(jobId, { reason: `card 4111 1111 1111 1111\u0007${'y'.repeat(2_000)}` }).expect(202);
    const [refusal] = await said(jobId);
    expect(refusal?.reason).toMatch(/^card \S+ ?\S* ?\S* ?1111 y+$/);
    expect(refusal?.reason).not.toContain('4111 1111 1111 1111');
    expect(String(refusal?.reason)).toHaveLength(500);
  });

  test('receipts: accepted, and refused with its cause; the acknowledgement of an event brings nothing again (V21, V22)', async () => {
    const { list, one } = receiptsOf(opened);
    const { restaurant, pos, jobId } = await delivered();
    const readers = [restaurant.owner.token, TERMINAL_TOKEN];
    const lists = (after: readonly (string | undefined)[] = []) =>
      Promise.all(readers.map((token, i) => list(token, after[i] === undefined ? {} : { after: after[i] })));
    const types = (pages: Awaited<ReturnType<typeof lists>>) =>
      pages.map(({ data }) => data.filter((each) => each.jobId === jobId).map(({ type, cause }) => [type, cause]));
    const twice = (...expected: unknown[]) => [expected, expected];
    const before = await lists();
    expect(types(before)).toEqual(twice(['order.stored', undefined], ['order.delivered', undefined]));
    await pos.accept(jobId, '4711').expect(202);
    const accepted = await lists(before.map(({ cursor }) => cursor));
    expect(types(accepted)).toEqual(twice(['order.accepted', undefined]));
    expect((await one(TERMINAL_TOKEN, jobId).expect(200)).body.data).toMatchObject({
      type: 'order.accepted',
      state: 'delivered',
    });
    await pos.acknowledge(...(await pos.poll()));
    expect(types(await lists(accepted.map(({ cursor }) => cursor)))).toEqual(twice());
    await pos.refuse(jobId).expect(202);
    const refused = await lists(accepted.map(({ cursor }) => cursor));
    expect(types(refused)).toEqual(twice(['order.refused', 'refused']));
    expect((await one(TERMINAL_TOKEN, jobId).expect(200)).body.data).toMatchObject({
      type: 'order.refused',
      state: 'parked',
      cause: 'refused',
    });
  });

  test('the order has what its POS said, the oldest first; nothing of the reason is left after an erasure (Q15, W40)', async () => {
    const { restaurant, pos, jobId } = await delivered();
    const path = `/restaurants/${restaurant.id}/orders/${await scenario.keyOf(jobId)}`;
    const { token } = restaurant.owner;
    const shown = async () => (await scenario.api.get(path, token).expect(200)).body;
    expect((await shown()).acceptances).toEqual([]);
    await pos.say(jobId, 'confirm', { orderExternalCode: '4711', preparationTime: 20 }).expect(202);
    await pos.refuse(jobId).expect(202);
    expect(await shown()).toMatchObject({
      state: 'parked',
      acceptances: [
        { state: 'ACCEPTED', number: '4711', preparationMinutes: 20, reason: null, at: expect.any(String) },
        { state: 'REFUSED', reason: 'unknown product', code: 'OUTDATED_MENU' },
      ],
    });
    await scenario.api.post(`${path}/erase`, token, {}).expect(200);
    expect((await shown()).acceptances).toMatchObject([{ number: '4711' }, { reason: null }]);
  });
});
