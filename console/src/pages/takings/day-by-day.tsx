import { useMemo } from 'react';
import type { View } from '../../api/client.js';
import { Panel } from '../../design/page.js';
import { type Column, Table } from '../../design/table.js';
import { useFormats } from '../../i18n/formats.js';
import { hrefOf, usePlace } from '../../router/location.js';
import { DayChart } from './day-chart.js';
import { type Day, daysUntil } from './days.js';
import { useTexts } from './texts.js';

type Row = View<'DayAmountView'>;

const NOTHING = { orders: 0, cents: 0, deliveredCents: 0, waitingCents: 0, parkedCents: 0, cancelledCents: 0 };

/** The days up to the one that is shown, as a chart, and the same as a table for whoever does not see one. */
export default function DayByDay({
  rows,
  totalCents,
  day,
  title,
  onChoose,
}: {
  readonly rows: readonly Row[];
  readonly totalCents: number;
  readonly day: Day;
  readonly title: string;
  readonly onChoose: (day: Day) => void;
}) {
  const texts = useTexts();
  const { path } = usePlace();
  const { amount, shortDay, number } = useFormats();
  // days without a sale are not in the answer
  const days = useMemo(() => {
    const known = new Map(rows.map((row) => [row.day, row]));
    return daysUntil(day, 30).map((one): Row => known.get(one) ?? { day: one, ...NOTHING });
  }, [rows, day]);
  const best = days.reduce((most, one) => (one.cents > most.cents ? one : most));
  const columns: Column<Row>[] = [
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
  return (
    <Panel title={texts.chart}>
      <figure className="day-figure">
        <figcaption>
          {says}
          {best.cents > 0 && texts.best(shortDay(best.day), amount(best.cents))}.
        </figcaption>
        <DayChart days={days} chosen={day} onChoose={onChoose} />
        <ul className="chart-key" aria-hidden="true">
          <li className="key-delivered">{texts.states.delivered}</li>
          <li className="key-open">{texts.open}</li>
          <li className="key-cancelled">{texts.states.cancelled}</li>
        </ul>
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
