import { Outages } from '../../../src/outbox/outages.js';
import { sale } from '../../support/client.js';
import { Scenario } from '../../support/scenario.js';
import { until } from '../../support/until.js';
import { PullingPos } from './pulling.js';

const LEASE_MS = 60_000;

describe('a POS that pulls is a worker: its poll claims, its acknowledgement settles (Q2, Q4, Q5)', () => {
  const scenario = Scenario.ofSuite({
    OUTBOX_MAX_ATTEMPTS: '3',
    OUTBOX_PACE: 'eager',
    WORKER_ENABLED: 'false',
    RESEND: 'restaurants',
  });
  const opened = () => scenario;
  const restaurant = (fields?: object) => PullingPos.ofRestaurant(opened, fields);
  const job = (id: string) => scenario.jobs.get(id);
  /** The lease of what is offered ends. */
  const endLease = async (jobId: string) => {
    await scenario.database.query(
      `UPDATE outbox_jobs SET processing_at = processing_at - interval '${LEASE_MS + 1} milliseconds' WHERE id = $1::uuid`,
      [jobId],
    );
    await scenario.relay.reap();
  };

  test('a sale is offered, read and acknowledged: SENT, with the order as the POS read it', async () => {
    const {
      restaurant: { sell },
      pos,
    } = await restaurant();
    const jobId = await sell();
    const [event, ...rest] = await pos.poll();
    expect(rest).toEqual([]);
    expect(event).toEqual({
      eventId: jobId,
      eventType: 'CREATED',
      orderId: jobId,
      orderURL: `${scenario.relay.config.publicUrl}/v1/orders/${jobId}`,
      createdAt: expect.any(String),
    });
    expect(await job(jobId)).toMatchObject({
      status: 'PROCESSING',
      attempts: 1,
      locked_by: expect.stringMatching(/^pos\//),
    });
    const { body: order } = await pos.read(jobId).expect(200);
    expect(order).toMatchObject({ id: jobId, total: { orderAmount: { value: 79.8, currency: 'BRL' } } });
    await pos.acknowledge(event as never);
    expect(await job(jobId)).toMatchObject({ status: 'SENT', attempts: 1, last_error: null });
    const [attempt] = await scenario.jobs.attempts(jobId);
    const { lastEvent: _, ...document } = order;
    expect(attempt).toMatchObject({ outcome: 'SENT', reach: 'ANSWERED', sent_body: document });
    expect(await pos.poll()).toEqual([]);
  });

  test('nothing is offered while the restaurant is paused (O49)', async () => {
    const {
      restaurant: { id, owner, sell },
      pos,
    } = await restaurant();
    await scenario.api.post(`/restaurants/${id}/pause`, owner.token, { reason: 'the kitchen is full' }).expect(200);
    const jobId = await sell();
    expect(await pos.poll()).toEqual([]);
    await scenario.api.post(`/restaurants/${id}/resume`, owner.token, {}).expect(200);
    expect(await pos.poll()).toMatchObject([{ orderId: jobId }]);
  });

  test('the worker never claims its jobs, neither due ones nor those that arrive', async () => {
    const relay = await scenario.start({ WORKER_ENABLED: 'true' });
    const {
      restaurant: { sell },
      pos,
    } = await restaurant();
    const other = await scenario.store();
    const [own, others] = [await sell(), await relay.accept(sale({ storeCode: null, restaurantId: other.id }))];
    await relay.tick();
    await until(async () => (await job(others)).status === 'SENT');
    expect(await job(own)).toMatchObject({ status: 'PENDING', attempts: 0 });
    expect(await pos.poll()).toMatchObject([{ eventId: own }]);
  });

  test('within the lease the same event comes again, to a second poller too, and the claim stays one', async () => {
    const { restaurant: own, pos } = await restaurant();
    const second = await PullingPos.of(opened, own);
    const jobId = await own.sell();
    const polls = await Promise.all([pos.poll(), second.poll(), pos.poll()]);
    expect(new Set(polls.flat().map(({ eventId }) => eventId))).toEqual(new Set([jobId]));
    expect(await second.poll()).toMatchObject([{ eventId: jobId }]);
    expect(await job(jobId)).toMatchObject({ attempts: 1 });
  });

  test('without an acknowledgement the lease ends: LOST, and offered again under the same id; after the last attempt it is parked', async () => {
    const {
      restaurant: { sell },
      pos,
    } = await restaurant();
    const jobId = await sell();
    for (const attempt of [1, 2, 3]) {
      expect(await pos.poll()).toMatchObject([{ eventId: jobId }]);
      expect(await job(jobId)).toMatchObject({ attempts: attempt });
      await endLease(jobId);
    }
    expect((await scenario.jobs.attempts(jobId)).map(({ outcome }) => outcome)).toEqual(['LOST', 'LOST', 'LOST']);
    expect(await pos.poll()).toEqual([]);
    expect(await job(jobId)).toMatchObject({ status: 'DLQ', cause: 'lost' });
  });

  test('an acknowledgement after the lease counts, if nobody has polled since; one that comes twice changes nothing', async () => {
    const {
      restaurant: { sell },
      pos,
    } = await restaurant();
    const jobId = await sell();
    const [event] = await pos.poll();
    await endLease(jobId);
    await pos.acknowledge(event as never);
    expect(await job(jobId)).toMatchObject({ status: 'SENT', attempts: 1 });
    await pos.acknowledge(event as never);
    expect(await scenario.jobs.attempts(jobId)).toMatchObject([{ outcome: 'SENT' }]);
  });

  test('an order may have been read from its first offer on, whose lease has ended (Q5)', async () => {
    const { restaurant, pos } = await PullingPos.ofRestaurant(opened);
    const notes: unknown[] = [];
    for (const name of ['PULLS', 'RENAMED']) {
      const jobId = await restaurant.sell();
      await pos.poll();
      await endLease(jobId);
      await scenario.database.query('UPDATE restaurants SET name = $2 WHERE id = $1::uuid AND $2 <> $3', [
        restaurant.id,
        name,
        'PULLS',
      ]);
      await pos.acknowledge(...(await pos.poll()));
      notes.push((await scenario.jobs.attempts(jobId)).at(-1)?.error);
    }
    expect(notes).toEqual([null, expect.stringContaining('changed while the POS had this order to read')]);
  });

  test('an acknowledgement shows that the POS works: it ends an outage of the restaurant (O46)', async () => {
    const { restaurant, pos } = await PullingPos.ofRestaurant(opened);
    await scenario.database.query(
      `INSERT INTO pos_outages (restaurant_id, began_at, failed_at) VALUES ($1::uuid, now() - interval '1 hour', now() - interval '1 minute')`,
      [restaurant.id],
    );
    await restaurant.sell();
    const events = await pos.poll();
    await pos.acknowledge(...events);
    const ended = () =>
      scenario.database.query('SELECT FROM pos_outages WHERE restaurant_id = $1::uuid AND ended_at IS NOT NULL', [
        restaurant.id,
      ]);
    await until(async () => {
      await scenario.relay.get(Outages).update();
      return (await ended()).length === 1;
    });
  });

  test('staff may enter by hand what is claimed again after a lease without a word; a late acknowledgement changes nothing (R65, Q5)', async () => {
    const {
      restaurant: { id, owner, sell },
      pos,
    } = await restaurant();
    const jobId = await sell();
    const path = `/restaurants/${id}/orders/${await scenario.keyOf(jobId)}`;
    const enter = () => scenario.api.post(`${path}/entered`, owner.token, { note: 'at the bar' });
    const underWay = async () => expect((await enter().expect(409)).body).toMatchObject({ code: 'ORDER_UNDER_WAY' });
    const offerTwice = async () => {
      await pos.poll();
      await underWay();
      await endLease(jobId);
      const [event] = await pos.poll();
      return event as never;
    };
    // sent again, its POS is waited for again
    await offerTwice();
    await endLease(jobId);
    await scenario.database.query(`UPDATE outbox_jobs SET status = 'DLQ', next_run_at = NULL WHERE id = $1::uuid`, [
      jobId,
    ]);
    await scenario.api.post(`${path}/resend`, owner.token).expect(202);
    const event = await offerTwice();
    const held = await job(jobId);
    await enter().expect(202);
    const entered = { status: 'DLQ', resolved_at: expect.any(Date), locked_by: null, cause: 'lost' };
    expect(await job(jobId)).toMatchObject(entered);
    const last = { number: 2, outcome: 'LOST', reach: 'UNKNOWN', error: expect.stringContaining('by hand') };
    const lastAttempt = async () => (await scenario.jobs.attempts(jobId)).at(-1);
    expect(await lastAttempt()).toMatchObject({ ...last, id: String(held.locked_by).slice('pos/'.length) });
    await pos.acknowledge(event);
    await pos.accept(jobId, '118').expect(202);
    await scenario.relay.reap();
    expect(await pos.poll('?eventType=CREATED')).toEqual([]);
    expect(await job(jobId)).toMatchObject(entered);
    expect(await lastAttempt()).toMatchObject(last);
    const { body } = await scenario.api.get(path, owner.token).expect(200);
    expect(body).toMatchObject({ state: 'resolved', enteredNote: 'at the bar' });
    const audit = await scenario.api.get(`/restaurants/${id}/audit?action=order.entered`, owner.token).expect(200);
    expect(audit.body.data).toHaveLength(1);
  });

  test('PULL_LEASE_MS is its lease, PROCESSING_TTL_MS that of workers', async () => {
    const {
      restaurant: { sell },
      pos,
    } = await restaurant();
    const jobId = await sell();
    await pos.poll();
    const age = (ms: number) =>
      scenario.database.query(
        `UPDATE outbox_jobs SET processing_at = now() - interval '${ms} milliseconds' WHERE id = $1::uuid`,
        [jobId],
      );
    await age(LEASE_MS - 5_000);
    await scenario.relay.reap();
    expect(await job(jobId)).toMatchObject({ status: 'PROCESSING' });
    await age(LEASE_MS + 1);
    await scenario.relay.reap();
    expect(await job(jobId)).toMatchObject({ status: 'PENDING' });
  });

  test('a sale that cannot be mapped is parked when it is offered; one without a currency waits for it (Q8)', async () => {
    const {
      restaurant: { id, token, sell },
      pos,
    } = await restaurant({ currency: null });
    const waits = await sell();
    expect(await pos.poll()).toEqual([]);
    expect(await job(waits)).toMatchObject({ status: 'FAILED', cause: 'no_currency' });
    await scenario.api.patch(`/restaurants/${id}`, token, { currency: 'BRL' }).expect(200);
    const broken = await sell({ items: [] });
    expect(await pos.poll()).toMatchObject([{ eventId: waits }]);
    expect(await job(broken)).toMatchObject({ status: 'DLQ', cause: 'unmappable' });
  });

  test('a page has the 100 oldest events, and the next page comes after the acknowledgement; a longer acknowledgement is refused (L263)', async () => {
    const {
      restaurant: { sell },
      pos,
    } = await restaurant();
    const ids: string[] = [];
    for (let i = 0; i < 105; i++) ids.push(await sell());
    const page = await pos.poll();
    expect(page.map(({ eventId }) => eventId)).toEqual(ids.slice(0, 100));
    await pos.acknowledge(...page);
    expect((await pos.poll()).map(({ eventId }) => eventId)).toEqual(ids.slice(100));
    const longer = Array.from({ length: 101 }, () => ({ id: ids[0], orderId: ids[0], eventType: 'CREATED' }));
    const { body } = await pos.acknowledgeAll(longer).expect(400);
    expect(body.message).toEqual(['the body must be a list of at most 100 events']);
  });
});

describe('cancels and event types of a POS that pulls (Q6)', () => {
  const scenario = Scenario.ofSuite();
  const opened = () => scenario;
  const ended = (jobId: string) =>
    scenario.database.query(
      `UPDATE outbox_jobs SET processing_at = now() - interval '61 seconds' WHERE id = $1::uuid`,
      [jobId],
    );
  const cancelOf = async (restaurant: { id: string; token: string }, jobId: string) => {
    const key = await scenario.keyOf(jobId);
    return (await scenario.cancel(restaurant.id, key, restaurant.token).expect(202)).body.data.jobId as string;
  };

  test('an order that no poll has returned is withdrawn, and nothing is offered', async () => {
    const { restaurant, pos } = await PullingPos.ofRestaurant(opened);
    const jobId = await restaurant.sell();
    const cancel = await cancelOf(restaurant, jobId);
    expect(await pos.poll()).toEqual([]);
    expect(await scenario.jobs.get(jobId)).toMatchObject({ status: 'DLQ', withdrawn: true });
    expect(await scenario.jobs.get(cancel)).toMatchObject({ status: 'SENT' });
  });

  test('an acknowledged order is cancelled by the event CANCELLED, with the id of the order', async () => {
    const { restaurant, pos } = await PullingPos.ofRestaurant(opened);
    const jobId = await restaurant.sell();
    await pos.acknowledge(...(await pos.poll()));
    const cancel = await cancelOf(restaurant, jobId);
    const events = await pos.poll();
    expect(events).toMatchObject([{ eventId: cancel, eventType: 'CANCELLED', orderId: jobId }]);
    expect((await pos.read(jobId).expect(200)).body).toMatchObject({ lastEvent: 'CANCELLED' });
    await pos.acknowledge(...events);
    expect(await scenario.jobs.get(cancel)).toMatchObject({ status: 'SENT' });
  });

  test('an order that was offered and never acknowledged may have been read: it is not offered again after its cancel, and CANCELLED is', async () => {
    const { restaurant, pos } = await PullingPos.ofRestaurant(opened);
    const jobId = await restaurant.sell();
    expect(await pos.poll()).toHaveLength(1);
    const cancel = await cancelOf(restaurant, jobId);
    expect(await pos.poll()).toEqual([]);
    await ended(jobId);
    await scenario.relay.reap();
    expect(await pos.poll()).toMatchObject([{ eventId: cancel, eventType: 'CANCELLED', orderId: jobId }]);
    expect(await scenario.jobs.get(jobId)).toMatchObject({ status: 'DLQ', withdrawn: true });
  });

  test('a poll for other types leaves orders and cancels where they are, and the list of credentials says so', async () => {
    const { restaurant, pos } = await PullingPos.ofRestaurant(opened);
    const jobId = await restaurant.sell();
    expect(await pos.poll('?eventType=CONFIRMED&eventType=CANCELLED')).toEqual([]);
    expect(await scenario.jobs.get(jobId)).toMatchObject({ status: 'PENDING', attempts: 0 });
    const list = await scenario.api.get(`/restaurants/${restaurant.id}/pos-credentials`, restaurant.token).expect(200);
    expect(list.body.data).toMatchObject([{ leftOut: ['CREATED'], polledAt: expect.any(String) }]);
    expect(await pos.poll('?eventType=CREATED')).toMatchObject([{ eventId: jobId }]);
  });

  test('an acknowledgement with another type, of another restaurant, or of an unknown event changes nothing', async () => {
    const { restaurant, pos } = await PullingPos.ofRestaurant(opened);
    const { pos: foreign } = await PullingPos.ofRestaurant(opened);
    const jobId = await restaurant.sell();
    const [event] = await pos.poll();
    if (!event) throw new Error('it is offered');
    await foreign.acknowledge(event);
    await pos.acknowledge({ ...event, eventType: 'CANCELLED' }, { ...event, eventId: restaurant.id });
    expect(await scenario.jobs.get(jobId)).toMatchObject({ status: 'PROCESSING' });
    await foreign.read(jobId).expect(404);
  });

  test('an order can be read while a job of it is open, and for 30 days after the sale; an erased one cannot (Q7, L264)', async () => {
    const { restaurant, pos } = await PullingPos.ofRestaurant(opened);
    const [open, old, erased] = [await restaurant.sell(), await restaurant.sell(), await restaurant.sell()];
    const events = await pos.poll();
    await pos.acknowledge(...events.filter(({ eventId }) => eventId !== open));
    const ages = (days: number) =>
      scenario.database.query(
        `UPDATE outbox_jobs SET created_at = now() - $2::int * interval '1 day' WHERE id = ANY ($1::uuid[])`,
        [[open, old], days],
      );
    await ages(29);
    await pos.read(old).expect(200);
    await ages(31);
    await pos.read(open).expect(200);
    await pos.read(old).expect(404);
    await pos.read(erased).expect(200);
    await scenario.database.query('SELECT erase_orders($1::uuid, ARRAY[$2::text], $3)', [
      restaurant.id,
      await scenario.keyOf(erased),
      'x',
    ]);
    await pos.read(erased).expect(404);
  });

  test('an order that cannot be read when it is acknowledged is parked: nobody knows whether the POS has it (Q5)', async () => {
    const { restaurant, pos } = await PullingPos.ofRestaurant(opened);
    const jobId = await restaurant.sell();
    const events = await pos.poll();
    await scenario.api.patch(`/restaurants/${restaurant.id}`, restaurant.token, { currency: null }).expect(200);
    await pos.read(jobId).expect(404);
    await pos.acknowledge(...events);
    expect(await scenario.jobs.get(jobId)).toMatchObject({
      status: 'DLQ',
      cause: 'unconfirmed',
      last_error: 'the POS acknowledged the event of an order that cannot be read: restaurant has no currency',
    });
  });

  test('codes that change while the POS has an order to read: it is SENT with a note, since the POS may have read the codes of before (Q5)', async () => {
    const { restaurant, pos } = await PullingPos.ofRestaurant(opened);
    const change = (change: string) =>
      scenario.database.query(`UPDATE restaurants SET ${change} WHERE id = $1::uuid`, [restaurant.id]);
    const noteOf = async (jobId: string) => {
      const [attempt] = await scenario.database.query<{ outcome: string; error: string | null }>(
        'SELECT outcome::text, error FROM delivery_attempts WHERE job_id = $1::uuid ORDER BY started_at DESC LIMIT 1',
        [jobId],
      );
      return attempt;
    };
    const note = {
      outcome: 'SENT',
      error:
        'codes, currency, store code or name of the restaurant changed while the POS had this order to read: it may have read the order as before the change',
    };
    for (const what of [
      `default_item_code = 'D-1'`,
      `currency = 'EUR'`,
      `code_store_pos = '1002'`,
      `name = 'another'`,
    ]) {
      const [jobId, events] = [await restaurant.sell(), await pos.poll()];
      await change(what);
      await pos.acknowledge(...events);
      expect(await noteOf(jobId)).toEqual(note);
    }

    // neither a setting that no order has, nor one that is set as it was
    const same = await restaurant.sell();
    const events = await pos.poll();
    await change(`timezone = 'Europe/Madrid', currency = 'EUR'`);
    await pos.acknowledge(...events);
    expect(await noteOf(same)).toEqual({ outcome: 'SENT', error: null });

    // nor a time that was written while the clock was ahead (O39)
    await change(`mapped_since = now() + interval '1 hour'`);
    const ahead = await restaurant.sell();
    await pos.acknowledge(...(await pos.poll()));
    expect(await noteOf(ahead)).toEqual({ outcome: 'SENT', error: null });

    // nor a change before the first offer
    const later = await restaurant.sell();
    await change(`default_item_code = 'D-2'`);
    await pos.acknowledge(...(await pos.poll()));
    expect(await noteOf(later)).toEqual({ outcome: 'SENT', error: null });
  });

  test('a delivered order is read as it was delivered, whatever the set-up says now (Q7)', async () => {
    const { restaurant, pos } = await PullingPos.ofRestaurant(opened);
    const jobId = await restaurant.sell();
    await pos.acknowledge(...(await pos.poll()));
    const before = (await pos.read(jobId).expect(200)).body;
    for (const currency of ['USD', null]) {
      await scenario.api.patch(`/restaurants/${restaurant.id}`, restaurant.token, { currency }).expect(200);
      expect((await pos.read(jobId).expect(200)).body).toEqual(before);
    }
  });

  test('the vendor is not changed while the POS of before may have an open order (Q14)', async () => {
    const { restaurant, pos } = await PullingPos.ofRestaurant(opened);
    const { id, token } = restaurant;
    const change = (posVendor: string | null) =>
      scenario.api.patch(`/restaurants/${id}`, token, { posVendor, codeStorePos: '1001' });
    const jobId = await restaurant.sell();
    await change(null).expect(200);
    await change('open-delivery').expect(200);
    const events = await pos.poll();
    expect((await change(null).expect(409)).body).toMatchObject({
      code: 'VENDOR_HAS_ORDERS',
      message: expect.stringContaining('1 order'),
    });
    await ended(jobId);
    await scenario.relay.reap();
    expect(await scenario.jobs.get(jobId)).toMatchObject({ status: 'PENDING' });
    await change(null).expect(409);
    await pos.acknowledge(...events);
    await change(null).expect(200);

    const second = await restaurant.sell();
    scenario.pos.behave({ mode: 'reset' });
    await scenario.relay.tick();
    scenario.pos.behave({ mode: 'ok' });
    expect(await scenario.jobs.attempts(second)).toMatchObject([{ reach: 'UNKNOWN' }]);
    await change('open-delivery').expect(409);
    await scenario.settle(second, 'SENT');
    await change('open-delivery').expect(200);
  });

  test('a cancel that the POS of before has not got is parked when the vendor is changed, and goes to no other POS (Q14)', async () => {
    const { restaurant, pos } = await PullingPos.ofRestaurant(opened);
    const { id, token } = restaurant;
    const change = (posVendor: string | null) =>
      scenario.api.patch(`/restaurants/${id}`, token, { posVendor, codeStorePos: '1002' });
    const cancelCalls = () => scenario.pos.requests.filter(({ path }) => path.includes('cancel'));
    const cancel = async (jobId: string) =>
      (await scenario.cancel(id, await scenario.keyOf(jobId), token).expect(202)).body.data.jobId as string;
    const delivered = await restaurant.sell();
    await pos.acknowledge(...(await pos.poll()));
    const ofDelivered = await cancel(delivered);
    const events = await pos.poll();
    expect(events).toMatchObject([{ eventType: 'CANCELLED' }]);
    await change(null).expect(409);
    await ended(ofDelivered);
    await scenario.relay.reap();
    // no POS has this one: its cancel needs none
    const ofWithdrawn = await cancel(await restaurant.sell());
    const { length: before } = cancelCalls();
    await change(null).expect(200);
    expect(await scenario.jobs.get(ofDelivered)).toMatchObject({ status: 'DLQ', cause: 'unconfirmed' });
    await scenario.settle(ofWithdrawn, 'SENT');

    // one that a POS did not answer waits for its retry
    const sent = await restaurant.sell();
    await scenario.settle(sent, 'SENT');
    scenario.pos.behave({ mode: 'reset' });
    const ofSent = await cancel(sent);
    await scenario.relay.tick();
    scenario.pos.behave({ mode: 'ok' });
    await change('open-delivery').expect(200);
    expect(await scenario.jobs.get(ofSent)).toMatchObject({ status: 'DLQ', cause: 'unconfirmed' });
    expect(await pos.poll()).toEqual([]);
    // the one that was not answered
    expect(cancelCalls()).toHaveLength(before + 1);
  });
});
