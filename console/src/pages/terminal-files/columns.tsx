import { Fragment } from 'react';
import { orderPlace } from '../../api/order-place.js';
import { Icon } from '../../design/icons.js';
import type { Column } from '../../design/table.js';
import { dateIn, useFormats } from '../../i18n/formats.js';
import { Link } from '../../router/link.js';
import type { OwnRestaurant } from '../../session/restaurants.js';
import { type Answer, signed } from './answers.js';
import { Decide } from './decide.js';
import type { Difference, TerminalFile, useDecide } from './queries.js';
import { useTexts } from './texts.js';

type Mutate = ReturnType<typeof useDecide>['mutate'];

/** The columns of each answer, in their order. */
const COLUMNS = {
  MISSING_HERE: ['when', 'amount', 'payment', 'act'],
  AMOUNT_DIFFERS: ['when', 'there', 'here', 'difference', 'payment', 'order'],
  SUGGESTED: ['when', 'amount', 'payment', 'order', 'act'],
  MISSING_THERE: ['when', 'here', 'order'],
  DUPLICATE: ['when', 'amount', 'payment', 'order'],
  UNREADABLE: ['line', 'reason', 'payment'],
  ENTERED: ['when', 'amount', 'payment', 'note'],
  CHARGEBACK: ['when', 'amount', 'payment', 'order'],
  REFUND: ['when', 'amount', 'payment', 'order'],
  OUTSIDE_DAY: ['when', 'amount', 'payment'],
  REPEATED: ['when', 'amount', 'payment', 'order'],
  IGNORED: ['when', 'amount', 'payment'],
  MATCHED: ['when', 'amount', 'payment', 'order'],
} as const satisfies Record<Answer, readonly string[]>;
type Name = (typeof COLUMNS)[Answer][number];

/** The columns of the rows with this answer. @param decide undefined: nobody decides them */
export function useRowColumns(
  answer: Answer,
  file: TerminalFile,
  restaurant: OwnRestaurant,
  rows: readonly Difference[],
  decide: Mutate | undefined,
  isDeciding: boolean,
): Column<Difference>[] {
  const texts = useTexts();
  const { amount, number, time, dateTime, shortDay } = useFormats();
  const { id, timezone } = restaurant;
  const isOneDay = file.days !== null && file.days.from === file.days.to && answer !== 'OUTSIDE_DAY';
  const write = (at: string) => (isOneDay ? time : dateTime)(at, timezone);
  const whenOf = ({ at, isDateOnly, sale }: Difference) => {
    if (at && isDateOnly) return shortDay(dateIn(timezone, at));
    const known = at ?? sale?.at;
    return known ? write(known) : texts.unknownTime;
  };
  const centsOf = ({ cents, kind }: Difference) => (cents === null ? null : signed(cents, kind));
  const cells: Record<Name, Omit<Column<Difference>, 'key' | 'header'>> = {
    when: { heading: true, cell: (row) => <span className="number">{whenOf(row)}</span> },
    line: { heading: true, cell: ({ line }) => texts.line(number(line ?? 0)) },
    amount: { end: true, cell: (row) => amountOrNothing(centsOf(row), 'plain ') },
    there: { end: true, cell: (row) => amountOrNothing(row.saleRows?.cents ?? centsOf(row)) },
    here: { end: true, cell: ({ sale }) => amountOrNothing(sale?.cents ?? null) },
    difference: {
      cell: (row) => {
        const difference = (row.saleRows?.cents ?? centsOf(row) ?? 0) - (row.sale?.cents ?? 0);
        return (
          <span className="plain wide">{(difference > 0 ? texts.more : texts.less)(amount(Math.abs(difference)))}</span>
        );
      },
    },
    payment: { cell: (row) => <Payment row={row} restaurantId={id} /> },
    order: { cell: (row) => <OrderOf row={row} restaurantId={id} write={write} /> },
    reason: {
      cell: ({ problem }) => (
        <span className="plain wide" lang="en">
          {problem}
        </span>
      ),
    },
    note: {
      cell: ({ note, decidedBy, decidedAt, sale }) => (
        <div className="plain wide">
          {note && <bdi className="named">{note}</bdi>}
          <div className="fine">
            <bdi>{decidedAt && texts.enteredBy(decidedBy ?? texts.somebody, dateTime(decidedAt, timezone))}</bdi>
          </div>
          {sale && (
            <div>
              <Icon name="warning" /> <Link to={orderPlace(id, sale.transactionKey)}>{texts.entered.arrived}</Link>
            </div>
          )}
        </div>
      ),
    },
    act: {
      cell: (row) => decide && <Decide row={row} decide={decide} isDeciding={isDeciding} when={whenOf(row)} />,
    },
  };
  function amountOrNothing(cents: number | null, plain = '') {
    return cents !== null && <span className={`${plain}number`}>{amount(cents)}</span>;
  }
  return COLUMNS[answer]
    .filter((name: Name) => name !== 'order' || rows.some(({ sale }) => sale !== null))
    .map((name) => ({ key: name, header: texts.columns[name], ...cells[name] }));
}

/** By what a person finds the payment in the file, on the receipt or in the portal of the provider. */
function Payment({ row, restaurantId }: { readonly row: Difference; readonly restaurantId: string }) {
  const texts = useTexts();
  const { number } = useFormats();
  const { reference, authorisation, terminal, tender, line, repeatOf } = row;
  const parts = [
    reference && texts.reference(reference),
    authorisation && texts.authorisation(authorisation),
    terminal && texts.terminal(terminal),
    tender,
    line !== null && texts.line(number(line)),
  ].filter((part) => typeof part === 'string' && part !== '');
  return (
    <span className="plain wide file-payment">
      {parts.map((part) => (
        <Fragment key={String(part)}>
          <bdi className="named">{part}</bdi>{' '}
        </Fragment>
      ))}
      {repeatOf && <Link to={`/r/${restaurantId}/terminal-files/${repeatOf.id}`}>{texts.also(repeatOf.name)}</Link>}
    </span>
  );
}

function OrderOf({
  row: { sale },
  restaurantId,
  write,
}: {
  readonly row: Difference;
  readonly restaurantId: string;
  readonly write: (at: string) => string;
}) {
  if (!sale) return null;
  const { transactionKey, transactionNumber, at } = sale;
  return (
    <span>
      <Link to={orderPlace(restaurantId, transactionKey)}>
        <bdi className="named">{transactionNumber || transactionKey}</bdi>
      </Link>{' '}
      <span className="fine number">{write(at)}</span>
    </span>
  );
}
