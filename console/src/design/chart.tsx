import { type CSSProperties, useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { useLanguage } from '../i18n/language.js';
import './chart.css';

/** What a chart draws in one colour. */
export interface Series {
  readonly label: string;
  /** name of a custom property, without the dashes */
  readonly colour: string;
  /** null is a gap */
  readonly values: readonly (number | null)[];
  /** so that lines do not differ by their colour alone */
  readonly dashed?: boolean;
  readonly filled?: boolean;
}

interface ChartProps {
  /** bars stand one behind the other: the longest series is the first */
  readonly kind: 'bars' | 'lines';
  readonly className: string;
  readonly heightPx: number;
  /** of each value; absent: 0, 1, 2 and so on. Seconds since the epoch */
  readonly times?: readonly number[] | undefined;
  readonly series: readonly Series[];
  readonly writeX: (x: number) => string;
  readonly writeY: (value: number) => string;
  /** between two labels of the x axis */
  readonly labelSpacePx: number;
  /** index of the bar that has a ground of its own */
  readonly marked?: number;
  readonly onChoose?: (index: number) => void;
}

/** The chart has room for at least this many bars, so that one alone is not very wide. */
const FEWEST_BARS = 4;

/** Bars or lines, for eyes and pointers only: a sentence or a table beside it says the same. */
export function Chart(props: ChartProps) {
  const room = useRef<HTMLDivElement>(null);
  const current = useRef(props);
  current.current = props;
  const { className, kind, times, series, marked } = props;
  // a poll brings the same values as new objects: they are not drawn again
  const drawn = JSON.stringify([kind, times, series, marked, useLanguage()]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `drawn` stands for all that can be seen
  useEffect(() => {
    const element = room.current as HTMLDivElement;
    let plot: uPlot | undefined;
    const draw = () => {
      plot?.destroy();
      plot = new uPlot(optionsOf(element, current.current), dataOf(current.current), element);
      plot.over.addEventListener('click', () => current.current.onChoose?.(plot?.cursor.idx ?? -1));
    };
    // calls back at once, and so draws first
    const resized = new ResizeObserver(draw);
    resized.observe(element);
    // a canvas knows no custom properties: other colours are drawn again
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', draw);
    return () => {
      resized.disconnect();
      scheme.removeEventListener('change', draw);
      plot?.destroy();
    };
  }, [drawn]);
  return <div ref={room} className={className} aria-hidden="true" />;
}

/** Which colour is which series. */
export function ChartKey({ series, kind }: Pick<ChartProps, 'series' | 'kind'>) {
  return (
    <ul className={`chart-key chart-key-${kind}`} aria-hidden="true">
      {series.map(({ label, colour, dashed }) => (
        <li
          key={label}
          className={dashed ? 'chart-key-dashed' : undefined}
          style={{ '--key': `var(--${colour})` } as CSSProperties}
        >
          {label}
        </li>
      ))}
    </ul>
  );
}

function dataOf({ times, series }: ChartProps): uPlot.AlignedData {
  const x = times ?? series[0]?.values.map((_, index) => index) ?? [];
  return [x, ...series.map(({ values }) => values)] as uPlot.AlignedData;
}

function optionsOf(element: HTMLElement, props: ChartProps): uPlot.Options {
  const { kind, heightPx, times, series, writeX, writeY, labelSpacePx, marked, onChoose } = props;
  const style = getComputedStyle(element);
  const colour = (name: string) => style.getPropertyValue(`--${name}`).trim();
  const axis = { stroke: colour('ink-soft'), font: `12px ${style.fontFamily}`, ticks: { show: false } };
  const count = Math.max(series[0]?.values.length ?? 0, FEWEST_BARS);
  const draw = kind === 'bars' ? bar(series.length > 1) : line;
  return {
    width: Math.max(200, element.clientWidth),
    height: heightPx,
    legend: { show: false },
    cursor: onChoose ? { drag: { x: false, y: false }, y: false, points: { show: false } } : { show: false },
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), 'Etc/UTC'),
    padding: [8, 8, 0, 0],
    scales: {
      x: times ? {} : { time: false, range: [-0.6, count - 0.4] },
      y: { range: (_, __, max) => [0, Math.max(max * 1.06, 1)] },
    },
    series: [{}, ...series.map((one) => draw(one, colour(one.colour)))],
    axes: [
      {
        ...axis,
        ...(!times && { incrs: [1, 2, 5, 7, 10, 15] }),
        space: labelSpacePx,
        size: 30,
        grid: { show: false },
        values: (_, splits) => splits.map(writeX),
      },
      {
        ...axis,
        space: 32,
        size: (_, values) => Math.max(40, ...(values ?? []).map((text) => text.length * 7 + 14)),
        grid: { stroke: colour('line'), width: 1 },
        values: (_, splits) => splits.map(writeY),
      },
    ],
    hooks: marked === undefined ? {} : { drawClear: [(plot) => mark(plot, marked, colour('accent-soft'))] },
  };
}

const bar = (isStacked: boolean) => {
  const paths = uPlot.paths.bars?.({ size: [0.72, 48], radius: isStacked ? 0 : 0.15 });
  return (_: Series, fill: string): uPlot.Series => ({
    fill,
    width: 0,
    points: { show: false },
    ...(paths && { paths }),
  });
};

const line = ({ values, dashed, filled }: Series, stroke: string): uPlot.Series => ({
  stroke,
  width: 2,
  // a value between two gaps is no line
  points: { show: values.includes(null), size: 5, fill: stroke },
  spanGaps: false,
  ...(dashed && { dash: [6, 4] }),
  ...(filled && { fill: `${stroke}4d` }),
});

/** Paints the ground behind a bar. @param index -1: behind none */
function mark(plot: uPlot, index: number, colour: string): void {
  if (index < 0) return;
  const [left, right] = [plot.valToPos(index - 0.5, 'x', true), plot.valToPos(index + 0.5, 'x', true)];
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.fillStyle = colour;
  ctx.fillRect(left, bbox.top, right - left, bbox.height);
  ctx.restore();
}
