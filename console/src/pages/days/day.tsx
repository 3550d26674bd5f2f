import type { View } from '../../api/client.js';
import { orderPlace } from '../../api/order-place.js';
import { Button, ButtonLink } from '../../design/button.js';
import { Facts } from '../../design/facts.js';
import { Answer } from '../../design/feedback.js';
import { Icon } from '../../design/icons.js';
import { CancelledNote, MoneyLine, tipPartsOf, useCounts } from '../../design/money.js';
import { Page, Panel } from '../../design/page.js';
import { QrCode } from '../../design/qr.js';
import { type Column, Table } from '../../design/table.js';
import { Currency, useFormats } from '../../i18n/formats.js';
import { useSharedTexts } from '../../i18n/shared.js';
import { useTenderName } from '../../i18n/tender.js';
import { Link } from '../../router/link.js';
import { hrefOf, usePlace } from '../../router/location.js';
import type { RestaurantPageProps } from '../page-props.js';
import { useDay } from './queries.js';
import { useTexts } from './texts.js';
import './days.css';

type Detail = View<'ClosedDayDetailView'>;
type Row<Name extends 'lines' | 'undelivered'> = Detail[Name][number];

/** Stands for an amount of zero, and for none. */
const NONE = '–';

const STATES = ['delivered', 'resolved', 'waiting', 'parked', 'cancelled'] as const;
/** The rows of a table that one sheet of paper has room for; the style sheet hides the others. */
const ON_PAPER = 20;
/** What an answer has of lines and orders at most. */
const SHOWN = 100;

/** A closed day; printed, it is the end of the day on one page. */
export default function ClosedDay({ restaurant, parameters: { day = '' } }: RestaurantPageProps) {
  const texts = useTexts();
  const { day: dayText } = useFormats();
  const found = useDay(restaurant.id, day);
  return (
    <Page
      title={texts.report}
      aside={
        <div className="row not-printed">
          <ButtonLink to={`/r/${restaurant.id}/days`} icon="back">
            {texts.toDays}
          </ButtonLink>
          <Button icon="printer" onClick={() => print()}>
            {texts.print}
          </Button>
        </div>
      }
    >
      <div className="day-report">
        <p className="printed">
          <bdi>{restaurant.name}</bdi>
        </p>
        <Answer query={found} lines={8}>
          {(closed) => (
            // in the currency of the day, whatever the restaurant has now
            <Currency value={closed.currency}>
              <h2>{dayText(closed.day)}</h2>
              <Report closed={closed} restaurantId={restaurant.id} />
            </Currency>
          )}
        </Answer>
      </div>
    </Page>
  );
}

function Report({ closed, restaurantId }: { readonly closed: Detail; readonly restaurantId: string }) {
  const texts = useTexts();
  const { amount, number, dateTime, zone } = useFormats();
  const countsText = useCounts();
  const { states: names } = useSharedTexts();
  const { states, tenders, timezone } = closed;
  const closedAt = dateTime(closed.closedAt, timezone);
  const counted = ({ count, cents }: { count: number; cents: number }) => (
    <>
      <span className="number">{amount(cents)}</span> <span className="fine">({number(count)})</span>
    </>
  );
  return (
    <>
      <p className="fine">
        {texts.number} {closed.number} ·{' '}
        {texts.lasted(dateTime(closed.beginsAt, timezone), dateTime(closed.endsAt, timezone), zone(timezone))} ·{' '}
        {closed.closedByRelay
          ? texts.closedByItself(closedAt)
          : texts.closedBy(closed.closedBy ?? texts.somebody, closedAt)}
      </p>
      <Panel title={texts.taken} className="day-taken">
        <p className="closed-hero number">{amount(closed.takenCents)}</p>
        <p className="day-net">
          <MoneyLine of={closed} isBelowTaken />
        </p>
        <p>{countsText(closed.counts)}</p>
        <CancelledNote of={[closed]} />
        <Facts facts={[[texts.perpetual, amount(closed.perpetualCents)]]} />
      </Panel>
      <Panel title={texts.became}>
        <Facts
          facts={STATES.filter((state) => state !== 'resolved' || states.resolved.count > 0).map(
            (state) => [names[state], counted(states[state])] as const,
          )}
        />
      </Panel>
      {tenders.length > 0 && <Tenders of={closed} />}
      {closed.undelivered.length > 0 && <Undelivered rows={closed.undelivered} restaurantId={restaurantId} />}
      {closed.lines.length > 0 && <Lines rows={closed.lines} restaurantId={restaurantId} />}
      <Seal of={closed} />
    </>
  );
}

