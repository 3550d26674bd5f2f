import { createHash } from 'node:crypto';
import { Scenario } from '../../support/scenario.js';
import { RestaurantDays, sealOf } from './restaurant-days.js';

const FRIDAY = '2026-11-20';
const SATURDAY = '2026-11-21';

describe('a business day is closed', () => {
  const scenario = Scenario.ofSuite();
  let days: RestaurantDays;

  beforeEach(async () => {
    days = await RestaurantDays.open(scenario, '2026-11-20T12:00:00Z');
  });

  test('it seals what was received before its end: counts and cents by state and tender, refunds, net and perpetual total (B1, B4)', async () => {
    await days.sold({ key: 'a', at: '2026-11-20T04:00:00Z', cents: 1_000 });
    await days.sold({ key: 'b', at: '2026-11-20T18:00:00Z', cents: 250, tender: '16', status: 'DLQ' });
    await days.sold({ key: 'c', at: '2026-11-21T03:59:59.999Z', cents: 70, status: 'PENDING' });
    await days.sold({ key: 'd', at: '2026-11-20T19:00:00Z', cents: 5, status: 'PENDING' });
    await days.cancelled('d', '2026-11-20T19:01:00Z');
    await days.sold({ key: 'e', at: '2026-11-20T20:00:00Z', cents: -300, status: 'DLQ' });
    await days.sold({ key: 'test', at: '2026-11-20T20:00:00Z', cents: 9_999, testMode: true });
    await days.sold({ key: 'next', at: '2026-11-21T04:00:00Z', cents: 40 });
    const friday = await days.closed(FRIDAY);
    expect(friday).toMatchObject({
      ...{ number: 1, day: FRIDAY, beginsAt: '2026-11-20T04:00:00.000Z', endsAt: '2026-11-21T04:00:00.000Z' },
      ...{ timezone: 'UTC', dayClosesAt: '04:00', currency: null, closedByRelay: false, previous: '' },
      ...{
        sales: { count: 4, cents: 1_325 },
        refunds: { count: 1, cents: -300 },
        perpetualCents: 1_025,
      },
      ...{ takenCents: 1_320, cancelledCents: 5, refundedCents: 300, netCents: 1_020 },
      counts: { sales: 3, refunds: 1, tests: null, cancelled: 1 },
      states: {
        delivered: { count: 1, cents: 1_000 },
        parked: { count: 1, cents: 250 },
        waiting: { count: 1, cents: 70 },
        cancelled: { count: 1, cents: 5 },
      },
      tenders: [
        { tenderType: '1', count: 3, cents: 1_075 },
        { tenderType: '16', count: 1, cents: 250 },
      ],
      undelivered: [
        { transactionKey: 'b', state: 'parked', cents: 250 },
        { transactionKey: 'c', state: 'waiting', cents: 70 },
      ],
      lines: [],
    });
    expect(await days.closed(SATURDAY)).toMatchObject({
      number: 2,
      netCents: 40,
      perpetualCents: 1_065,
      previous: friday.hash,
    });
  });

  test('the hash is SHA-256 over relay-day-1, the hash before and the canonical JSON; that of sales and lines over their rows (B4)', async () => {
    const key = 'é"\\\u0001\u2028\n😀';
    await days.sold({ key, at: '2026-11-20T18:00:00.120Z', cents: 250, status: 'PENDING' });
    await days.closed(FRIDAY);
    await scenario.database.query(
      `UPDATE outbox_jobs SET status = 'DLQ', resolved_at = '2026-11-21T10:00:00Z', next_run_at = NULL WHERE restaurant_id = $1`,
      [days.id],
    );
    await days.closed(SATURDAY);
    const [friday, saturday] = await days.rows();
    const hash = (previous: string, content: string) =>
      createHash('sha256').update(`relay-day-1\n${previous}\n${content}`).digest('hex');
    expect(friday?.hash).toBe(hash('', friday?.content as string));
    expect(saturday?.hash).toBe(hash(friday?.hash as string, saturday?.content as string));
    expect(JSON.parse(friday?.content as string)).toMatchObject({
      salesHash: sealOf([[key, 'SALE', 250, 'waiting', '2026-11-20T18:00:00.120Z']]),
      linesHash: sealOf([]),
    });
    const [[, , kind]] = (await days.lines()) as [[string, string, string, string, number]];
    expect(JSON.parse(saturday?.content as string).linesHash).toBe(sealOf([[SATURDAY, FRIDAY, kind, key, 250]]));
    // strings and integers only, and the keys in one order
    expect(Object.keys(JSON.parse(friday?.content as string))).toEqual(
      Object.keys(JSON.parse(saturday?.content as string)),
    );
    expect(friday?.content.replaceAll(/"[^"]*"/g, '')).toMatch(/^[{}[\],:\d-]*$/);
  });

  test('a day that is closed, not over, or not the next is a 409; of a day that is not closed nothing is read (B2, B9)', async () => {
    expect((await days.close(SATURDAY).expect(409)).body).toMatchObject({
      code: 'DAY_NOT_NEXT',
      message: /2026-11-20/,
    });
    expect((await days.close('2026-11-19').expect(409)).body).toMatchObject({ code: 'DAY_CLOSED' });
    await days.get(`/${FRIDAY}`).expect(404);
    await days.closed(FRIDAY);
    expect((await days.close(FRIDAY).expect(409)).body).toMatchObject({ code: 'DAY_CLOSED' });
    await scenario.database.query(`UPDATE restaurants SET days_since = now() WHERE id = $1`, [days.id]);
    const today = await RestaurantDays.open(scenario, new Date().toISOString());
    const { open } = (await today.get().expect(200)).body;
    expect(open).toMatchObject({ isOver: false, sales: { count: 0, cents: 0 } });
    expect((await today.close(open.day).expect(409)).body).toMatchObject({ code: 'DAY_NOT_OVER' });
    await days.close('2026-02-30').expect(400);
    await days.close('yesterday').expect(400);
  });

  test('what happens later stands on the day on which it happens: late, delivered, cancelled, settled by hand (B5, L80)', async () => {
    for (const key of ['deliver', 'cancel', 'settle', 'wait'])
      await days.sold({ key, at: '2026-11-20T18:00:00Z', status: 'DLQ' });
    await days.sold({ key: 'given-back', at: '2026-11-20T18:00:00Z', cents: 700 });
    await days.closed(FRIDAY);
    await days.sold({ key: 'of-friday', at: '2026-11-21T12:00:00Z', soldAt: '2026-11-20T23:00:00Z', cents: 11 });
    await days.sold({ key: 'too-old', at: '2026-11-21T12:00:00Z', soldAt: '2026-01-20T23:00:00Z' });
    await days.sold({ key: 'in-flight', at: '2026-11-21T03:59:59.999Z', cents: 13 });
    await days.cancelled('cancel', '2026-11-21T12:00:00Z');
    await days.cancelled('given-back', '2026-11-21T12:00:00Z');
    await scenario.database.query(
      `UPDATE outbox_jobs SET resolved_at = '2026-11-21T13:00:00Z' WHERE event_key = 'settle' AND restaurant_id = $1`,
      [days.id],
    );
    // on Sunday, before Saturday is closed
    await days.delivered('deliver', '2026-11-22T05:00:00Z');
    expect(await days.closed(SATURDAY)).toMatchObject({ sales: { count: 3, cents: 124 }, linesCount: 5 });
    await days.closed('2026-11-22');
    await days.closed('2026-11-23').catch(() => {});
    expect(await days.lines()).toEqual([
      [SATURDAY, FRIDAY, 'LATE', 'in-flight', 13],
      [SATURDAY, FRIDAY, 'LATE', 'of-friday', 11],
      [SATURDAY, FRIDAY, 'CANCELLED', 'cancel', 100],
      [SATURDAY, FRIDAY, 'CANCELLED', 'given-back', 700],
      [SATURDAY, FRIDAY, 'NOTE', 'settle', 100],
      ['2026-11-22', FRIDAY, 'DELIVERED', 'deliver', 100],
    ]);
  });

  test('a sale that was settled by hand before the close has the state resolved, and no line until it moves again (B1, B5, R41)', async () => {
    const settle = (key: string) =>
      scenario.database.query(
        `UPDATE outbox_jobs SET resolved_at = '2026-11-20T19:00:00Z' WHERE event_key = $1 AND restaurant_id = $2`,
        [key, days.id],
      );
    await days.sold({ key: 'entered', at: '2026-11-20T18:00:00Z', cents: 250, status: 'DLQ' });
    await days.sold({ key: 'parked', at: '2026-11-20T18:01:00Z', cents: 70, status: 'DLQ' });
    await settle('entered');
    expect(await days.closed(FRIDAY)).toMatchObject({
      takenCents: 320,
      states: {
        ...{ resolved: { count: 1, cents: 250 }, parked: { count: 1, cents: 70 } },
        ...{ waiting: { count: 0, cents: 0 }, delivered: { count: 0, cents: 0 } },
      },
      undelivered: [{ transactionKey: 'parked', state: 'parked', cents: 70 }],
    });
    expect((await days.closed(SATURDAY)).states.resolved).toEqual({ count: 0, cents: 0 });
    expect(await days.lines()).toEqual([]);
    await days.delivered('entered', '2026-11-22T10:00:00Z');
    await days.closed('2026-11-22');
    expect(await days.lines()).toEqual([['2026-11-22', FRIDAY, 'DELIVERED', 'entered', 250]]);
    expect(await days.check()).toMatchObject({ days: 3, firstBroken: null });
    // a closing without such a sale is written as versions before wrote it
    const [, saturday] = await days.rows();
    expect(Object.keys(JSON.parse(saturday?.content as string).states)).not.toContain('resolved');
  });

  test('an order that its POS refuses after the day was closed is reported when it is settled by hand (B5, Q16)', async () => {
    await days.sold({ key: 'refused', at: '2026-11-20T18:00:00Z' });
    await days.closed(FRIDAY);
    await scenario.database.query(
      `WITH said AS (
         INSERT INTO pos_acceptances (id, restaurant_id, job_id, offer, state, offered_as)
         SELECT gen_random_uuid(), restaurant_id, id, 0, 'REFUSED', gen_random_uuid() FROM outbox_jobs WHERE restaurant_id = $1 AND event_key = 'refused'
         RETURNING job_id)
       UPDATE outbox_jobs SET status = 'DLQ', cause = 'refused', updated_at = '2026-11-21T12:00:00Z' FROM said WHERE id = job_id`,
      [days.id],
    );
    await days.closed(SATURDAY);
    expect(await days.lines()).toEqual([]);
    await scenario.database.query(
      `UPDATE outbox_jobs SET resolved_at = '2026-11-22T10:00:00Z' WHERE restaurant_id = $1 AND event_key = 'refused'`,
      [days.id],
    );
    await days.closed('2026-11-22');
    expect(await days.lines()).toEqual([['2026-11-22', FRIDAY, 'NOTE', 'refused', 100]]);
    expect(await days.check()).toMatchObject({ days: 3, firstBroken: null });
  });

  test('a cancel that the POS refuses is reported as delivered again (B5)', async () => {
    await days.sold({ key: 'a', at: '2026-11-20T18:00:00Z' });
    await days.closed(FRIDAY);
    await days.cancelled('a', '2026-11-21T12:00:00Z', 'PENDING');
    await days.closed(SATURDAY);
    await scenario.database.query(
      `UPDATE outbox_jobs SET status = 'DLQ', next_run_at = NULL, updated_at = '2026-11-22T10:00:00Z'
       WHERE restaurant_id = $1 AND action = 'CANCEL'`,
      [days.id],
    );
    await days.closed('2026-11-22');
    expect((await days.lines()).map(([on, , kind]) => [on, kind])).toEqual([
      [SATURDAY, 'CANCELLED'],
      ['2026-11-22', 'DELIVERED'],
    ]);
  });

  test('two closings at once: one (B3)', async () => {
    await days.sold({ key: 'a', at: '2026-11-20T18:00:00Z' });
    const answers = await Promise.all(Array.from({ length: 6 }, () => days.close(FRIDAY)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
    expect(await days.rows()).toHaveLength(1);
  });

  test('closed rows are never changed or removed, by any writer (B6)', async () => {
    await days.sold({ key: 'a', at: '2026-11-20T18:00:00Z', status: 'PENDING' });
    await days.closed(FRIDAY);
    await days.cancelled('a', '2026-11-21T12:00:00Z');
    await days.closed(SATURDAY);
    for (const table of ['business_days', 'day_sales', 'day_lines'])
      for (const change of [`UPDATE ${table} SET number = number`, `DELETE FROM ${table}`, `TRUNCATE ${table}`])
        await expect(scenario.database.query(change)).rejects.toThrow(/never changed or removed/);
    expect(await days.check()).toMatchObject({ days: 2, firstBroken: null });
  });

  test('a page of days, the open day, the head; who closed it is audited (B9)', async () => {
    for (const day of [FRIDAY, SATURDAY]) await days.closed(day);
    await days.sold({ key: 'late', at: '2026-11-20T18:00:00Z', cents: 3 });
    await days.sold({ key: 'a', at: '2026-11-22T18:00:00Z', cents: 30 });
    const first = (await days.get('?limit=1').expect(200)).body;
    const [, saturday] = await days.rows();
    expect(first).toMatchObject({
      data: [{ day: SATURDAY, number: 2 }],
      meta: { limit: 1, next: SATURDAY },
      open: { day: '2026-11-22', beginsAt: '2026-11-22T04:00:00.000Z', sales: { count: 2, cents: 33 }, netCents: 33 },
      head: { number: 2, day: SATURDAY, hash: saturday?.hash },
    });
    const second = (await days.get(`?limit=1&after=${first.meta.next}`).expect(200)).body;
    expect(second).toMatchObject({ data: [{ day: FRIDAY }], meta: { next: null }, open: null });
    const audit = (await scenario.api.get(`/restaurants/${days.id}/audit?action=day.closed`, days.token).expect(200))
      .body;
    expect(audit.data).toMatchObject([
      { target: SATURDAY, details: { number: 2, hash: saturday?.hash } },
      { target: FRIDAY, details: { number: 1 } },
    ]);
  });

  test('an answer has the first 100 sales that the POS did not have (L82)', async () => {
    for (let i = 0; i < 101; i++) await days.sold({ key: `sale-${i}`, at: '2026-11-20T18:00:00Z', status: 'FAILED' });
    const { undelivered, states } = await days.closed(FRIDAY);
    expect([undelivered.length, states.waiting.count]).toEqual([100, 101]);
  });

  test('retention keeps a sale until its day is closed and its final state is recorded (B3)', async () => {
    const { Retention } = await import('../../../src/outbox/retention.js');
    const relay = await scenario.start({ OUTBOX_RETENTION_DAYS: '1' });
    await days.sold({ key: 'a', at: '2026-11-20T18:00:00Z' });
    const spent = () => scenario.database.query('SELECT FROM spent_keys WHERE restaurant_id = $1', [days.id]);
    await relay.get(Retention).remove();
    expect(await spent()).toHaveLength(0);
    await days.closed(FRIDAY);
    await relay.get(Retention).remove();
    expect(await spent()).toHaveLength(1);
    await relay.close();
  });
});
