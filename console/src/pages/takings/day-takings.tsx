import type { ReactNode } from 'react';
import { AMOUNT_PARTS } from '../../api/amounts.js';
import type { View } from '../../api/client.js';
import { ButtonLink } from '../../design/button.js';
import { EmptyState } from '../../design/feedback.js';
import { Icon } from '../../design/icons.js';
import { Panel } from '../../design/page.js';
import { type Column, Table } from '../../design/table.js';
import { useFormats } from '../../i18n/formats.js';
import { NONE, PartBadge } from './tenders.js';
import { useTexts } from './texts.js';

/** The parts that are not in the POS, the worse one first. */
const OPEN_PARTS = ['parked', 'waiting'] as const;

/** The sum of the day, whether all of it is in the POS, and its parts. */
export function DayTotal({
  statistics: { amounts, amountMismatches, receivedOnAnotherDay },
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
  const { totalCents, waitingCents, parkedCents, refunds, refundCents, netCents, byDay } = amounts;
  const open = waitingCents + parkedCents;
  const orders = byDay.reduce((total, day) => total + day.orders, 0);
  if (orders === 0 && refunds === 0)
    return (
      <Panel title={isToday ? texts.takenSoFar : texts.taken}>
        <EmptyState icon="coins" title={isToday ? texts.emptyToday : texts.empty}>
          <p>{texts.emptyHelp}</p>
        </EmptyState>
      </Panel>
    );
  const rows = [
    ...AMOUNT_PARTS.map((part) => ({ key: part, name: <PartBadge part={part} />, cents: amounts[`${part}Cents`] })),
    { key: 'total', name: texts.total, cents: totalCents },
    ...(refunds === 0
      ? []
      : [
          { key: 'refunds', name: texts.refunds, cents: -refundCents },
          { key: 'net', name: texts.afterRefunds, cents: netCents },
        ]),
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
      cell: ({ cents }) => (cents > 0 ? percent(cents / totalCents) : ''),
    },
  ];
  return (
    <Panel title={isToday ? texts.takenSoFar : texts.taken} className="day-total">
      <div className="day-sum">
        <p className="day-hero">
          <span className="hero number">{amount(totalCents)}</span> <span>{texts.orders(orders)}</span>
        </p>
        {children}
        {refunds > 0 && (
          <p className="day-net">
            {texts.refundCount(refunds)}: <span className="number">{amount(-refundCents)}</span>. {texts.afterRefunds}:{' '}
            <b className="number">{amount(netCents)}</b>
          </p>
        )}
        {orders > 0 && (
          <p className={open > 0 ? 'day-open' : 'field-good'}>
            <Icon name={open > 0 ? (parkedCents > 0 ? 'stop' : 'clock') : 'check'} />{' '}
            {open > 0 ? texts.verdict.open(amount(open)) : texts.verdict.all}
          </p>
        )}
        {waitingCents > 0 && <p className="fine">{texts.verdict.waiting}</p>}
        {parkedCents > 0 && <p className="fine">{texts.verdict.parked}</p>}
        {open > 0 && (
          <div className="row">
            {OPEN_PARTS.filter((part) => amounts[`${part}Cents`] > 0).map((part) => (
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
