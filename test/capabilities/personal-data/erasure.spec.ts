import pg from 'pg';
import { readTicket, ticketText } from '../../../src/capabilities/tickets/rules/ticket.js';
import { Retention } from '../../../src/outbox/retention.js';
import { TURN_OF_REFUSED } from '../../../src/webhook/refused-sales/refused-sales.js';
import { sale } from '../../support/client.js';
import { NEEDS_SERVER, untilWaiting, whereServer } from '../../support/database.js';
import { TERMINAL_TOKEN } from '../../support/environment.js';
import { type Caller, Scenario } from '../../support/scenario.js';

const NAME = 'Maria Aparecida';

describe('erasing the content of sales', () => {
  const scenario = Scenario.ofSuite({ RESEND: 'restaurants', OUTBOX_RETENTION_DAYS: '30' });
  let id: string;
  let owner: Caller;
  let code: string;
  let stores = 0;

  beforeEach(async () => {
    code = `ERASE-${++stores}`;
    ({ id, owner } = await scenario.restaurant(code));
    await scenario.database.query(`UPDATE restaurants SET code_store_pos = '1001' WHERE id = $1`, [id]);
  });

  const personal = (changes: object = {}) =>
    sale({
      ...{ storeCode: code, customer: { name: NAME }, note: `for ${NAME}` },
      items: [{ itemCode: 'PZ-01', itemName: `Pizza ${NAME}`, quantity: 2, price: 39.9, note: NAME }],
      ...changes,
    });
  const post = (transaction: object) => scenario.api.post('/webhooks/terminal', TERMINAL_TOKEN, transaction);
  const sell = async (changes: object = {}) => (await post(personal(changes)).expect(200)).body.jobId as string;
  const pathOf = async (job: string) => `/restaurants/${id}/orders/${encodeURIComponent(await scenario.keyOf(job))}`;
  const order = async (job: string) => (await scenario.api.get(await pathOf(job), owner.token).expect(200)).body;
  const erase = async (job: string, token = owner.token) => scenario.api.post(`${await pathOf(job)}/erase`, token, {});
  const eraseOld = (body: object = {}) => scenario.api.post(`/restaurants/${id}/parked/erase`, owner.token, body);
  const everything = async () =>
    JSON.stringify(
      await scenario.database.query(
        `SELECT event::text, job::text, (SELECT json_agg(attempt)::text FROM delivery_attempts attempt WHERE job_id = job.id) AS attempts
         FROM terminal_events event JOIN outbox_jobs job ON event_key = transaction_key AND job.restaurant_id = event.restaurant_id
         WHERE event.restaurant_id = $1`,
        [id],
      ),
    );
  const audited = async (action: string) =>
    (await scenario.api.get(`/restaurants/${id}/audit?action=${action}`, owner.token).expect(200)).body.data;
  const takings = async () => {
    const [from, to] = [-5, 5].map((days) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10));
    const query = `from=${from}&to=${to}`;
    return (await scenario.api.get(`/restaurants/${id}/takings.csv?${query}`, owner.token).expect(200)).text;
  };
  /** so long ago was it received, and did its jobs change last */
  async function aged(job: string, days: number): Promise<string> {
    const key = await scenario.keyOf(job);
    await scenario.database.query(
      `UPDATE terminal_events SET received_at = now() - $2::int * interval '1 day' WHERE transaction_key = $1`,
      [key, days],
    );
    await scenario.database.query(
      `UPDATE outbox_jobs SET updated_at = now() - $2::int * interval '1 day' WHERE event_key = $1`,
      [key, days],
    );
    return job;
  }

  test('the warnings of a sale quote its items: they are gone with them (W40, I17)', async () => {
    const catalogue = 'code;name\nP-1;Pizza';
    await scenario.api.put(`/restaurants/${id}/catalogue`, owner.token).type('text/csv').send(catalogue).expect(200);
    const items = [{ itemCode: `for ${NAME}`, itemName: 'Cake', quantity: 1, price: 39.9 }];
    const warned = async () => (await post(personal({ items })).expect(200)).body;
    let { warnings, jobId } = await warned();
    // the first sale after a change has none (I16)
    await scenario.jobs.until(async () => {
      ({ warnings, jobId } = await warned());
      return warnings !== undefined;
    });
    expect(warnings).toEqual([expect.stringContaining(NAME)]);
    await scenario.settle(jobId, 'SENT');
    expect((await erase(jobId)).status).toBe(200);
    expect((await order(jobId)).warnings).toEqual([]);
    const [stored] = await scenario.database.query(
      'SELECT event::text AS row FROM terminal_events event WHERE transaction_key = $1',
      [await scenario.keyOf(jobId)],
    );
    expect(stored?.row).not.toContain(NAME);
  });

  test('a delivered sale: its content is gone, its amounts, times and keys stay, and a repeat is a duplicate (W40)', async () => {
    const transaction = personal();
    const { jobId } = (await post(transaction).expect(200)).body;
    await scenario.relay.tick();
    const before = await order(jobId);
    expect(before).toMatchObject({ state: 'delivered', sent: true, erased: null, hidden: [] });
    expect(await everything()).toContain(NAME);
    const sold = await takings();
    const { status, body } = await erase(jobId);
    expect([status, body]).toEqual([
      200,
      { message: 'the content of the sale is erased', data: { at: expect.any(String), by: owner.email } },
    ]);
    const after = await order(jobId);
    const { at } = body.data;
    const { history, ...job } = before.jobs[0];
    expect(after).toEqual({
      ...before,
      erased: { at, by: owner.email },
      event: {
        ...{ erased: true, transactionNumber: transaction.transactionNumber, totalAmount: 79.8 },
        items: [{ quantity: 2, price: 39.9 }],
        payments: [{ tenderType: 16, amount: 79.8 }],
      },
      ...{ order: null, sent: false, unmappable: 'its content was erased' },
      jobs: [{ ...job, history: history.map((attempt: object) => ({ ...attempt, error: null })) }],
    });
    expect(await everything()).not.toContain(NAME);
    expect(await takings()).toBe(sold);
    const { body: repeat } = await post(transaction).expect(400);
    expect(repeat).toMatchObject({ code: 'DUPLICATE_TRANSACTION', jobId });
    expect(await audited('order.erased')).toEqual([
      expect.objectContaining({ target: transaction.transactionKey, actorEmail: owner.email, details: {} }),
    ]);
    expect(JSON.stringify(scenario.relay.logged)).not.toContain(NAME);
  });

  test('again: the answer is the first erasure, and nothing is audited (W40)', async () => {
    const job = await sell();
    await scenario.relay.tick();
    const first = (await erase(job)).body;
    expect((await erase(job)).body).toEqual({ ...first, message: 'the content of the sale was erased before' });
    expect(await audited('order.erased')).toHaveLength(1);
  });

  test('an order on its way is refused, and keeps its content; so is one whose cancel waits (W40)', async () => {
    const job = await sell();
    for (const status of ['PENDING', 'FAILED', 'PROCESSING']) {
      await scenario.database.query(
        `UPDATE outbox_jobs SET status = $2::job_status, processing_at = CASE WHEN $2 = 'PROCESSING' THEN now() END,
                locked_by = CASE WHEN $2 = 'PROCESSING' THEN 'other/' || gen_random_uuid() END WHERE id = $1`,
        [job, status],
      );
      expect(await erase(job)).toMatchObject({ status: 409, body: { code: 'ORDER_UNDER_WAY' } });
    }
    expect((await order(job)).event.note).toContain(NAME);
    const sent = await sell();
    await scenario.relay.tick();
    await scenario.api.post(`${await pathOf(sent)}/cancel`, owner.token).expect(202);
    expect((await erase(sent)).status).toBe(409);
    await scenario.relay.tick();
    expect((await erase(sent)).status).toBe(200);
    expect((await order(sent)).state).toBe('cancelled');
  });

  test('only an OWNER; another restaurant has no such order (W40)', async () => {
    const job = await sell();
    await scenario.relay.tick();
    for (const role of ['ADMIN', 'MANAGER', 'EMPLOYEE', 'VIEWER'] as const)
      expect((await erase(job, (await scenario.staff(id, role)).token)).status).toBe(403);
    const other = await scenario.restaurant();
    const path = `/restaurants/${other.id}/orders/${encodeURIComponent(await scenario.keyOf(job))}/erase`;
    await scenario.api.post(path, other.owner.token, {}).expect(404);
    expect((await order(job)).erased).toBeNull();
  });

  test('the note of who entered it in the till by hand is gone, too; an OWNER whom the restaurant does not see is no email (W40, R65, A30)', async () => {
    const job = await scenario.settle(await sell(), 'DLQ', 'unknown product X1');
    const hidden = await scenario.staff(id, 'OWNER');
    await scenario.database.query(
      'UPDATE user_restaurants SET by_id = true, accepted_at = NULL WHERE user_id = $1 AND restaurant_id = $2',
      [hidden.id, id],
    );
    const entered = await scenario.api.post(`${await pathOf(job)}/entered`, hidden.token, { note: `for ${NAME}` });
    expect(entered.status).toBe(202);
    expect(await order(job)).toMatchObject({ enteredBy: null, enteredNote: `for ${NAME}` });
    expect((await erase(job, hidden.token)).body.data.by).toBe(hidden.id);
    const after = await order(job);
    expect(after).toMatchObject({ enteredAt: expect.any(String), enteredNote: null, erased: { by: hidden.id } });
    expect(JSON.stringify(after)).not.toContain(hidden.email);
  });

  test('a parked order: neither its error nor its attempts quote the sale; it is not sent again (W40)', async () => {
    const job = await scenario.settle(await sell(), 'DLQ', `unknown product Pizza ${NAME}`);
    expect((await erase(job)).status).toBe(200);
    expect(await everything()).not.toContain(NAME);
    expect((await order(job)).jobs[0]).toMatchObject({
      ...{ status: 'DLQ', cause: 'refused', lastError: 'the content of this sale was erased' },
    });
    const refused = await scenario.api.post(`${await pathOf(job)}/resend`, owner.token);
    expect(refused).toMatchObject({ status: 409, body: { code: 'ORDER_ERASED' } });
    // an operator's reset by a plain UPDATE, past reset_jobs() (W42)
    await scenario.database.query(`UPDATE outbox_jobs SET status = 'PENDING', next_run_at = now() WHERE id = $1`, [
      job,
    ]);
    const requests = scenario.pos.requests.length;
    await scenario.relay.tick();
    expect((await order(job)).jobs[0]).toMatchObject({
      ...{ status: 'DLQ', cause: 'unmappable', lastError: 'cannot be mapped: its content was erased' },
    });
    expect(scenario.pos.requests.slice(requests)).toEqual([]);
  });

  test('of options, tip and fee the numbers stay, also of options of options (W40, M18, M20)', async () => {
    const deep = { itemCode: NAME, quantity: 3, price: '1', options: [] };
    const option = { itemName: NAME, quantity: 2, price: 1.5, notes: NAME, options: [deep, NAME, 7] };
    const items = [
      { itemCode: 'A', itemName: NAME, quantity: 1, price: 10, notes: NAME, options: [option] },
      { options: NAME },
    ];
    const payments = [{ tenderType: 16, amount: 15, authorizationCode: NAME, terminalId: NAME }];
    const job = await sell({ notes: NAME, tipAmount: 2, serviceFeeAmount: NAME, items, payments });
    await scenario.relay.tick();
    await erase(job).then(({ status }) => expect(status).toBe(200));
    expect((await order(job)).event).toMatchObject({
      ...{ erased: true, tipAmount: 2, payments: [{ tenderType: 16, amount: 15 }] },
      items: [
        {
          quantity: 1,
          price: 10,
          options: [{ quantity: 2, price: 1.5, options: [{ quantity: 3, options: [] }, {}, {}] }],
        },
        {},
      ],
    });
    expect(await everything()).not.toContain(NAME);
    expect(
      await scenario.database.query(
        `SELECT tip_cents::int, service_fee_cents FROM terminal_events WHERE restaurant_id = $1`,
        [id],
      ),
    ).toEqual([{ tip_cents: 200, service_fee_cents: null }]);
  });

  test('a payload of any shape can be erased, and a terminal cannot send one that reads as erased (W40)', async () => {
    const odd = {
      items: [{}, { price: NAME, quantity: [NAME] }],
      payments: [{ amount: NAME, tenderType: { of: NAME } }],
    };
    for (const changes of [odd, { items: null, payments: null, totalAmount: NAME }, { erased: true }]) {
      const job = await sell({ transactionNumber: { of: 'x' }, ...changes });
      await scenario.relay.tick();
      const { event, unmappable } = await order(job);
      expect(event.transactionKey).toBe(await scenario.keyOf(job));
      expect(unmappable).not.toBe('its content was erased');
      expect((await erase(job)).status).toBe(200);
    }
    expect(await everything()).not.toContain(NAME);
  });

  test('old parked and withdrawn orders lose their content when a person says yes, others never (W41)', async () => {
    const parked = await aged(await scenario.settle(await sell(), 'DLQ', 'no'), 31);
    const resolved = await scenario.settle(await sell(), 'DLQ', 'no');
    await scenario.database.query('UPDATE outbox_jobs SET resolved_at = now() WHERE id = $1', [resolved]);
    await aged(resolved, 40);
    const withdrawn = await sell();
    await scenario.api.post(`${await pathOf(withdrawn)}/cancel`, owner.token).expect(202);
    await scenario.relay.tick();
    expect((await order(withdrawn)).state).toBe('cancelled');
    await aged(withdrawn, 31);
    const young = await aged(await scenario.settle(await sell(), 'DLQ', 'no'), 29);
    const waiting = await aged(await sell(), 50);
    const another = await scenario.restaurant(`OTHER-${stores}`);
    const foreign = await aged(await scenario.settle(await another.sell(), 'DLQ', 'no'), 50);
    await scenario.relay.get(Retention).remove();
    const counted = { message: '3 orders would be erased', data: { days: 30, matched: 3, erased: 0 } };
    expect((await eraseOld({ dryRun: true }).expect(200)).body).toEqual(counted);
    expect((await order(parked)).erased).toBeNull();
    expect((await eraseOld().expect(200)).body.data).toEqual({ days: 30, matched: 3, erased: 3 });
    for (const job of [parked, resolved, withdrawn])
      expect((await order(job)).erased).toMatchObject({ by: owner.email });
    for (const job of [young, waiting]) expect((await order(job)).erased).toBeNull();
    const [event] = await scenario.database.query('SELECT erased_at FROM terminal_events WHERE transaction_key = $1', [
      await scenario.keyOf(foreign),
    ]);
    expect(event).toEqual({ erased_at: null });
    expect((await eraseOld().expect(200)).body.data).toEqual({ days: 30, matched: 0, erased: 0 });
    expect(await audited('orders.erased')).toEqual([expect.objectContaining({ details: { erased: 3, days: 30 } })]);
  });

  test('without a retention, orders are old after 365 days (L87)', async () => {
    const relay = await scenario.start({ OUTBOX_RETENTION_DAYS: '0' });
    await aged(await scenario.settle(await sell(), 'DLQ', 'no'), 364);
    await aged(await scenario.settle(await sell(), 'DLQ', 'no'), 366);
    const { body } = await relay.api.post(`/restaurants/${id}/parked/erase`, owner.token, { dryRun: true }).expect(200);
    expect(body.data).toEqual({ days: 365, matched: 1, erased: 0 });
  });

  test('a ticket says that the content was erased, under the number of the sale (W40)', () => {
    const { transactionNumber } = personal();
    const payload = { erased: true, transactionNumber, items: [{ quantity: 2, price: 1 }], payments: [{ amount: 2 }] };
    const text = ticketText(readTicket(payload, new Date()), { width: 32, timezone: 'UTC', isRepeat: false });
    expect(text).toContain(`# ${[...String(transactionNumber)].join(' ')}`);
    expect(text).toContain('its content was erased');
    expect(text).not.toContain('undefined');
  });

  whereServer(
    `another sale under the key that arrives during the erasure leaves no content (W40, W46)${NEEDS_SERVER}`,
    async () => {
      const job = await sell({ transactionKey: 'MEANWHILE' });
      const key = await scenario.keyOf(job);
      await scenario.settle(job, 'SENT');
      const eraser = new pg.Client({ connectionString: scenario.database.url });
      await eraser.connect();
      try {
        await eraser.query('BEGIN');
        // the other sale has been compared with the stored one, and waits to be kept
        await eraser.query('SELECT pg_advisory_xact_lock($1)', [TURN_OF_REFUSED]);
        const answer = post(personal({ transactionKey: 'MEANWHILE', totalAmount: 1 })).then(({ body }) => body);
        await untilWaiting(scenario.database);
        await eraser.query(`SELECT erase_orders($1, ARRAY[$2], 'test')`, [id, key]);
        await eraser.query('COMMIT');
        expect(await answer).toMatchObject({ code: 'TRANSACTION_KEY_REUSED' });
      } finally {
        await eraser.end();
      }
      const kept = await scenario.database.query<{ row: string }>(
        'SELECT refused::text AS row FROM refused_sales refused WHERE restaurant_id = $1',
        [id],
      );
      expect([kept.length, kept[0]?.row.includes(NAME)]).toEqual([1, false]);
    },
  );
});
