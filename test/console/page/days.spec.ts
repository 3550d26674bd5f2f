import { currentDay, daysAfter, daysUntil, isDay } from '../../../console/src/pages/takings/days.js';

describe('the business days of the page', () => {
  test.each([
    ['America/Sao_Paulo', '04:00', '2026-11-21T06:59:59Z', '2026-11-20'],
    ['America/Sao_Paulo', '04:00', '2026-11-21T07:00:00Z', '2026-11-21'],
    ['America/Sao_Paulo', '00:00', '2026-11-21T02:59:59Z', '2026-11-20'],
    ['Asia/Kathmandu', '00:00', '2026-11-20T18:15:00Z', '2026-11-21'],
    ['Pacific/Auckland', '02:30', '2026-12-31T13:29:59Z', '2026-12-31'],
    ['Pacific/Auckland', '02:30', '2026-12-31T13:30:00Z', '2027-01-01'],
  ])('in %s, closing at %s, it is at %s still the day %s (R15)', (zone, closes, now, day) => {
    expect(currentDay(zone, closes, Date.parse(now))).toBe(day);
  });

  test('days follow each other over months, years and changes of the clock', () => {
    expect(daysAfter('2026-03-28', 2)).toBe('2026-03-30');
    expect(daysAfter('2027-01-01', -1)).toBe('2026-12-31');
    expect(daysUntil('2028-03-01', 3)).toEqual(['2028-02-28', '2028-02-29', '2028-03-01']);
  });

  test.each([null, '', '2026-02-30', '2026-1-1', '0002-01-01', 'today', '2026-11-20T00:00'])('%p is no day', (text) => {
    expect(isDay(text)).toBe(false);
  });
});
