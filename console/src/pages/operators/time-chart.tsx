import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

/** A series over time. */
export interface Line {
  readonly label: string;
  /** name of a custom property */
  readonly colour: string;
  readonly values: readonly (number | null)[];
  /** told from the others without its colour */
  readonly dashed?: boolean;
  readonly filled?: boolean;
}

const HEIGHT = 180;
/** Between two times on the axis, in pixels. */
const LABEL_SPACE = 64;
/** Between two values on the other, in pixels. */
const VALUE_SPACE = 36;

/** Lines over time, for eyes only; the sentence below says what there is to see. */
export function TimeChart({
  title,
  says,
  times,
  lines,
  clock,
  write,
}: {
  readonly title: string;
  readonly says: string;
  /** seconds since the epoch */
  readonly times: readonly number[];
  readonly lines: readonly Line[];
  readonly clock: (seconds: number) => string;
  readonly write: (value: number) => string;
}) {
  const room = useRef<HTMLDivElement>(null);
  // drawn anew only when it would look different: a poll brings the same values as new objects
  const drawn = JSON.stringify([times, lines]);
  const written = useRef({ clock, write });
  written.current = { clock, write };
  useEffect(() => {
    const element = room.current as HTMLDivElement;
    const [at, shown] = JSON.parse(drawn) as [number[], Line[]];
    const data = [at, ...shown.map(({ values }) => values)] as uPlot.AlignedData;
    let chart: uPlot | undefined;
    const draw = () => {
      chart?.destroy();
      chart = new uPlot(optionsOf(element, shown, written.current), data, element);
    };
    // it is told at once, and so draws it first
    const resized = new ResizeObserver(draw);
    resized.observe(element);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', draw);
    return () => {
      resized.disconnect();
      scheme.removeEventListener('change', draw);
      chart?.destroy();
    };
  }, [drawn]);
  return (
    <figure className="time-figure">
      <h3>{title}</h3>
      <div ref={room} className="time-chart" aria-hidden="true" />
      {lines.length > 1 && (
        <ul className="chart-key" aria-hidden="true">
          {lines.map(({ label, colour, dashed }) => (
            <li key={label} className={`key-${colour} ${dashed ? 'key-dashed' : ''}`}>
              {label}
            </li>
          ))}
        </ul>
      )}
      <figcaption className="fine">{says}</figcaption>
    </figure>
  );
}

function optionsOf(
  element: HTMLElement,
  lines: readonly Line[],
  { clock, write }: { clock: (seconds: number) => string; write: (value: number) => string },
): uPlot.Options {
  const style = getComputedStyle(element);
  const colour = (name: string) => style.getPropertyValue(`--${name}`).trim();
  const axis = { stroke: colour('ink-soft'), font: `12px ${style.fontFamily}`, ticks: { show: false } };
  return {
    width: Math.max(200, element.clientWidth),
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), 'Etc/UTC'),
    padding: [8, 8, 0, 0],
    scales: { y: { range: (_, __, max) => [0, Math.max(max * 1.06, 1)] } },
    series: [
      {},
      ...lines.map(({ colour: name, values, dashed, filled }) => ({
        stroke: colour(name),
        width: 2,
        // a value between two gaps is no line
        points: { show: values.includes(null), size: 5, fill: colour(name) },
        spanGaps: false,
        ...(dashed && { dash: [6, 4] }),
        ...(filled && { fill: `${colour(name)}4d` }),
      })),
    ],
    axes: [
      {
        ...axis,
        space: LABEL_SPACE,
        grid: { show: false },
        values: (_, splits) => splits.map(clock),
      },
      {
        ...axis,
        space: VALUE_SPACE,
        grid: { stroke: colour('line'), width: 1 },
        size: (_, values) => Math.max(36, ...(values ?? []).map((text) => text.length * 7 + 14)),
        values: (_, splits) => splits.map(write),
      },
    ],
  };
}
