import { type KeyboardEvent, type ReactNode, useState } from 'react';
import { Chart, ChartKey, type ChartProps } from './chart.js';

/** What a bar says. */
interface Reading {
  readonly title: string;
  /** of each series, as `series` has them; null: it says nothing of this bar */
  readonly values: readonly (string | null)[];
}

/**
 * Bars, or the points of lines, that are read one by one: a mouse points at one, a finger taps one, arrow keys go from one to the next. The key below the chart
 * has the values of the bar. For screen readers it is a slider, whose value is what the bar says.
 */
export function ReadableChart({
  kind = 'bars',
  label,
  subject,
  resting,
  read,
  heading,
  onChoose,
  ...chart
}: Omit<ChartProps, 'kind' | 'marked' | 'onPoint'> & {
  readonly kind?: ChartProps['kind'];
  readonly label: string;
  /** what the bars are of, such as a day: another one is read from rest */
  readonly subject: string;
  /** index of the bar that is read while nothing points at another */
  readonly resting: number;
  readonly read: (index: number) => Reading;
  /** what stands for the title of a bar, such as a link */
  readonly heading?: (index: number) => ReactNode;
}) {
  const [pointed, point] = useState<number>();
  const [of, begin] = useState(subject);
  if (of !== subject) {
    begin(subject);
    point(undefined);
  }
  const last = Math.max(0, (chart.series[0]?.values.length ?? 0) - 1);
  const within = (index: number) => Math.min(Math.max(index, 0), last);
  const at = within(pointed ?? resting);
  const { title, values } = read(at);
  const said = chart.series.flatMap(({ label: name }, index) => (values[index] ? [`${name} ${values[index]}`] : []));
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') return onChoose?.(at);
    const to = stepOf(event.key, at, last);
    if (to === undefined) return;
    event.preventDefault();
    point(within(to));
  };
  return (
    <div className="readable-chart">
      <div
        className="chart-slider"
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={at}
        aria-valuetext={`${title}: ${said.join(', ')}`}
        onKeyDown={onKeyDown}
      >
        <Chart kind={kind} marked={at} onPoint={point} onChoose={onChoose} {...chart} />
      </div>
      <div className="chart-readout">
        <b>{heading?.(at) ?? title}</b>
        <ChartKey kind={kind} series={chart.series.toReversed()} values={values.toReversed()} />
      </div>
    </div>
  );
}

/** Where a key leads. @returns undefined for a key that leads nowhere */
function stepOf(key: string, at: number, last: number): number | undefined {
  switch (key) {
    case 'ArrowLeft':
    case 'ArrowDown':
      return at - 1;
    case 'ArrowRight':
    case 'ArrowUp':
      return at + 1;
    case 'Home':
      return 0;
    case 'End':
      return last;
    default:
      return undefined;
  }
}
