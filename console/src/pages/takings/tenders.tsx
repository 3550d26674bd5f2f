import { AMOUNT_PARTS, type AmountPart, centsOf, type Split, TAKEN_PARTS } from '../../api/amounts.js';
import type { View } from '../../api/client.js';
import { Icon, type IconName } from '../../design/icons.js';
import { type TipPart, tipPartsOf } from '../../design/money.js';
import { Panel } from '../../design/page.js';
import { type Column, Table } from '../../design/table.js';
import { useFormats } from '../../i18n/formats.js';
import { useSharedTexts } from '../../i18n/shared.js';
import { useTenderName } from '../../i18n/tender.js';
import { useTexts } from './texts.js';

type Amounts = View<'AmountsView'>;

const takenOf = (split: Split) => TAKEN_PARTS.reduce((sum, part) => sum + centsOf(split, part), 0);

/** Stands for an amount of zero in a table. */
export const NONE = '–';

const PART_LOOKS: Record<AmountPart, readonly [icon: IconName, tone: string]> = {
  delivered: ['check', 'good'],
  resolved: ['person', 'good'],
  waiting: ['clock', 'wait'],
  parked: ['stop', 'bad'],
  cancelled: ['cross', 'quiet'],
};

/** What became of a part of the takings. */
export function PartBadge({ part }: { readonly part: AmountPart }) {
  const { states } = useSharedTexts();
  const [icon, tone] = PART_LOOKS[part];
  return (
    <span className={`badge tone-${tone}`}>
      <Icon name={icon} />
      {states[part]}
    </span>
  );
}

/** A means of payment, several of them, or the sum of all: what was taken with it, and tip and service fee of what was paid with it alone. */
interface Row extends Split, Readonly<Record<`${TipPart}Cents`, number>> {
  readonly key: string;
  readonly name: string;
  readonly cents: number;
}

const NOTHING: Split & { readonly cents: number } = {
  ...{ cents: 0, deliveredCents: 0, resolvedCents: 0, waitingCents: 0, parkedCents: 0, cancelledCents: 0 },
};

/** Each means of payment with its parts, then the sum: a table, and on a phone a list with the parts behind a tap. */
export function ByTender({ amounts }: { readonly amounts: Amounts }) {
  const texts = useTexts();
  const { states, tipColumns, severalTenders } = useSharedTexts();
  const { amount } = useFormats();
  const nameOf = useTenderName(amounts.byTender);
  const tenders = amounts.byTender.map(
    ({ tenderType, name, ...split }): Row => ({
      key: `tender ${tenderType}`,
      name: nameOf({ tenderType, name }),
      ...split,
      cents: takenOf(split),
    }),
  );
  // a sale that was paid with several has its tip here (R69)
  const { tipCents, serviceFeeCents } = amounts.severalTenders;
  const several: Row = {
    ...{ key: 'several', name: severalTenders, ...NOTHING },
    ...{ tipCents: tipCents ?? 0, serviceFeeCents: serviceFeeCents ?? 0 },
  };
  const total: Row = { ...amounts, key: 'total', name: texts.taken, cents: amounts.takenCents };
  const orDash = (cents: number) => (cents === 0 ? NONE : amount(cents));
  const partColumn = (part: AmountPart): Column<Row> => ({
    key: part,
    header: states[part],
    end: true,
    cell: (row) => orDash(centsOf(row, part)),
  });
  const takenText = ({ key, cents }: Row) => (key === several.key ? NONE : amount(cents));
  const rows = [...tenders, ...(tipPartsOf([several]).length > 0 ? [several] : []), total];
  const tips = tipPartsOf(rows);
  const columns: Column<Row>[] = [
    {
      key: 'name',
      header: texts.tender,
      heading: true,
      cell: ({ name }) => <span className="named">{name}</span>,
    },
    ...TAKEN_PARTS.filter((part) => part !== 'resolved' || amounts.resolvedCents > 0).map(partColumn),
    { key: 'taken', header: texts.taken, end: true, cell: (row) => <strong>{takenText(row)}</strong> },
    partColumn('cancelled'),
    ...tips.map((part) => ({
      ...{ key: part, header: tipColumns[part], end: true },
      cell: (row: Row) => orDash(row[`${part}Cents`]),
    })),
  ];
  return (
    <Panel title={texts.byTender} className="by-tender">
      <div className="sums tender-table">
        <Table caption={texts.byTender} columns={columns} rows={rows} rowKey={({ key }) => key} />
      </div>
      <ul className="tender-list">
        {rows.map((row) => (
          <li key={row.key}>
            <details>
              <summary>
                <span className="named">{row.name}</span>
                <span className="number">{takenText(row)}</span>
              </summary>
              <Parts of={row} />
            </details>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** The parts of an amount, without those that are zero; then its tip and service fee, which are in them. */
function Parts({ of }: { readonly of: Row }) {
  const { amount } = useFormats();
  const { tipColumns } = useSharedTexts();
  return (
    <ul className="tender-parts">
      {AMOUNT_PARTS.filter((part) => centsOf(of, part) > 0).map((part) => (
        <li key={part}>
          <PartBadge part={part} />
          <span className="number">{amount(centsOf(of, part))}</span>
        </li>
      ))}
      {tipPartsOf([of]).map((part) => (
        <li key={part}>
          <span>{tipColumns[part]}</span>
          <span className="number">{amount(of[`${part}Cents`])}</span>
        </li>
      ))}
    </ul>
  );
}