/** Who answers for the day signs the paper; its code leads back to this page, which compares the seal of the paper with its own (B11). */
function Seal({ of: { hash } }: { readonly of: Detail }) {
  const texts = useTexts();
  const { path, query } = usePlace();
  const ofPaper = query.get('seal');
  const agrees = ofPaper === hash;
  return (
    <Panel title={texts.seal} className="day-end">
      <QrCode text={`${location.origin}${hrefOf(path)}?seal=${hash}`} label={texts.code} />
      <div className="day-seal">
        <code>{hash}</code>
        <p className="fine">{texts.sealHelp}</p>
        {ofPaper !== null && (
          <p role="status" className={agrees ? 'field-good' : 'field-error'}>
            <Icon name={agrees ? 'check' : 'stop'} /> {agrees ? texts.sealAgrees : texts.sealDiffers}
          </p>
        )}
        <p className="day-sign printed">{texts.signature}</p>
      </div>
    </Panel>
  );
}

/** The tenders, with tip and service fee of what was paid with each alone; last, those of sales with several tenders (R69). */
function Tenders({ of: { tenders, severalTenders, cancelledCents } }: { readonly of: Detail }) {
  const texts = useTexts();
  const shared = useSharedTexts();
  const { amount, number } = useFormats();
  const nameOf = useTenderName(tenders);
  const withSeveral = tipPartsOf([severalTenders]).length > 0;
  const tips = tipPartsOf([...tenders, severalTenders]);
  const rows = tenders.map(({ count, cents, ...tender }) => ({
    ...tender,
    ...{ key: `tender ${tender.tenderType}`, name: nameOf(tender), count: number(count), paid: amount(cents) },
  }));
  const several = { key: 'several', name: shared.severalTenders, count: NONE, paid: NONE, ...severalTenders };
  const columns: Column<typeof several>[] = [
    { key: 'tender', header: texts.tender, heading: true, cell: ({ name }) => <bdi>{name}</bdi> },
    { key: 'count', header: texts.count, end: true, cell: ({ count }) => count },
    { key: 'amount', header: texts.amount, end: true, cell: ({ paid }) => paid },
    ...tips.map((part) => ({
      ...{ key: part, header: shared.tipColumns[part], end: true },
      cell: (row: typeof several) => {
        const cents = row[`${part}Cents`] ?? 0;
        return cents === 0 ? NONE : amount(cents);
      },
    })),
  ];
  return (
    <Panel title={texts.tenders}>
      <Table
        caption={texts.tenders}
        columns={columns}
        rows={withSeveral ? [...rows, several] : rows}
        rowKey={({ key }) => key}
        dense
      />
      {cancelledCents !== 0 && (
        <p className="fine">{tips.length > 0 ? texts.withCancelledAndTips : texts.withCancelled}</p>
      )}
      {tenders.length > ON_PAPER && <p className="printed">{texts.onPaper}</p>}
    </Panel>
  );
}

function Undelivered({ rows, restaurantId }: { readonly rows: Detail['undelivered']; readonly restaurantId: string }) {
  const texts = useTexts();
  const { states } = useSharedTexts();
  const { amount } = useFormats();
  const columns: Column<Row<'undelivered'>>[] = [
    { key: 'order', header: texts.order, heading: true, cell: (row) => <OrderLink of={row} at={restaurantId} /> },
    { key: 'state', header: texts.state, cell: ({ state }) => states[state] },
    { key: 'amount', header: texts.amount, end: true, cell: ({ cents }) => amount(cents) },
  ];
  return (
    <Panel title={texts.undelivered}>
      <Table
        caption={texts.undelivered}
        columns={columns}
        rows={rows}
        rowKey={({ transactionKey }) => transactionKey}
      />
      {rows.length === SHOWN && <p className="fine not-printed">{texts.more}</p>}
      {rows.length > ON_PAPER && <p className="printed">{texts.onPaper}</p>}
    </Panel>
  );
}

function Lines({ rows, restaurantId }: { readonly rows: Detail['lines']; readonly restaurantId: string }) {
  const texts = useTexts();
  const { amount, shortDay } = useFormats();
  const columns: Column<Row<'lines'>>[] = [
    { key: 'order', header: texts.order, heading: true, cell: (row) => <OrderLink of={row} at={restaurantId} /> },
    { key: 'kind', header: texts.kind, cell: ({ kind, wrong }) => (wrong ? texts.wrongLine : texts.kinds[kind]) },
    { key: 'day', header: texts.forDay, cell: ({ forDay }) => shortDay(forDay) },
    { key: 'amount', header: texts.amount, end: true, cell: ({ cents, wrong }) => (wrong ? '–' : amount(cents)) },
  ];
  return (
    <Panel title={texts.earlier}>
      <Table
        caption={texts.earlier}
        columns={columns}
        rows={rows}
        rowKey={({ transactionKey, kind }) => `${kind} ${transactionKey}`}
      />
      {rows.some(({ wrong }) => wrong) && <p className="fine">{texts.wrongHelp}</p>}
      {rows.length === SHOWN && <p className="fine not-printed">{texts.more}</p>}
      {rows.length > ON_PAPER && <p className="printed">{texts.onPaper}</p>}
    </Panel>
  );
}

function OrderLink({ of: { transactionKey }, at }: { readonly of: { transactionKey: string }; readonly at: string }) {
  return (
    <Link to={orderPlace(at, transactionKey)}>
      <bdi className="named">{transactionKey}</bdi>
    </Link>
  );
}
