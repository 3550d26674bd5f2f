import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { type Formats, useFormats } from '../../i18n/formats.js';
import { useTexts } from './texts.js';

/** What was taken in an hour that began at `start` (ISO 8601); hours that sold nothing are left out. */
interface Hour {
  readonly start: string;
  readonly orders: number;
  readonly cents: number;
}

const HOUR_MS = 3_600_000;
const HEIGHT = 150;
const AXIS_FONT = '12px system-ui, sans-serif';

/** The evening's sales by the hour: a chart for the eye, and the same in words and as a table for everybody. */
export default function Evening({ hours, timezone }: { readonly hours: readonly Hour[]; readonly timezone: string }) {
  const texts = useTexts();
  const formats = useFormats();
  const best = hours.toSorted((a, b) => b.cents - a.cents)[0];
  if (!best) return null;
  const hour = ({ start }: Hour) => formats.time(start, timezone);
  return (
    <div className="chart-room">
      <Bars hours={withEmpty(hours)} timezone={timezone} formats={formats} />
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

/** The hours between the first and the last, so that an hour without a sale is a gap. */
function withEmpty(hours: readonly Hour[]): Hour[] {
  const known = new Map(hours.map((hour) => [Date.parse(hour.start), hour]));
  const starts = [...known.keys()];
  const filled: Hour[] = [];
  for (let at = Math.min(...starts); at <= Math.max(...starts); at += HOUR_MS)
    filled.push(known.get(at) ?? { start: new Date(at).toISOString(), orders: 0, cents: 0 });
  return filled;
}

function Bars({
  hours,
  timezone,
  formats,
}: {
  readonly hours: readonly Hour[];
  readonly timezone: string;
  readonly formats: Formats;
}) {
  const room = useRef<HTMLDivElement>(null);
  // drawn anew only when it would look different: a poll brings the same hours as new objects
  const drawn = JSON.stringify(hours);
  useEffect(() => {
    const element = room.current;
    if (!element) return;
    const shown = JSON.parse(drawn) as Hour[];
    let plot: uPlot | undefined;
    const draw = () => {
      plot?.destroy();
      plot = new uPlot(optionsOf(element, shown, timezone, formats), dataOf(shown), element);
    };
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const resized = new ResizeObserver(draw);
    resized.observe(element);
    dark.addEventListener('change', draw);
    return () => {
      resized.disconnect();
      dark.removeEventListener('change', draw);
      plot?.destroy();
    };
  }, [drawn, timezone, formats]);
  return <div ref={room} className="chart" aria-hidden="true" />;
}

const dataOf = (hours: readonly Hour[]): uPlot.AlignedData => [
  hours.map((_, index) => index),
  hours.map(({ cents }) => cents / 100),
];

function optionsOf(element: HTMLElement, hours: readonly Hour[], timezone: string, formats: Formats): uPlot.Options {
  const styles = getComputedStyle(element);
  const colour = (name: string) => styles.getPropertyValue(name).trim();
  const [ink, line, bar] = [colour('--ink-soft'), colour('--line'), colour('--accent')];
  const whole = (amount: number) => formats.number(Math.round(amount));
  return {
    width: Math.max(200, element.clientWidth),
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    padding: [8, 4, 0, 0],
    scales: {
      x: { time: false, range: [-0.6, Math.max(hours.length, 4) - 0.4] },
      y: { range: (_, __, max) => [0, max * 1.1] },
    },
    axes: [
      {
        font: AXIS_FONT,
        stroke: ink,
        grid: { show: false },
        ticks: { show: false },
        size: 24,
        splits: () => hours.map((_, index) => index).filter((index) => index % Math.ceil(hours.length / 6) === 0),
        values: (_, splits) => splits.map((index) => formats.time(hours[index]?.start ?? 0, timezone)),
      },
      {
        font: AXIS_FONT,
        stroke: ink,
        grid: { stroke: line, width: 1 },
        ticks: { show: false },
        size: 52,
        space: 32,
        values: (_, splits) => splits.map(whole),
      },
    ],
    series: [
      {},
      {
        fill: bar,
        paths: (uPlot.paths.bars as NonNullable<typeof uPlot.paths.bars>)({ size: [0.7, 44], radius: 0.15 }),
        points: { show: false },
      },
    ],
  };
}
