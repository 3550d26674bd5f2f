import type { ReactNode } from 'react';
import { type AmountPart, centsOf, openCentsOf, TAKEN_PARTS } from '../../api/amounts.js';
import type { View } from '../../api/client.js';
import { ButtonLink } from '../../design/button.js';
import { EmptyState } from '../../design/feedback.js';
import { Icon } from '../../design/icons.js';
import { CancelledNote, MoneyLine, useCounts } from '../../design/money.js';
import { Panel } from '../../design/page.js';
import { type Column, Table } from '../../design/table.js';
import { useFormats } from '../../i18n/formats.js';
import { NONE, PartBadge } from './tenders.js';
import { useTexts } from './texts.js';

/** The parts that are not in the POS, the worse one first. */
const OPEN_PARTS = ['parked', 'waiting'] as const;

/** The rows below what was taken: no share of it. */
const NOT_SHARED: ReadonlySet<string> = new Set(['cancelled', 'refunds', 'net']);

/** The sum of the day, whether all of it is in the POS, and its parts. */
export function DayTotal({
  statistics: { amounts, amountMismatches, receivedOnAnotherDay, counts },
  restaurantId,
  isToday,
  children,
}: {
  readonly statistics: View<'StatisticsView'>;
  readonly restaurantId: string;
  readonly isToday: boolean;
  /** how the day compares with others */
  readonly children?: ReactNode;
}) {
  const texts = useTexts();
  const { amount, percent } = useFormats();
  const countsText = useCounts();
  const { takenCents, refundedCents, netCents, waitingCents } = amounts;
  const [open, parkedCents] = [openCentsOf(amounts), centsOf(amounts, 'parked')];
  const { sales, cancelled, refunds } = counts;
  if (sales === 0 && cancelled === 0 && refunds === 0)
    return (
      <Panel title={isToday ? texts.takenSoFar : texts.taken}>
        <EmptyState icon="coins" title={isToday ? texts.emptyToday : texts.empty}>
          <p>{texts.emptyHelp}</p>
        </EmptyState>
      </Panel>
    );
  const partRow = (part: AmountPart) => ({
    key: part,
    name: <PartBadge part={part} />,
    cents: centsOf(amounts, part),
  });
  // what is below the sum is not in it
  const rows = [
    ...TAKEN_PARTS.filter((part) => part !== 'resolved' || amounts.resolvedCents > 0).map(partRow),
    { key: 'taken', name: texts.taken, cents: takenCents },
    partRow('cancelled'),
    ...(refunds === 0 ? [] : [{ key: 'refunds', name: texts.refunds, cents: 0 - refundedCents }]),
    ...(refunds === 0 ? [] : [{ key: 'net', name: texts.net, cents: netCents }]),
  ];
  const columns: Column<(typeof rows)[number]>[] = [
    {
      key: 'state',
      header: texts.state,
      heading: true,
      cell: ({ name }) => name,
    },
    { key: 'amount', header: texts.amount, end: true, cell: ({ cents }) => (cents === 0 ? NONE : amount(cents)) },
    {
      key: 'share',
      header: texts.share,
      end: true,
      cell: ({ key, cents }) => (cents > 0 && !NOT_SHARED.has(key) ? percent(cents / takenCents) : ''),
    },
  ];
  return (
    <Panel title={isToday ? texts.takenSoFar : texts.taken} className="day-total">
      <div className="day-sum">
        <p className="day-hero">
          <span className="hero number">{amount(takenCents)}</span> <span>{countsText(counts)}</span>
        </p>
        <p className="day-net">
          <MoneyLine of={amounts} isBelowTaken />
        </p>
        <CancelledNote of={[amounts]} />
        {children}
        {sales > 0 && (
          <p className={open > 0 ? 'day-open' : 'field-good'}>
            <Icon name={open > 0 ? (parkedCents > 0 ? 'stop' : 'clock') : 'check'} />{' '}
            {open > 0 ? texts.verdict.open(amount(open)) : texts.verdict.all}
          </p>
        )}
        {waitingCents > 0 && <p className="fine">{texts.verdict.waiting}</p>}
        {parkedCents > 0 && <p className="fine">{texts.verdict.parked}</p>}
        {open > 0 && (
          <div className="row">
            {OPEN_PARTS.filter((part) => centsOf(amounts, part) > 0).map((part) => (
              <ButtonLink key={part} to={`/r/${restaurantId}/tonight?state=${part}`} icon="list">
                {texts.show[part]}
              </ButtonLink>
            ))}
          </div>
        )}
        {refunds > 0 && <p className="fine">{texts.refundsHelp}</p>}
        {receivedOnAnotherDay > 0 && (
          <p className="fine">
            <Icon name="clock" /> {texts.anotherDay(receivedOnAnotherDay)}
          </p>
        )}
        {amountMismatches > 0 && <p className="fine">{texts.mismatches(amountMismatches)}</p>}
      </div>
      <div className="day-split">
        <h3>{texts.split}</h3>
        <div className="sums">
          <Table caption={texts.splitCaption} columns={columns} rows={rows} rowKey={({ key }) => key} />
        </div>
      </div>
    </Panel>
  );
}
