import { openCentsOf } from '../../api/amounts.js';
import type { View } from '../../api/client.js';
import type { Series } from '../../design/chart.js';
import { tipPartsOf } from '../../design/money.js';
import { Panel } from '../../design/page.js';
import { ReadableChart } from '../../design/readable-chart.js';
import { type Column, Table } from '../../design/table.js';
import { useFormats } from '../../i18n/formats.js';
import { useSharedTexts } from '../../i18n/shared.js';
import { hrefOf, usePlace } from '../../router/location.js';
import { type Day, daysAfter, daysUntil } from './days.js';
import { NONE } from './tenders.js';
import { useTexts } from './texts.js';

type DayRow = View<'DayAmountView'>;

const NOTHING = {
  ...{ orders: 0, cents: 0, deliveredCents: 0, waitingCents: 0, parkedCents: 0, resolvedCents: 0, cancelledCents: 0 },
  ...{ refunds: 0, refundCents: 0, receivedOnAnotherDay: 0, takenCents: 0, refundedCents: 0, netCents: 0 },
  ...{ tipCents: 0, serviceFeeCents: 0 },
};

/** The days up to the one that is shown, as a chart, and the same as a table. */
export default function DayByDay({
  rows,
  totalCents,
  day,
  title,
  onChoose,
}: {
  readonly rows: readonly DayRow[];
  /** what was taken on them */
  readonly totalCents: number;
  readonly day: Day;
  readonly title: string;
  readonly onChoose: (day: Day) => void;
}) {
  const texts = useTexts();
  const { states, tipColumns } = useSharedTexts();
  const { path } = usePlace();
  const { amount, shortDay, dayOfMonth, number } = useFormats();
  // days without a sale are not in the answer
  const known = new Map(rows.map((row) => [row.day, row]));
  const days = daysUntil(day, 30).map((one): DayRow => known.get(one) ?? { day: one, ...NOTHING });
  const best = days.reduce((most, one) => (one.takenCents > most.takenCents ? one : most));
  const orDash = (cents: number) => (cents === 0 ? NONE : amount(cents));
  const dayLink = (one: Day) => (
    <a
      href={hrefOf(`${path}?day=${one}`)}
      aria-current={one === day ? 'date' : undefined}
      onClick={(event) => {
        event.preventDefault();
        onChoose(one);
      }}
    >
      {shortDay(one)}
    </a>
  );
  // the days before the first one are not read
  const weekBefore = (one: Day) => {
    const before = daysAfter(one, -7);
    return before < (days[0] as DayRow).day ? '' : amount(known.get(before)?.takenCents ?? 0);
  };
  const columns: Column<DayRow>[] = [
    { key: 'day', header: texts.day, heading: true, cell: (row) => dayLink(row.day) },
    { key: 'orders', header: texts.orderCount, end: true, cell: ({ orders }) => number(orders) },
    { key: 'taken', header: texts.taken, end: true, cell: ({ takenCents }) => amount(takenCents) },
    { key: 'before', header: texts.weekBefore, end: true, cell: (row) => weekBefore(row.day) },
    { key: 'delivered', header: states.delivered, end: true, cell: (row) => orDash(row.deliveredCents) },
    { key: 'open', header: texts.open, end: true, cell: (row) => orDash(openCentsOf(row)) },
    { key: 'cancelled', header: states.cancelled, end: true, cell: (row) => orDash(row.cancelledCents) },
    ...(rows.some(({ refunds }) => refunds > 0)
      ? [
          { key: 'refunds', header: texts.refunds, end: true, cell: (row: DayRow) => orDash(0 - row.refundedCents) },
          { key: 'net', header: texts.net, end: true, cell: (row: DayRow) => amount(row.netCents) },
        ]
      : []),
    ...tipPartsOf(rows).map((part) => ({
      ...{ key: part, header: tipColumns[part], end: true },
      cell: (row: DayRow) => orDash(row[`${part}Cents`]),
    })),
    ...(rows.some(({ receivedOnAnotherDay }) => receivedOnAnotherDay > 0)
      ? [
          {
            key: 'another-day',
            header: texts.ofAnotherDay,
            end: true,
            cell: (row: DayRow) => (row.receivedOnAnotherDay === 0 ? NONE : number(row.receivedOnAnotherDay)),
          },
        ]
      : []),
  ];
  const says = texts.chartSays(title, amount(totalCents));
  const inUnits = (centsOf: (row: DayRow) => number) => days.map((row) => centsOf(row) / 100);
  // each bar is behind the next: the visible rest of it is its own part
  const series: Series[] = [
    { label: states.cancelled, colour: 'line-strong', values: inUnits(({ cents }) => cents) },
    { label: texts.open, colour: 'wait-lamp', values: inUnits(({ takenCents }) => takenCents) },
    { label: states.delivered, colour: 'good-lamp', values: inUnits((row) => row.deliveredCents) },
  ];
  return (
    <Panel title={texts.chart}>
      <figure className="day-figure">
        <figcaption>
          {says}
          {best.takenCents > 0 && texts.best(shortDay(best.day), amount(best.takenCents))}.
        </figcaption>
        <ReadableChart
          label={texts.chart}
          subject={day}
          className="day-chart"
          heightPx={220}
          series={series}
          resting={days.length - 1}
          read={(at) => {
            const { day: read, takenCents, cancelledCents, deliveredCents } = days[at] as DayRow;
            const open = takenCents - deliveredCents;
            const values = [cancelledCents, open, deliveredCents].map((part) => (part === 0 ? null : amount(part)));
            return { title: `${shortDay(read)}, ${amount(takenCents)}`, values };
          }}
          heading={(at) => (
            <>
              {dayLink((days[at] as DayRow).day)}{' '}
              <span className="number">{amount((days[at] as DayRow).takenCents)}</span>
            </>
          )}
          writeX={(at) => (days[at] ? dayOfMonth(days[at].day) : '')}
          writeY={number}
          labelSpacePx={44}
          onChoose={(at) => days[at] && onChoose(days[at].day)}
        />
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
