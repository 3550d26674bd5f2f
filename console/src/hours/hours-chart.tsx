import { useNow } from '../browser/now.js';
import type { Series } from '../design/chart.js';
import { ReadableChart } from '../design/readable-chart.js';
import { useFormats } from '../i18n/formats.js';
import { useDayBefore } from './day-before.js';
import { changeUntil, comparedHours, type DayHours, HOUR_MS, runningSums } from './hours.js';
import { useTexts } from './texts.js';

const WEEK = 7;

/**
 * The sales of a business day by the hour beside those of the same weekday a week before, with the same in words and as a table (N27). The other
 * day is read when the chart is there.
 */
export default function HoursChart({
  restaurantId,
  day,
  statistics,
  timezone,
  by,
  isRunning,
}: {
  readonly restaurantId: string;
  /** the business day, YYYY-MM-DD */
  readonly day: string;
  readonly statistics: DayHours;
  readonly timezone: string;
  /** the time that decides the hour of a sale (R29) */
  readonly by: 'receipt' | 'sale';
  /** a curve of what was taken until the end of each hour, in place of a bar for each hour */
  readonly isRunning: boolean;
}) {
  const texts = useTexts();
  const formats = useFormats();
  const before = useDayBefore(restaurantId, day, WEEK, by);
  const now = useNow(60_000);
  const best = statistics.hours.toSorted((a, b) => b.cents - a.cents)[0];
  if (!best) return null;
  const hour = ({ start }: { readonly start: string }) => formats.time(start, timezone);
  const shown = comparedHours(statistics, before);
  const isCompared = shown.some(({ beforeCents }) => beforeCents !== null);
  const weekday = new Date(`${day}T12:00:00Z`).getUTCDay();
  const lastWeekday = isRunning ? texts.weekBefore : (texts.lastWeekdays[weekday] ?? '');
  // the page that shows the curve compares the day in a sentence of its own
  const change = isRunning ? null : changeUntil(shown, now);
  const drawn = isRunning ? runningSums(shown, now) : shown;
  const units = (cents: number | null) => (cents === null ? null : cents / 100);
  const own: Series = {
    label: isRunning ? formats.shortDay(day) : texts.today,
    colour: 'accent',
    filled: isRunning,
    values: drawn.map(({ cents }) => units(cents)),
  };
  const other: Series = {
    label: lastWeekday,
    colour: isRunning ? 'ink-soft' : 'chart-before',
    wide: true,
    dashed: isRunning,
    values: drawn.map(({ beforeCents }) => units(beforeCents ?? 0)),
  };
  return (
    <div className="chart-room">
      <ReadableChart
        kind={isRunning ? 'lines' : 'bars'}
        label={isRunning ? texts.running : texts.chart}
        subject={day}
        className="chart"
        heightPx={isRunning ? 200 : 150}
        series={isCompared ? [other, own] : [own]}
        resting={shown.findLastIndex(({ orders }) => orders > 0)}
        read={(at) => {
          const [sums, of] = [drawn[at], shown[at]];
          if (!sums || !of) return { title: '', values: [] };
          const until = Math.min(Date.parse(of.start) + HOUR_MS, now);
          const amounts = isCompared ? [sums.beforeCents ?? 0, sums.cents] : [sums.cents];
          return {
            title: isRunning && sums.cents !== null ? texts.until(formats.time(until, timezone)) : hour(of),
            values: amounts.map((cents) => (cents === null ? null : formats.amount(cents))),
          };
        }}
        writeX={(at) => (shown[at] ? hour(shown[at]) : '')}
        writeY={(amount) => formats.number(Math.round(amount))}
        labelSpacePx={44}
      />
      <p className="fine">
        {change && (
          <b>{texts.compared(changeIn(change.share), lastWeekday, formats.time(change.untilMs, timezone))} </b>
        )}
        {texts.chartSummary(hour(best), formats.amount(best.cents))}
      </p>
      <details>
        <summary>{texts.asTable}</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">{texts.hour}</th>
              <th scope="col" className="end">
                {texts.orders}
              </th>
              <th scope="col" className="end">
                {texts.amount}
              </th>
              {isCompared && (
                <th scope="col" className="end">
                  {lastWeekday}
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {shown
              .filter(({ orders, beforeCents }) => orders > 0 || beforeCents)
              .map((each) => (
                <tr key={each.start}>
                  <th scope="row">{hour(each)}</th>
                  <td className="end">{formats.number(each.orders)}</td>
                  <td className="end">{formats.amount(each.cents)}</td>
                  {isCompared && <td className="end">{formats.amount(each.beforeCents ?? 0)}</td>}
                </tr>
              ))}
          </tbody>
        </table>
      </details>
    </div>
  );

  /** In whole percent, which is as exact as a hurried eye needs. */
  function changeIn(share: number) {
    const whole = Math.round(share * 100);
    return { isMore: whole > 0, percent: whole === 0 ? null : formats.percent(Math.abs(whole) / 100) };
  }
}
