import type { View } from '../../api/client.js';
import { useFormats } from '../../i18n/formats.js';
import { type Day, daysAfter } from './days.js';
import { useTexts } from './texts.js';

/**
 * How a day compares with the same weekday a week before (N27); nothing if one of them had no sale. A day that is not over says which
 * part of the other, whole day it has.
 */
export function Compared({
  byDay,
  day,
  isToday,
}: {
  readonly byDay: readonly Pick<View<'DayAmountView'>, 'day' | 'takenCents'>[];
  readonly day: Day;
  readonly isToday: boolean;
}) {
  const texts = useTexts();
  const { amount, percent, shortDay } = useFormats();
  const other = daysAfter(day, -7);
  const centsOf = (of: Day) => byDay.find((one) => one.day === of)?.takenCents ?? 0;
  const [cents, before] = [centsOf(day), centsOf(other)];
  if (cents === 0 || before === 0) return null;
  const share = Math.round((cents / before) * 100) / 100;
  const change = share - 1;
  const words = texts.compared;
  return (
    <p className="day-compared">
      {isToday
        ? words.soFar(percent(share), shortDay(other), amount(before))
        : change === 0
          ? words.same(shortDay(other), amount(before))
          : words[change > 0 ? 'more' : 'less'](percent(Math.abs(change)), shortDay(other), amount(before))}
    </p>
  );
}
