import { changeUntil, comparedHours, runningSums } from '../../../../console/src/hours/hours.js';

const hour = (start: string, cents: number) => ({ start: `${start}Z`, orders: 1, cents });
/** A Sunday evening in Lisbon. */
const TODAY = {
  from: '2026-03-29T03:00:00Z',
  hours: [hour('2026-03-29T18:00', 1_000), hour('2026-03-29T20:00', 3_000)],
};
/** The Sunday before; the clocks were changed since: 18:00 UTC was 18:00, and is 19:00 now. */
const BEFORE = {
  from: '2026-03-22T04:00:00Z',
  hours: [hour('2026-03-22T19:00', 500), hour('2026-03-22T20:00', 1_500), hour('2026-03-22T22:00', 9_000)],
};

describe('the hours of a day beside those of a week before (N27)', () => {
  const shown = comparedHours(TODAY, BEFORE);

  test('each hour stands beside the one that the clock showed a week before, from the first to the last of both (N27)', () => {
    expect(shown.map(({ start, cents, beforeCents }) => [Date.parse(start), cents, beforeCents])).toEqual(
      [
        ['18:00', 1_000, 500],
        ['19:00', 0, 1_500],
        ['20:00', 3_000, 0],
        ['21:00', 0, 9_000],
      ].map(([at, ...cents]) => [Date.parse(`2026-03-29T${at}Z`), ...cents]),
    );
  });

  test('without the other day the hours stand alone', () => {
    expect(comparedHours(TODAY, undefined).map(({ beforeCents }) => beforeCents)).toEqual([null, null, null]);
  });

  test.each<[string, number | null, string | null]>([
    ['18:59', null, null],
    ['19:00', 1, '19:00'],
    ['20:59', -0.5, '20:00'],
    ['21:00', 1, '21:00'],
    ['23:30', 4_000 / 11_000 - 1, '22:00'],
  ])('at %s only the hours that are over count (N27)', (now, share, until) => {
    const change = changeUntil(shown, Date.parse(`2026-03-29T${now}Z`));
    expect(change).toEqual(share === null ? null : { share, untilMs: Date.parse(`2026-03-29T${until}Z`) });
  });

  test('a day without a sale until then is no measure', () => {
    const late = { ...BEFORE, hours: [hour('2026-03-22T22:00', 9_000)] };
    expect(changeUntil(comparedHours(TODAY, late), Date.parse('2026-03-29T20:30Z'))).toBeNull();
    expect(changeUntil(comparedHours(TODAY, undefined), Date.parse('2026-03-29T23:30Z'))).toBeNull();
  });

  test('the curve has the sums so far of both days, and nothing of an hour that has not begun (N27)', () => {
    expect(runningSums(shown, Date.parse('2026-03-29T20:30Z'))).toEqual([
      { cents: 1_000, beforeCents: 500 },
      { cents: 1_000, beforeCents: 2_000 },
      { cents: 4_000, beforeCents: 2_000 },
      { cents: null, beforeCents: 11_000 },
    ]);
    expect(runningSums(comparedHours(TODAY, undefined), Date.parse('2026-03-30T12:00Z')).at(-1)).toEqual({
      cents: 4_000,
      beforeCents: null,
    });
  });
});
