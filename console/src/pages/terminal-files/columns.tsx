import { Fragment, type ReactNode } from 'react';
import { orderPlace } from '../../api/order-place.js';
import type { Column } from '../../design/table.js';
import { dateIn, useFormats } from '../../i18n/formats.js';
import { Link } from '../../router/link.js';
import type { OwnRestaurant } from '../../session/restaurants.js';
import { type Answer, signed } from './answers.js';
import { Decide } from './decide.js';
import { Decided } from './decided.js';
import type { Difference, TerminalFile, useDecide } from './queries.js';
import { useTexts } from './texts.js';
import './pairs.css';

type Mutate = ReturnType<typeof useDecide>['mutate'];

/** What a row of a part shows: the payment of the file, the sale beside it, and what a person says. */
const PAIR = ['file', 'here', 'act'] as const;
const SIDES = ['file', 'here'] as const;
const COLUMNS = {
  MISSING_HERE: PAIR,
  AMOUNT_DIFFERS: PAIR,
  SUGGESTED: PAIR,
  MISSING_THERE: SIDES,
  DUPLICATE: PAIR,
  UNREADABLE: ['line', 'reason', 'payment'],
  ENTERED: PAIR,
  CHARGEBACK: SIDES,
  REFUND: SIDES,
  OUTSIDE_DAY: ['file'],
  REPEATED: SIDES,
  IGNORED: ['file'],
  MATCHED: PAIR,
} as const satisfies Record<Answer, readonly string[]>;
type Name = (typeof COLUMNS)[Answer][number];

/** The columns of the rows with this answer. @param decide undefined: nobody decides them */
export function useRowColumns(
  answer: Answer,
  file: TerminalFile,
  restaurant: OwnRestaurant,
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
  const amountOf = (cents: number | null) =>
    cents !== null && <strong className="number pair-amount">{amount(cents)}</strong>;
  // in little room the table has no header
  const label = (name: 'file' | 'here') => (
    <span className="pair-label fine" aria-hidden="true">
      {texts.columns[name]}
    </span>
  );
  const centsOf = ({ cents, kind }: Difference) => (cents === null ? null : signed(cents, kind));
  const cells: Record<Name, Omit<Column<Difference>, 'key' | 'header'>> = {
    file: {
      heading: answer !== 'MISSING_THERE',
      cell: (row) =>
        row.line === null ? (
          <Gap>{texts.gaps.there}</Gap>
        ) : (
          <div className="pair-side">
            {label('file')}
            {amountOf(row.saleRows?.cents ?? centsOf(row))} <span>{whenOf(row)}</span>
            <Payment row={row} restaurantId={id} />
          </div>
        ),
    },
    here: {
      heading: answer === 'MISSING_THERE',
      cell: ({ sale }) => {
        if (!sale) return <Gap>{texts.gaps[answer === 'MISSING_HERE' ? 'here' : 'none']}</Gap>;
        const { transactionKey, transactionNumber, at, cents } = sale;
        return (
          <div className={`pair-side ${answer === 'SUGGESTED' ? 'pair-maybe' : ''}`}>
            {label('here')}
            {amountOf(cents)} <span>{write(at)}</span>
            <div className="fine">
              <Link to={orderPlace(id, transactionKey)}>
                <bdi className="named">{transactionNumber || transactionKey}</bdi>
              </Link>
            </div>
          </div>
        );
      },
    },
    line: { heading: true, cell: ({ line }) => texts.line(number(line ?? 0)) },
    payment: { cell: (row) => <Payment row={row} restaurantId={id} /> },
    reason: {
      cell: ({ problem }) => (
        <span className="plain wide" lang="en">
          {problem}
        </span>
      ),
    },
    act: {
      cell: (row) => {
        const acting = { row, decide, isDeciding, when: whenOf(row) };
        return (
          <div className="pair-act">
            {answer === 'AMOUNT_DIFFERS' && <DifferenceOf row={row} />}
            <Decided {...acting} timezone={timezone} />
            {decide && <Decide {...acting} decide={decide} />}
          </div>
        );
      },
    },
  };
  return COLUMNS[answer].map((name: Name) => ({ key: name, header: texts.columns[name], ...cells[name] }));
}

/** The place of what is not there. */
function Gap({ children }: { readonly children: ReactNode }) {
  return <div className="pair-side pair-gap fine">{children}</div>;
}

function DifferenceOf({ row: { saleRows, cents, kind, sale } }: { readonly row: Difference }) {
  const texts = useTexts();
  const { amount } = useFormats();
  const there = saleRows?.cents ?? (cents === null ? 0 : signed(cents, kind));
  const difference = there - (sale?.cents ?? 0);
  return (
    <span>
      <strong>{texts.correct(amount(sale?.cents ?? 0), amount(there))}</strong>{' '}
      <span className="fine">({(difference > 0 ? texts.more : texts.less)(amount(Math.abs(difference)))})</span>
    </span>
  );
}

/** By what a person finds the payment in the file, on the receipt or in the portal of the provider. */
function Payment({ row, restaurantId }: { readonly row: Difference; readonly restaurantId: string }) {
  const texts = useTexts();
  const { number } = useFormats();
  const { reference, authorisation, terminal, tender, line, repeatOf, saleRows, equalLine } = row;
  const parts = [
    reference && texts.reference(reference),
    authorisation && texts.authorisation(authorisation),
    terminal && texts.terminal(terminal),
    tender,
    equalLine !== null && texts.equalLine(number(equalLine)),
    saleRows && saleRows.count > 1 ? texts.rows(saleRows.count) : line !== null && texts.line(number(line)),
  ].filter((part) => typeof part === 'string' && part !== '');
  return (
    <span className="plain fine file-payment">
      {parts.map((part) => (
        <Fragment key={String(part)}>
          <bdi className="named">{part}</bdi>{' '}
        </Fragment>
      ))}
      {repeatOf && <Link to={`/r/${restaurantId}/terminal-files/${repeatOf.id}`}>{texts.also(repeatOf.name)}</Link>}
    </span>
  );
}
