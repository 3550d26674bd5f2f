import { useNow } from '../../browser/now.js';
import type { Series } from '../../design/chart.js';
import { ReadableChart } from '../../design/readable-chart.js';
import { useFormats } from '../../i18n/formats.js';
import { type ComparedHour, changeUntil, comparedHours, type DayHours } from './hours.js';
import { useDayBefore } from './queries.js';
import { useTexts } from './texts.js';

const WEEK = 7;

/**
 * The evening's sales by the hour beside those of the same weekday a week before, with the same in words and as a table (N27). The other
 * day is read when the chart is there.
 */
export default function HoursChart({
  restaurantId,
  day,
  statistics,
  timezone,
}: {
  readonly restaurantId: string;
  /** the business day, YYYY-MM-DD */
  readonly day: string;
  readonly statistics: DayHours;
  readonly timezone: string;
}) {
  const texts = useTexts();
  const formats = useFormats();
  const before = useDayBefore(restaurantId, day, WEEK);
  const now = useNow(60_000);
  const best = statistics.hours.toSorted((a, b) => b.cents - a.cents)[0];
  if (!best) return null;
  const hour = ({ start }: { readonly start: string }) => formats.time(start, timezone);
  const shown = comparedHours(statistics, before);
  const isCompared = shown.some(({ beforeCents }) => beforeCents !== null);
  const lastWeekday = texts.lastWeekdays[new Date(`${day}T12:00:00Z`).getUTCDay()] ?? '';
  const change = changeUntil(shown, now);
  const own: Series = { label: texts.today, colour: 'accent', values: shown.map(({ cents }) => cents / 100) };
  const other: Series = {
    label: lastWeekday,
    colour: 'chart-before',
    wide: true,
    values: shown.map(({ beforeCents }) => (beforeCents ?? 0) / 100),
  };
  return (
    <div className="chart-room">
      <ReadableChart
        label={texts.chart}
        subject={day}
        className="chart"
        heightPx={150}
        series={isCompared ? [other, own] : [own]}
        resting={shown.findLastIndex(({ orders }) => orders > 0)}
        read={(at) => {
          const { cents, beforeCents } = shown[at] as ComparedHour;
          const values = [formats.amount(cents)];
          return {
            title: hour(shown[at] as ComparedHour),
            values: beforeCents === null ? values : [formats.amount(beforeCents), ...values],
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
