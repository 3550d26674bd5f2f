import { Panel } from '../../design/page.js';
import { type Column, Table } from '../../design/table.js';
import { useFormats } from '../../i18n/formats.js';
import { useSharedTexts } from '../../i18n/shared.js';
import { type Body, type Item, lineCents, type Payment, readPos, readTerminal } from './bodies.js';
import type { Order } from './reading.js';
import { useTexts } from './texts.js';

/** What the terminal sent beside what the POS gets, and why they differ. */
export function Bodies({ order }: { readonly order: Order }) {
  const texts = useTexts();
  const terminal = readTerminal(order.event);
  const pos = order.order && readPos(order.order);
  return (
    <div className="bodies">
      <Panel title={texts.terminal}>
        <BodyView body={terminal} title={texts.terminal} />
        <Raw body={order.event} />
      </Panel>
      <Panel title={pos ? (order.sent ? texts.pos : texts.posWould) : texts.posNone}>
        {pos ? (
          <>
            <Explained body={pos} />
            <BodyView body={pos} title={texts.pos} />
            <Raw body={order.order} />
          </>
        ) : (
          <blockquote lang="en">
            <bdi>{order.unmappable}</bdi>
          </blockquote>
        )}
      </Panel>
    </div>
  );
}

/** Discount and surcharge in words. */
function Explained({ body }: { readonly body: Body }) {
  const { explained } = useTexts();
  const { amount } = useFormats();
  const { total, discount, surcharge } = body;
  if (total === undefined || discount === undefined || surcharge === undefined) return null;
  const items = amount(total + discount - surcharge);
  if (discount > 0 && surcharge > 0)
    return <p className="explained">{explained.both(amount(total), amount(discount), amount(surcharge))}</p>;
  if (discount > 0) return <p className="explained">{explained.discount(items, amount(total), amount(discount))}</p>;
  if (surcharge > 0) return <p className="explained">{explained.surcharge(items, amount(total), amount(surcharge))}</p>;
  return <p className="explained">{explained.exact}</p>;
}

function BodyView({ body, title }: { readonly body: Body; readonly title: string }) {
  const texts = useTexts();
  const { amount } = useFormats();
  const sums: [name: string, sign: string, cents: number | undefined][] = [
    [texts.discount, '− ', body.discount || undefined],
    [texts.surcharge, '+ ', body.surcharge || undefined],
    [body.isTerminal ? texts.totalAmount : texts.total, '', body.total],
  ];
  return (
    <>
      <h3>{texts.items}</h3>
      {body.items.length > 0 ? <Items items={body.items} title={title} /> : <p className="quiet">{texts.noItems}</p>}
      <h3>{texts.payments}</h3>
      {body.payments.length > 0 ? (
        <Payments payments={body.payments} title={title} />
      ) : (
        <p className="quiet">{texts.noPayments}</p>
      )}
      <dl className="sums">
        {sums.map(
          ([name, sign, cents]) =>
            cents !== undefined && (
              <div key={name}>
                <dt>{name}</dt>
                <dd className="number">
                  {sign}
                  {amount(cents)}
                </dd>
              </div>
            ),
        )}
      </dl>
    </>
  );
}

function Items({ items, title }: { readonly items: readonly Item[]; readonly title: string }) {
  const texts = useTexts();
  const { amount } = useFormats();
  const columns: Column<Item>[] = [
    {
      key: 'item',
      header: texts.item,
      heading: true,
      cell: ({ name, code }) => (
        <>
          <bdi className="item-name">{name || code ? name : '–'}</bdi>
          <bdi className="item-code mono">{code}</bdi>
        </>
      ),
    },
    { key: 'quantity', header: texts.quantity, end: true, cell: ({ quantity }) => <Value value={quantity} /> },
    { key: 'price', header: texts.price, end: true, cell: ({ price }) => <Value value={price} isAmount /> },
    {
      key: 'line',
      header: texts.line,
      end: true,
      cell: (item) => {
        const cents = lineCents(item);
        return cents === undefined ? '–' : amount(cents);
      },
    },
  ];
  return (
    <Table
      dense
      caption={`${title}: ${texts.items}`}
      columns={columns}
      rows={items}
      rowKey={({ index }) => String(index)}
    />
  );
}

function Payments({ payments, title }: { readonly payments: readonly Payment[]; readonly title: string }) {
  const texts = useTexts();
  const { tenders } = useSharedTexts();
  const columns: Column<Payment>[] = [
    {
      key: 'payment',
      header: texts.payment,
      heading: true,
      cell: ({ type, name }) => <bdi>{name === undefined ? type : `${tenders[name]} ${type}`}</bdi>,
    },
    { key: 'amount', header: texts.amount, end: true, cell: ({ amount }) => <Value value={amount} isAmount /> },
  ];
  return (
    <Table
      dense
      caption={`${title}: ${texts.payments}`}
      columns={columns}
      rows={payments}
      rowKey={({ index }) => String(index)}
    />
  );
}

/** A number as the language writes it; what is none, as it was sent. */
function Value({ value, isAmount = false }: { readonly value: unknown; readonly isAmount?: boolean }) {
  const { amount, number } = useFormats();
  if (typeof value !== 'number') return <code>{JSON.stringify(value) ?? '–'}</code>;
  return isAmount ? amount(value * 100) : number(value);
}

function Raw({ body }: { readonly body: unknown }) {
  const texts = useTexts();
  return (
    <details>
      <summary>{texts.raw}</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and must do so by the keyboard too */}
      <section className="raw" tabIndex={0} aria-label={texts.raw}>
        <pre>{JSON.stringify(body, null, 2)}</pre>
      </section>
    </details>
  );
}
