import type { View } from '../../api/client.js';
import { Chart, ChartKey, type Series } from '../../design/chart.js';
import { Panel } from '../../design/page.js';
import { type Column, Table } from '../../design/table.js';
import { useFormats } from '../../i18n/formats.js';
import { hrefOf, usePlace } from '../../router/location.js';
import { type Day, daysUntil } from './days.js';
import { useTexts } from './texts.js';

type DayRow = View<'DayAmountView'>;

const NOTHING = { orders: 0, cents: 0, deliveredCents: 0, waitingCents: 0, parkedCents: 0, cancelledCents: 0 };

/** The days up to the one that is shown, as a chart, and the same as a table. */
export default function DayByDay({
  rows,
  totalCents,
  day,
  title,
  onChoose,
}: {
  readonly rows: readonly DayRow[];
  readonly totalCents: number;
  readonly day: Day;
  readonly title: string;
  readonly onChoose: (day: Day) => void;
}) {
  const texts = useTexts();
  const { path } = usePlace();
  const { amount, shortDay, number } = useFormats();
  // days without a sale are not in the answer
  const known = new Map(rows.map((row) => [row.day, row]));
  const days = daysUntil(day, 30).map((one): DayRow => known.get(one) ?? { day: one, ...NOTHING });
  const best = days.reduce((most, one) => (one.cents > most.cents ? one : most));
  const columns: Column<DayRow>[] = [
    {
      key: 'day',
      header: texts.day,
      heading: true,
      cell: (row) => (
        <a
          href={hrefOf(`${path}?day=${row.day}`)}
          aria-current={row.day === day ? 'date' : undefined}
          onClick={(event) => {
            event.preventDefault();
            onChoose(row.day);
          }}
        >
          {shortDay(row.day)}
        </a>
      ),
    },
    { key: 'orders', header: texts.orderCount, end: true, cell: ({ orders }) => number(orders) },
    { key: 'cents', header: texts.total, end: true, cell: ({ cents }) => amount(cents) },
    { key: 'delivered', header: texts.states.delivered, end: true, cell: (row) => amount(row.deliveredCents) },
    { key: 'open', header: texts.open, end: true, cell: (row) => amount(row.waitingCents + row.parkedCents) },
    { key: 'cancelled', header: texts.states.cancelled, end: true, cell: (row) => amount(row.cancelledCents) },
  ];
  const says = texts.chartSays(title, amount(totalCents));
  const inUnits = (centsOf: (row: DayRow) => number) => days.map((row) => centsOf(row) / 100);
  // each bar is behind the next: the visible rest of it is its own part
  const series: Series[] = [
    { label: texts.states.cancelled, colour: 'line-strong', values: inUnits(({ cents }) => cents) },
    { label: texts.open, colour: 'wait-lamp', values: inUnits((row) => row.cents - row.cancelledCents) },
    { label: texts.states.delivered, colour: 'good-lamp', values: inUnits((row) => row.deliveredCents) },
  ];
  return (
    <Panel title={texts.chart}>
      <figure className="day-figure">
        <figcaption>
          {says}
          {best.cents > 0 && texts.best(shortDay(best.day), amount(best.cents))}.
        </figcaption>
        <Chart
          kind="bars"
          className="day-chart"
          heightPx={220}
          series={series}
          writeX={(at) => (days[at] ? shortDay(days[at].day) : '')}
          writeY={number}
          labelSpacePx={76}
          marked={days.findIndex((one) => one.day === day)}
          onChoose={(at) => days[at] && onChoose(days[at].day)}
        />
        <ChartKey kind="bars" series={series.toReversed()} />
        <p className="fine not-printed" aria-hidden="true">
          {texts.chartHint}
        </p>
      </figure>
      <details className="day-table not-printed">
        <summary>{texts.asTable}</summary>
        <Table caption={says} columns={columns} rows={days.toReversed()} rowKey={(row) => row.day} />
      </details>
    </Panel>
  );
}
