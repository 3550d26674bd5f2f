import { Chart } from '../../design/chart.js';
import { useFormats } from '../../i18n/formats.js';
import { useTexts } from './texts.js';

/** The takings of the hour from `start` (ISO 8601); hours without a sale are left out. */
interface Hour {
  readonly start: string;
  readonly orders: number;
  readonly cents: number;
}

const HOUR_MS = 3_600_000;

/** The evening's sales by the hour as a chart, with the same in words and as a table. */
export default function HoursChart({
  hours,
  timezone,
}: {
  readonly hours: readonly Hour[];
  readonly timezone: string;
}) {
  const texts = useTexts();
  const formats = useFormats();
  const best = hours.toSorted((a, b) => b.cents - a.cents)[0];
  if (!best) return null;
  const hour = ({ start }: Hour) => formats.time(start, timezone);
  const shown = withEmpty(hours);
  return (
    <div className="chart-room">
      <Chart
        kind="bars"
        className="chart"
        heightPx={150}
        series={[{ label: texts.amount, colour: 'accent', values: shown.map(({ cents }) => cents / 100) }]}
        writeX={(at) => (shown[at] ? hour(shown[at]) : '')}
        writeY={(amount) => formats.number(Math.round(amount))}
        labelSpacePx={44}
      />
      <p className="fine">{texts.chartSummary(hour(best), formats.amount(best.cents))}</p>
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
            </tr>
          </thead>
          <tbody>
            {hours.map((each) => (
              <tr key={each.start}>
                <th scope="row">{hour(each)}</th>
                <td className="end">{formats.number(each.orders)}</td>
                <td className="end">{formats.amount(each.cents)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </div>
  );
}

/** All hours from the first to the last: an hour without a sale is a gap. */
function withEmpty(hours: readonly Hour[]): Hour[] {
  const known = new Map(hours.map((hour) => [Date.parse(hour.start), hour]));
  const starts = [...known.keys()];
  const filled: Hour[] = [];
  for (let at = Math.min(...starts); at <= Math.max(...starts); at += HOUR_MS)
    filled.push(known.get(at) ?? { start: new Date(at).toISOString(), orders: 0, cents: 0 });
  return filled;
}
