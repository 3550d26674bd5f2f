import { Scenario } from '../../support/scenario.js';
import { soldAt } from './sold-at.js';

const SAO_PAULO = 'America/Sao_Paulo';
const BERLIN = 'Europe/Berlin';

describe('business days (R15, R16)', () => {
  const scenario = Scenario.ofSuite();

  test.each([
    ['São Paulo, closing 04:00', SAO_PAULO, '04:00', '2026-11-20', '2026-11-20T07:00:00Z', '2026-11-21T07:00:00Z'],
    ['Berlin in winter', BERLIN, '00:00', '2026-11-20', '2026-11-19T23:00:00Z', '2026-11-20T23:00:00Z'],
    ['Kathmandu', 'Asia/Kathmandu', '04:00', '2026-11-20', '2026-11-19T22:15:00Z', '2026-11-20T22:15:00Z'],
    ['Berlin, 23 hours', BERLIN, '00:00', '2026-03-29', '2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z'],
    ['Berlin, 25 hours', BERLIN, '00:00', '2026-10-25', '2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z'],
    ['Berlin, 04:00, 23 hours', BERLIN, '04:00', '2026-03-28', '2026-03-28T03:00:00Z', '2026-03-29T02:00:00Z'],
    ['Berlin, 04:00, the day after', BERLIN, '04:00', '2026-03-29', '2026-03-29T02:00:00Z', '2026-03-30T02:00:00Z'],
    ['Berlin, 04:00, 25 hours', BERLIN, '04:00', '2026-10-24', '2026-10-24T02:00:00Z', '2026-10-25T03:00:00Z'],
    ['Berlin, 04:00, the day after', BERLIN, '04:00', '2026-10-25', '2026-10-25T03:00:00Z', '2026-10-26T03:00:00Z'],
    ['Berlin, 02:30, shown twice', BERLIN, '02:30', '2026-10-24', '2026-10-24T00:30:00Z', '2026-10-25T01:30:00Z'],
    ['Berlin, 02:30, skipped', BERLIN, '02:30', '2026-03-28', '2026-03-28T01:30:00Z', '2026-03-29T01:30:00Z'],
    ['São Paulo, midnight skipped', SAO_PAULO, '00:00', '2018-11-04', '2018-11-04T03:00:00Z', '2018-11-05T02:00:00Z'],
    ['São Paulo, 25 hours', SAO_PAULO, '00:00', '2018-02-17', '2018-02-17T02:00:00Z', '2018-02-18T03:00:00Z'],
    ['São Paulo, 04:00, 23 hours', SAO_PAULO, '04:00', '2018-11-03', '2018-11-03T07:00:00Z', '2018-11-04T06:00:00Z'],
    ['São Paulo, 04:00, 25 hours', SAO_PAULO, '04:00', '2018-02-17', '2018-02-17T06:00:00Z', '2018-02-18T07:00:00Z'],
  ])('%s: day, from and to, and byDay agree to the millisecond', async (_, zone, closes, day, from, to) => {
    const at = (time: string, ms: number) => new Date(Date.parse(time) + ms).toISOString();
    const next = at(`${day}T00:00:00Z`, 86_400_000).slice(0, 10);
    const before = at(`${day}T00:00:00Z`, -86_400_000).slice(0, 10);
    const hour = 3_600_000;
    const times = [at(from, -1), from, at(from, hour), at(to, -hour), at(to, -1), to, at(to, hour)];
    const { statistics, days } = await soldAt(scenario, zone, closes, times);
    const answer = await statistics(`day=${day}`);
    expect(answer).toMatchObject({ from: at(from, 0), to: at(to, 0), timezone: zone, dayClosesAt: closes });
    expect(answer.amounts.totalCents).toBe(2 + 3 + 4 + 5);
    expect(await statistics(`from=${day}&to=${day}`)).toEqual(answer);
    expect(await statistics(`from=${from}&to=${to}`)).toEqual(answer);
    expect(await days(`day=${day}`)).toEqual([[day, 2 + 3 + 4 + 5]]);
    expect(await days(`from=${before}&to=${next}`)).toEqual([
      [before, 1],
      [day, 2 + 3 + 4 + 5],
      [next, 6 + 7],
    ]);
  });

  test('around a change of the clock, each half hour belongs to the day whose span has it', async () => {
    const start = Date.parse('2026-10-24T20:10:00Z');
    const times = Array.from({ length: 24 }, (_, i) => new Date(start + i * 1_800_000).toISOString());
    const { statistics, days } = await soldAt(scenario, BERLIN, '02:30', times);
    const byDay = await days('from=2026-10-20&to=2026-10-30');
    expect(byDay.map(([day]) => day)).toEqual(['2026-10-24', '2026-10-25']);
    for (const [day, cents] of byDay) expect((await statistics(`day=${day}`)).amounts.totalCents).toBe(cents);
  });

  test('a date and an instant in one span', async () => {
    const { statistics } = await soldAt(scenario, SAO_PAULO, '04:00', []);
    expect(await statistics('from=2026-11-20&to=2026-11-20T12:00:00Z')).toMatchObject({
      from: '2026-11-20T07:00:00.000Z',
      to: '2026-11-20T12:00:00.000Z',
    });
    expect(await statistics('from=2026-11-19T12:00:00Z&to=2026-11-20')).toMatchObject({
      from: '2026-11-19T12:00:00.000Z',
      to: '2026-11-21T07:00:00.000Z',
    });
  });

  test('to alone: 30 business days before its end', async () => {
    const { statistics } = await soldAt(scenario, BERLIN, '04:00', []);
    expect(await statistics('to=2026-04-10')).toMatchObject({
      from: '2026-03-12T03:00:00.000Z',
      to: '2026-04-11T02:00:00.000Z',
    });
  });

  test('the first and the last possible day', async () => {
    const { statistics } = await soldAt(scenario, SAO_PAULO, '04:00', ['2026-11-20T06:59:59.999Z']);
    const { amounts } = await statistics('from=1970-01-01&to=9999-12-31');
    expect(amounts.byDay).toMatchObject([{ day: '2026-11-19', cents: 1 }]);
  });

  test('a zone that the database does not know is refused by it', async () => {
    const { id } = await scenario.store();
    const set = `UPDATE restaurants SET timezone = 'Mars/Olympus' WHERE id = $1`;
    await expect(scenario.database.query(set, [id])).rejects.toThrow('time zone "Mars/Olympus" not recognized');
  });
});
