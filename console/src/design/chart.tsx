import { type CSSProperties, type RefObject, useEffect, useRef } from 'react';
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
  /** a bar that others stand in front of: it is wider than they are */
  readonly wide?: boolean;
}

/** What a chart draws, and how. */
export interface ChartProps {
  /** bars stand one behind the other: the longest series is the first */
  readonly kind: 'bars' | 'lines';
  readonly className: string;
  readonly heightPx: number;
  /** of each value; absent: 0, 1, 2 and so on. Seconds since the epoch */
  readonly times?: readonly number[] | undefined;
  readonly series: readonly Series[];
  readonly writeX: (x: number) => string;
  readonly writeY: (value: number) => string;
  /** the least distance of two labels of the x axis; wide labels have more */
  readonly labelSpacePx: number;
  /** index of the bar that has a ground of its own */
  readonly marked?: number;
  /** a pointer is over a bar, or has tapped it; undefined: a mouse has left the chart */
  readonly onPoint?: (index: number | undefined) => void;
  /** a click of a mouse; a tap only points */
  readonly onChoose?: ((index: number) => void) | undefined;
}

/** The properties of the last render: what is drawn outlives a render. */
type Current = RefObject<ChartProps>;

/** Between two labels of the x axis. */
const LABEL_GAP_PX = 12;
/** Beside a label of the y axis: uPlot keeps 5 px to the plot. */
const Y_LABEL_ROOM_PX = 12;
/** The chart has room for at least this many bars, so that one alone is not very wide. */
const FEWEST_BARS = 4;

/** Bars or lines, for eyes and pointers only: a sentence or a table beside it says the same. */
export function Chart(props: ChartProps) {
  const room = useRef<HTMLDivElement>(null);
  const plotted = useRef<uPlot>(undefined);
  const current = useRef(props);
  current.current = props;
  const { className, kind, times, series, marked } = props;
  // a poll brings the same values as new objects: they are not drawn again
  const drawn = JSON.stringify([kind, times, series, useLanguage()]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `drawn` stands for all that can be seen
  useEffect(() => {
    const element = room.current as HTMLDivElement;
    let plot: uPlot | undefined;
    const draw = () => {
      plot?.destroy();
      plot = new uPlot(optionsOf(element, current), dataOf(current.current), element);
      plotted.current = plot;
      if (current.current.onPoint) listen(plot, current);
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
  // the same plot: a pointer is over it
  // biome-ignore lint/correctness/useExhaustiveDependencies: drawing reads `marked` of the current properties
  useEffect(() => plotted.current?.redraw(false, false), [marked]);
  return <div ref={room} className={className} aria-hidden="true" />;
}

/** Which colour is which series, and the values of one bar. */
export function ChartKey({
  series,
  kind,
  values = [],
}: {
  readonly series: readonly Series[];
  readonly kind: ChartProps['kind'];
  /** of each series; null: none */
  readonly values?: readonly (string | null)[];
}) {
  return (
    <ul className={`chart-key chart-key-${kind}`} aria-hidden="true">
      {series.map(({ label, colour, dashed }, index) => (
        <li
          key={label}
          className={dashed ? 'chart-key-dashed' : undefined}
          style={{ '--key': `var(--${colour})` } as CSSProperties}
        >
          {label}
          {values[index] && <b className="number"> {values[index]}</b>}
        </li>
      ))}
    </ul>
  );
}

function dataOf({ times, series }: ChartProps): uPlot.AlignedData {
  const x = times ?? series[0]?.values.map((_, index) => index) ?? [];
  return [x, ...series.map(({ values }) => values)] as uPlot.AlignedData;
}

function optionsOf(element: HTMLElement, current: Current): uPlot.Options {
  const { kind, heightPx, times, series, writeX, writeY, labelSpacePx } = current.current;
  const style = getComputedStyle(element);
  const colour = (name: string) => style.getPropertyValue(`--${name}`).trim();
  const font = `12px ${style.fontFamily}`;
  const widthOf = measure(font);
  const axis = { stroke: colour('ink-soft'), font, ticks: { show: false } };
  const count = Math.max(series[0]?.values.length ?? 0, FEWEST_BARS);
  const draw = kind === 'bars' ? bar(series) : line;
  const ground = colour('accent-soft');
  // lines have times as labels, which are all of one width
  const labels = times?.slice(0, 1) ?? series[0]?.values.map((_, index) => index) ?? [];
  const widest = Math.max(0, ...labels.map((x) => widthOf(writeX(x))));
  return {
    width: Math.max(200, element.clientWidth),
    height: heightPx,
    legend: { show: false },
    cursor: { show: false },
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
        ...(!times && { incrs: [1, 2, 3, 5, 7, 10, 15, 30] }),
        space: Math.max(labelSpacePx, widest + LABEL_GAP_PX),
        size: 30,
        grid: { show: false },
        values: (plot, splits) =>
          splits.map((x) => {
            const text = writeX(x);
            return fits(plot, x, widthOf(text)) ? text : '';
          }),
      },
      {
        ...axis,
        space: 32,
        size: (_, values) => Math.max(40, ...(values ?? []).map((text) => widthOf(text) + Y_LABEL_ROOM_PX)),
        grid: { stroke: colour('line'), width: 1 },
        values: (_, splits) => splits.map(writeY),
      },
    ],
    hooks: { drawClear: [(plot) => mark(plot, current.current.marked ?? -1, ground)] },
  };
}

/** The width of a text in px, as the canvas writes it. */
function measure(font: string): (text: string) => number {
  const context = document.createElement('canvas').getContext('2d');
  if (context) context.font = font;
  return (text) => Math.ceil(context?.measureText(text).width ?? text.length * 7);
}

/** Whether a label below `x` is all on the canvas. */
function fits(plot: uPlot, x: number, widthPx: number): boolean {
  const centre = plot.bbox.left / uPlot.pxRatio + plot.valToPos(x, 'x');
  return centre - widthPx / 2 >= 0 && centre + widthPx / 2 <= plot.width;
}

/** Tells which bar a pointer is over. A finger that moves sideways reads bar after bar; the last one stays. */
function listen(plot: uPlot, current: Current): void {
  const indexAt = ({ offsetX }: MouseEvent) => plot.posToIdx(offsetX);
  // a click does not say in every browser what has clicked
  let pointer = 'mouse';
  const point = (event: PointerEvent) => {
    pointer = event.pointerType;
    current.current.onPoint?.(indexAt(event));
  };
  plot.over.addEventListener('pointermove', point);
  plot.over.addEventListener('pointerdown', point);
  plot.over.addEventListener('pointerleave', ({ pointerType }) => {
    if (pointerType === 'mouse') current.current.onPoint?.(undefined);
  });
  plot.over.addEventListener('click', (event) => {
    if (pointer === 'mouse') current.current.onChoose?.(indexAt(event));
  });
}

const bar = (all: readonly Series[]) => {
  const radius = all.length > 1 ? 0 : 0.15;
  const hasWide = all.some(({ wide }) => wide);
  const narrow = uPlot.paths.bars?.({ size: hasWide ? [0.5, 36] : [0.72, 48], radius });
  const wide = uPlot.paths.bars?.({ size: [0.84, 60], radius });
  return (series: Series, fill: string): uPlot.Series => {
    const paths = series.wide ? wide : narrow;
    return { fill, width: 0, points: { show: false }, ...(paths && { paths }) };
  };
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
