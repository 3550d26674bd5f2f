import { Evening } from '../../capabilities/alerts/evening.js';
import { CountedHours } from './counted-hours.js';

/** A Saturday, in the past of every run. */
const TODAY = '2025-06-14';
const at = (time: string, day = TODAY) => `${day}T${time}:00Z`;
const weeksAgo = (weeks: number, time: string) =>
  new Date(Date.parse(at(time)) - weeks * 604_800_000).toISOString().replace('.000Z', 'Z');
const ALL = [1, 2, 3, 4, 5, 6];

describe('a restaurant whose sales have stopped (G59, G60)', () => {
  const evening = Evening.ofSuite();
  const hours = new CountedHours(() => evening.scenario);
  let restaurant: Awaited<ReturnType<typeof evening.scenario.store>>;

  const query = <Row extends object>(sql: string, ...values: unknown[]) =>
    evening.scenario.database.query<Row>(sql, values);
  const sell = (times: readonly string[], of = { test: false, paid: 4250, mismatch: null as number | null }) =>
    query(
      `INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, payload, received_at, paid_cents, amount_mismatch_cents)
       SELECT key, key, $2, $3::uuid, '{}', at, $4, $5 FROM (SELECT gen_random_uuid()::text AS key, at FROM unnest($1::timestamptz[]) AS at) AS sale`,
      ...[times, of.test, restaurant.id, of.paid, of.mismatch],
    );
  /** Three sales in each of these hours, so many weeks ago. */
  const usually = (weeks: readonly number[], ...starts: string[]) =>
    sell(
      weeks.flatMap((week) =>
        starts.flatMap((start) => [40, 45, 59].map((minute) => weeksAgo(week, `${start}:${minute}`))),
      ),
    );
  const alerts = async () => {
    await evening.round();
    return (await evening.alerts()).filter(({ closed_at }) => closed_at === null).map(({ kind }) => kind);
  };
  const needs = async () =>
    (await evening.scenario.api.get(`/restaurants/${restaurant.id}/state`, restaurant.token).expect(200)).body.needs;
  const rhythm = async () =>
    (
      await query<{ counted_until: Date; usual_hour: Date | null; silent_since: Date | null }>(
        'SELECT * FROM sale_rhythms WHERE restaurant_id = $1::uuid',
        restaurant.id,
      )
    )[0];
  const counts = () =>
    query<{ hour: Date; sales: number }>(
      'SELECT hour, sales FROM sale_hours WHERE restaurant_id = $1::uuid ORDER BY hour',
      restaurant.id,
    );

  beforeEach(async () => {
    hours.differsMs = 0;
    restaurant = await evening.scenario.store();
    await query(`UPDATE restaurants SET created_at = '2024-01-01', timezone = 'Etc/UTC'`);
  });

  test('none for 60 minutes in a usual hour: an alert, and a line on Tonight with the last sale; the next sale closes it (G59, R67)', async () => {
    await usually(ALL, '20', '21');
    await sell([at('20:10'), at('20:20')]);
    await hours.rounds(at('20:01'), at('21:01'), at('21:19'));
    expect(await alerts()).toEqual([]);
    expect(await needs()).toEqual([]);
    await hours.round(at('21:20'));
    expect(await alerts()).toEqual(['SENDER_SILENT']);
    const [alert] = await evening.alerts();
    expect(alert).toMatchObject({ restaurant_id: restaurant.id, count: 0, details: { since: expect.any(String) } });
    const { body } = await evening.scenario.api
      .get(`/restaurants/${restaurant.id}/alerts`, restaurant.token)
      .expect(200);
    expect(body.data[0].title).toBe('No sale has come since Jun 14, 20:20, although there usually are some');
    expect(await needs()).toMatchObject([{ kind: 'SENDER_SILENT', count: 0, oldestAt: '2025-06-14T20:20:00.000Z' }]);
    await sell([at('21:30')]);
    expect(await needs()).toEqual([]);
    await evening.after(1);
    expect(await alerts()).toEqual([]);
    await hours.round(at('21:31'));
    expect((await rhythm())?.silent_since).toBeNull();
  });

  test('it lasts over the end of the usual hours, until a sale comes (G59)', async () => {
    await usually(ALL, '20', '21');
    await sell([at('20:00')]);
    await hours.rounds(at('20:01'), at('21:01'), at('22:01'), at('23:30'), at('12:00', '2025-06-15'));
    expect(await alerts()).toEqual(['SENDER_SILENT']);
    await sell([at('12:30', '2025-06-15')]);
    await hours.round(at('12:31', '2025-06-15'));
    expect((await rhythm())?.silent_since).toBeNull();
  });

  test('it ends a week after the last usual hour, without a sale (L249)', async () => {
    await usually(ALL, '20', '21');
    await sell([at('20:00')]);
    await hours.rounds(at('20:01'), at('21:01'), at('20:59', '2025-06-21'));
    expect(await alerts()).toEqual(['SENDER_SILENT']);
    // too late to say anything of this hour (L247)
    await hours.round(at('21:11', '2025-06-21'));
    expect((await rhythm())?.silent_since).toBeNull();
  });

  test.each([
    ['an hour after the close: it usually has none', ['20', '21'], ['21:01', '22:01', '22:40'], '21:30'],
    [
      'before the opening: the hour before usually has none',
      ['11', '12'],
      ['10:01', '11:01', '11:10', '11:59'],
      '00:10',
    ],
    ['sales in the last 60 minutes', ['20', '21'], ['20:01', '21:01', '21:30'], '20:31'],
  ])('%s: no alert (G59)', async (_when, usual, rounds, last) => {
    await usually(ALL, ...usual);
    await sell([at(last)]);
    await hours.rounds(...rounds.map((time) => at(time)));
    expect((await rhythm())?.silent_since).toBeNull();
    expect(await alerts()).toEqual([]);
  });

  test('an opening at 11:40: at 12:01 nothing has come since the day before, and 20 minutes usually have three sales (G59)', async () => {
    await usually(ALL, '11', '12');
    await sell([at('22:00', '2025-06-13')]);
    await hours.rounds(at('10:01'), at('11:01'), at('11:59'));
    expect(await alerts()).toEqual([]);
    await hours.round(at('12:01'));
    expect(await alerts()).toEqual(['SENDER_SILENT']);
  });

  test.each([
    ['four of the last five weeks, and a first sale five weeks ago', [1, 2, 4, 5], 21],
    ['three of the last five weeks', [1, 2, 5, 6], undefined],
    ['four weeks, and no sale before them', [1, 2, 3, 4], undefined],
  ])('%s (G59, L245)', async (_weeks, weeks, hour) => {
    await usually(weeks, '20', '21');
    await hours.rounds(at('20:01'), at('21:01'));
    expect((await rhythm())?.usual_hour?.getUTCHours()).toBe(hour);
  });

  test('two sales an hour are not usual; tests and refunds do not count; they end a silence (G59, G60)', async () => {
    const refund = { test: false, paid: 0, mismatch: -500 };
    for (const week of ALL)
      for (const hour of ['20', '21']) {
        await sell([weeksAgo(week, `${hour}:10`), weeksAgo(week, `${hour}:20`)]);
        await sell([weeksAgo(week, `${hour}:30`)], { test: true, paid: 100, mismatch: null });
        await sell([weeksAgo(week, `${hour}:40`)], refund);
      }
    await hours.rounds(at('20:01'), at('21:01'));
    expect(await rhythm()).toMatchObject({ usual_hour: null });
    expect((await counts()).every(({ sales: each }) => each === 2)).toBe(true);
    await query(`UPDATE sale_rhythms SET usual_hour = '${at('21:00')}', silent_since = '${at('19:00')}'`);
    await sell([at('21:10')], refund);
    await hours.round(at('21:15'));
    expect(await rhythm()).toMatchObject({ silent_since: null });
  });

  test('the relay was away for an hour or more, or counts late: nothing is said of this hour (G60)', async () => {
    await usually(ALL, '20', '21', '22');
    await hours.rounds(at('19:01'), at('21:01'));
    expect(await rhythm()).toMatchObject({ usual_hour: null });
    await hours.round(at('22:11'));
    expect(await rhythm()).toMatchObject({ usual_hour: null, counted_until: new Date(at('22:00')) });
  });

  test('what many hours leave for the next statement is never one hour (G60, L246)', async () => {
    await usually(ALL, '20', '21');
    // 37 hours: 24, then 13
    await hours.rounds(at('08:01', '2025-06-13'), at('21:01'));
    expect(await rhythm()).toMatchObject({ usual_hour: null, counted_until: new Date(at('21:00')) });
  });

  test('an hour is counted once by two instances, and a count that is repeated gives the same rows (G60)', async () => {
    await usually([1, 2], '20', '21');
    await Promise.all([hours.round(at('20:01')), hours.round(at('20:01'))]);
    const counted = await counts();
    expect(counted.map(({ hour, sales: each }) => `${hour.toISOString().slice(5, 13)} ${each}`)).toEqual([
      ...['05-31T20 3', '05-31T21 3', '06-07T20 3', '06-07T21 3'],
    ]);
    await query(`UPDATE sale_rhythms SET counted_until = '2025-05-20'`);
    await hours.round(at('20:02'));
    expect(await counts()).toEqual(counted);
  });

  test('of an hour its first 100 events are read; a sale that is stored while the hour ends is counted (L246, L247)', async () => {
    await hours.round(at('20:01'));
    await query(
      `INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, payload, received_at)
       SELECT 'M-' || n, 'M-' || n, false, $1::uuid, '{}', '${at('20:59')}' FROM generate_series(1, 150) n`,
      restaurant.id,
    );
    await hours.round('2025-06-14T21:00:29Z');
    expect(await counts()).toEqual([]);
    await hours.round('2025-06-14T21:00:30Z');
    expect(await counts()).toMatchObject([{ sales: 100 }]);
  });

  test('an hour is that of the clock of the restaurant: half hours, the hour that comes twice, and the one that is missing (G60)', async () => {
    const zone = (name: string) => query(`UPDATE restaurants SET timezone = '${name}'`);
    await zone('Asia/Kolkata');
    await sell([at('10:29'), at('10:31')]);
    await hours.round(at('12:01'));
    expect((await counts()).map(({ hour }) => hour.toISOString().slice(11, 16))).toEqual(['09:30', '10:30']);
    await query('DELETE FROM sale_hours; DELETE FROM sale_rhythms');
    // 01:30 twice on 2025-10-26, and not on 2025-03-30
    await zone('Europe/Lisbon');
    await sell(['2025-03-30T00:30:00Z', '2025-03-30T01:30:00Z', '2025-10-26T00:30:00Z', '2025-10-26T01:30:00Z']);
    await hours.round('2025-04-01T12:01:00Z');
    await hours.round('2025-10-26T12:01:00Z');
    expect((await counts()).map(({ hour }) => hour.toISOString().slice(5, 13))).toEqual([
      ...['03-30T00', '03-30T01', '10-26T00', '10-26T01'],
    ]);
  });

  test('the hour of the week is that of the clock on the wall, also when it was put forward since (G59)', async () => {
    await query(`UPDATE restaurants SET timezone = 'Europe/Lisbon'`);
    // 20:00 and 21:00 of Saturdays in Lisbon; the clock was put forward on 2025-03-30
    for (const day of ['2025-03-01', '2025-03-08', '2025-03-15', '2025-03-22', '2025-03-29'])
      for (const hour of ['20', '21']) await sell(['10', '20', '30'].map((minute) => at(`${hour}:${minute}`, day)));
    await hours.rounds(at('19:01', '2025-04-05'), at('20:01', '2025-04-05'));
    expect(await rhythm()).toMatchObject({ usual_hour: new Date(at('20:00', '2025-04-05')) });
  });

  test('the timezone was changed: its hours stay what they were (G60)', async () => {
    await usually(ALL, '20', '21');
    await hours.round(at('20:01'));
    await query(`UPDATE restaurants SET timezone = 'America/Sao_Paulo'`);
    await hours.round(at('21:01'));
    expect(await rhythm()).toMatchObject({ usual_hour: new Date(at('21:00')) });
    await query(`UPDATE restaurants SET timezone = 'Asia/Kolkata'`);
    await hours.rounds(at('21:31'), at('22:31'), at('23:31'));
    expect(await rhythm()).toMatchObject({ counted_until: new Date(at('23:30')) });
  });

  test('a deleted restaurant is neither counted nor silent; a new one begins with its first hour (G59, G60)', async () => {
    await usually(ALL, '20', '21');
    await sell([at('20:00')]);
    await hours.rounds(at('20:01'), at('21:01'));
    await query('UPDATE restaurants SET deleted_at = now()');
    expect(await alerts()).toEqual([]);
    await query(`UPDATE restaurants SET deleted_at = NULL, created_at = '${at('20:30')}'; DELETE FROM sale_rhythms`);
    await hours.round(at('20:40'));
    expect(await rhythm()).toMatchObject({ counted_until: new Date(at('20:00')) });
  });

  test('while the clocks differ nothing is counted, nobody becomes silent, and nothing is removed (S36)', async () => {
    await usually(ALL, '20', '21');
    await sell([at('20:00')]);
    for (const differs of [null, 400_000, -400_000]) {
      hours.differsMs = differs;
      await hours.rounds(at('20:01'), at('21:01'));
      expect(await rhythm()).toBeUndefined();
    }
    hours.differsMs = 0;
    await hours.rounds(at('20:01'), at('21:01'));
    hours.differsMs = null;
    await sell([at('21:05')]);
    await hours.round(at('21:06'));
    expect((await rhythm())?.silent_since).toEqual(new Date(at('20:00')));
    expect(await hours.removeOld('2026-01-01T00:00:00Z')).toBe(0);
  });

  test('times of the future, left by a clock that was ahead, neither raise an alert nor hide one (G59, S38)', async () => {
    await usually(ALL, '20', '21');
    await sell([at('20:00'), at('20:30', '2025-06-15')]);
    await hours.round(at('20:01'));
    await query(
      `UPDATE sale_rhythms SET counted_until = '${at('12:00', '2025-06-15')}', silent_since = now() + interval '1 day', usual_hour = '${at('22:00')}'`,
    );
    expect(await alerts()).toEqual([]);
    expect(await needs()).toEqual([]);
    await hours.round(at('20:02'));
    expect(await rhythm()).toMatchObject({ silent_since: null, counted_until: new Date(at('20:00')) });
    // counted again from the hour that has just ended
    await hours.round(at('21:01'));
    expect(await rhythm()).toMatchObject({
      counted_until: new Date(at('21:00')),
      usual_hour: new Date(at('21:00')),
      silent_since: new Date(at('20:00')),
    });
  });

  test('counts of 37 days ago are removed (L248, R58)', async () => {
    await usually(ALL, '20', '21');
    await hours.round(at('20:01'));
    const before = (await counts()).length;
    expect(before).toBe(10);
    expect(await hours.removeOld(at('20:30', '2025-06-16'))).toBe(1);
    expect(await hours.removeOld(at('20:30', '2025-06-16'))).toBe(0);
  });
});
