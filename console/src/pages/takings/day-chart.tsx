import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import type { View } from '../../api/client.js';
import { type Formats, useFormats } from '../../i18n/formats.js';
import 'uplot/dist/uPlot.min.css';
import type { Day } from './days.js';

type Row = View<'DayAmountView'>;

const HEIGHT = 220;
/** Between the names of two days, in pixels. */
const LABEL_SPACE = 76;

/**
 * The days as bars: what is in the POS at the bottom, then what is not yet, then what was cancelled. For eyes and pointers only: a
 * table beside it says the same.
 */
export function DayChart({
  days,
  chosen,
  onChoose,
}: {
  readonly days: readonly Row[];
  readonly chosen: Day;
  readonly onChoose: (day: Day) => void;
}) {
  const room = useRef<HTMLDivElement>(null);
  const formats = useFormats();
  const choose = useRef(onChoose);
  choose.current = onChoose;
  useEffect(() => {
    const element = room.current as HTMLDivElement;
    let chart: uPlot | undefined;
    const draw = () => {
      chart?.destroy();
      chart = new uPlot(optionsOf(element, days, chosen, formats), dataOf(days), element);
      chart.over.addEventListener('click', () => {
        const row = days[chart?.cursor.idx ?? -1];
        if (row) choose.current(row.day);
      });
    };
    draw();
    const resized = new ResizeObserver(() => chart?.setSize({ width: element.clientWidth, height: HEIGHT }));
    resized.observe(element);
    // a canvas knows no custom properties: it is drawn anew in the other colours
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', draw);
    return () => {
      resized.disconnect();
      scheme.removeEventListener('change', draw);
      chart?.destroy();
    };
  }, [days, chosen, formats]);
  return <div ref={room} className="day-chart" aria-hidden="true" />;
}

/** The bars stand one behind the other: the whole, the whole without the cancelled, what is in the POS. In currency units. */
function dataOf(days: readonly Row[]): uPlot.AlignedData {
  return [
    days.map((_, i) => i),
    days.map(({ cents }) => cents / 100),
    days.map(({ cents, cancelledCents }) => (cents - cancelledCents) / 100),
    days.map(({ deliveredCents }) => deliveredCents / 100),
  ];
}

function optionsOf(element: HTMLElement, days: readonly Row[], chosen: Day, formats: Formats): uPlot.Options {
  const style = getComputedStyle(element);
  const colour = (name: string) => style.getPropertyValue(`--${name}`).trim();
  const bars = uPlot.paths.bars?.({ size: [0.72, 48] });
  const bar = (fill: string): uPlot.Series => ({
    fill,
    width: 0,
    points: { show: false },
    ...(bars && { paths: bars }),
  });
  const axis = { stroke: colour('ink-soft'), font: `12px ${style.fontFamily}`, ticks: { show: false } };
  const last = days.length - 1;
  return {
    width: element.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { drag: { x: false, y: false }, y: false, points: { show: false } },
    scales: {
      x: { time: false, range: [-0.6, last + 0.6] },
      y: { range: (_, __, max) => [0, Math.max(max * 1.06, 1)] },
    },
    series: [{}, bar(colour('line-strong')), bar(colour('wait-lamp')), bar(colour('good-lamp'))],
    axes: [
      {
        ...axis,
        space: LABEL_SPACE,
        size: 30,
        incrs: [1, 2, 5, 7, 10, 15],
        grid: { show: false },
        values: (_, splits) => splits.map((at) => shown(days[at], formats)),
      },
      {
        ...axis,
        grid: { stroke: colour('line'), width: 1 },
        size: (_, values) => Math.max(40, ...(values ?? []).map((text) => text.length * 7 + 14)),
        values: (_, splits) => splits.map((value) => formats.number(value)),
      },
    ],
    hooks: {
      drawClear: [
        (chart) =>
          mark(
            chart,
            days.findIndex(({ day }) => day === chosen),
            colour('accent-soft'),
          ),
      ],
    },
  };
}

function shown(row: Row | undefined, formats: Formats): string {
  return row ? formats.shortDay(row.day) : '';
}

/** The ground behind the day that is shown. */
function mark(chart: uPlot, index: number, colour: string): void {
  if (index < 0) return;
  const [left, right] = [chart.valToPos(index - 0.5, 'x', true), chart.valToPos(index + 0.5, 'x', true)];
  const { ctx, bbox } = chart;
  ctx.save();
  ctx.fillStyle = colour;
  ctx.fillRect(left, bbox.top, right - left, bbox.height);
  ctx.restore();
}
