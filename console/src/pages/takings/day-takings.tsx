import { AMOUNT_PARTS, type AmountPart } from '../../api/amounts.js';
import type { View } from '../../api/client.js';
import { ButtonLink } from '../../design/button.js';
import { EmptyState } from '../../design/feedback.js';
import { Icon, type IconName } from '../../design/icons.js';
import { Panel } from '../../design/page.js';
import { type Column, Table } from '../../design/table.js';
import { useFormats } from '../../i18n/formats.js';
import { useTenderName } from '../../i18n/tender.js';
import { useTexts } from './texts.js';

type Amounts = View<'AmountsView'>;

/** The parts that are not in the POS, the worse one first. */
const OPEN_PARTS = ['parked', 'waiting'] as const;

const PART_LOOKS: Record<AmountPart, readonly [icon: IconName, tone: string]> = {
  delivered: ['check', 'good'],
  waiting: ['clock', 'wait'],
  parked: ['stop', 'bad'],
  cancelled: ['cross', 'quiet'],
};

function PartBadge({ part }: { readonly part: AmountPart }) {
  const texts = useTexts();
  const [icon, tone] = PART_LOOKS[part];
  return (
    <span className={`badge tone-${tone}`}>
      <Icon name={icon} />
      {texts.states[part]}
    </span>
  );
}

/** The sum of the day, whether all of it is in the POS, and its parts. */
export function DayTotal({
  statistics: { amounts, from, to, timezone, amountMismatches },
  restaurantId,
  isToday,
}: {
  readonly statistics: View<'StatisticsView'>;
  readonly restaurantId: string;
  readonly isToday: boolean;
}) {
  const texts = useTexts();
  const { amount, percent, dateTime } = useFormats();
  const { totalCents, waitingCents, parkedCents, byDay } = amounts;
  const open = waitingCents + parkedCents;
  const orders = byDay.reduce((total, day) => total + day.orders, 0);
  const counted = (
    <p className="fine">
      {texts.lasts(dateTime(from, timezone), dateTime(to, timezone), timezone)}. {texts.withoutTests}
    </p>
  );
  if (orders === 0)
    return (
      <Panel title={isToday ? texts.takenSoFar : texts.taken}>
        {counted}
        <EmptyState icon="coins" title={isToday ? texts.emptyToday : texts.empty}>
          <p>{texts.emptyHelp}</p>
        </EmptyState>
      </Panel>
    );
  const rows = [
    ...AMOUNT_PARTS.map((part) => ({ part, cents: amounts[`${part}Cents`] })),
    { part: null, cents: totalCents },
  ];
  const columns: Column<(typeof rows)[number]>[] = [
    {
      key: 'state',
      header: texts.state,
      heading: true,
      cell: ({ part }) => (part ? <PartBadge part={part} /> : texts.total),
    },
    { key: 'amount', header: texts.amount, end: true, cell: ({ cents }) => amount(cents) },
    {
      key: 'share',
      header: texts.share,
      end: true,
      cell: ({ cents }) => (totalCents > 0 ? percent(cents / totalCents) : ''),
    },
  ];
  return (
    <Panel title={isToday ? texts.takenSoFar : texts.taken} className="day-total">
      <div className="day-sum">
        <p className="hero number">{amount(totalCents)}</p>
        <p>{texts.orders(orders)}</p>
        <p className={open > 0 ? 'day-open' : 'field-good'}>
          <Icon name={open > 0 ? (parkedCents > 0 ? 'stop' : 'clock') : 'check'} />{' '}
          {open > 0 ? texts.verdict.open(amount(open)) : texts.verdict.all}
        </p>
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
        {amountMismatches > 0 && <p className="fine">{texts.mismatches(amountMismatches)}</p>}
        {counted}
      </div>
      <div>
        <h3>{texts.split}</h3>
        <div className="sums">
          <Table caption={texts.splitCaption} columns={columns} rows={rows} rowKey={({ part }) => part ?? 'total'} />
        </div>
      </div>
    </Panel>
  );
}

/** Each means of payment with its parts; the last row is the sum. */
export function ByTender({ amounts }: { readonly amounts: Amounts }) {
  const texts = useTexts();
  const { amount } = useFormats();
  type Row = Pick<Amounts, `${AmountPart}Cents`> & {
    readonly key: string;
    readonly name: string;
    readonly cents: number;
  };
  const nameOf = useTenderName(amounts.byTender);
  const rows: Row[] = [
    ...amounts.byTender.map(({ tenderType, name, ...split }) => ({
      key: `tender ${tenderType}`,
      name: nameOf({ tenderType, name }),
      ...split,
    })),
    { ...amounts, key: 'total', name: texts.total, cents: amounts.totalCents },
  ];
  const columns: Column<Row>[] = [
    {
      key: 'name',
      header: texts.tender,
      heading: true,
      cell: ({ name }) => <span className="named">{name}</span>,
    },
    ...AMOUNT_PARTS.map((part) => ({
      key: part,
      header: texts.states[part],
      end: true,
      cell: (row: Row) => amount(row[`${part}Cents`]),
    })),
    { key: 'total', header: texts.total, end: true, cell: ({ cents }) => <strong>{amount(cents)}</strong> },
  ];
  return (
    <Panel title={texts.byTender}>
      <div className="sums">
        <Table caption={texts.byTender} columns={columns} rows={rows} rowKey={({ key }) => key} />
      </div>
    </Panel>
  );
}
