import { Panel } from '../../design/page.js';
import { type Column, Table } from '../../design/table.js';
import { useFormats } from '../../i18n/formats.js';
import { useSharedTexts } from '../../i18n/shared.js';
import { type Body, type Item, lineCents, type Payment, readTerminal } from './bodies.js';
import { type Order, readOrder } from './reading.js';
import { useTexts } from './texts.js';

/** What the terminal sent beside what the POS gets, and why they differ. */
export function Bodies({ order }: { readonly order: Order }) {
  const texts = useTexts();
  const terminal = readTerminal(order.event);
  const pos = order.order && readOrder(order.order);
  return (
    <div className="bodies">
      <Panel title={texts.terminal}>
        <BodyView body={terminal} title={texts.terminal} />
        <Raw body={order.event} />
      </Panel>
      <Panel title={pos ? (order.sent ? texts.pos : texts.posWould) : texts.posNone}>
        {pos ? (
          <>
            <Explained body={pos} terminal={terminal} />
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
function Explained({ body, terminal }: { readonly body: Body; readonly terminal: Body }) {
  const { explained } = useTexts();
  const { amount } = useFormats();
  const { total, discount, surcharge } = body;
  const { tip = 0, serviceFee = 0 } = terminal;
  if (total === undefined || discount === undefined || surcharge === undefined) return null;
  const items = amount(total + discount - surcharge);
  if (discount > 0 && surcharge > 0)
    return <p className="explained">{explained.both(amount(total), amount(discount), amount(surcharge))}</p>;
  if (discount > 0) return <p className="explained">{explained.discount(items, amount(total), amount(discount))}</p>;
  if (surcharge > 0 && surcharge === tip + serviceFee)
    return <p className="explained">{explained.tipAndFee(items, amount(total), amount(surcharge))}</p>;
  if (surcharge > 0) return <p className="explained">{explained.surcharge(items, amount(total), amount(surcharge))}</p>;
  return <p className="explained">{explained.exact}</p>;
}

function BodyView({ body, title }: { readonly body: Body; readonly title: string }) {
  const texts = useTexts();
  const { amount } = useFormats();
  const sums: [name: string, sign: string, cents: number | undefined][] = [
    [texts.tip, '+ ', body.tip || undefined],
    [texts.serviceFee, '+ ', body.serviceFee || undefined],
    [texts.discount, '− ', body.discount || undefined],
    [texts.surcharge, '+ ', body.surcharge || undefined],
    [body.isTerminal ? texts.totalAmount : texts.total, '', body.total],
  ];
  return (
    <>
      <h3>{texts.items}</h3>
      {body.items.length > 0 ? <Items items={body.items} title={title} /> : <p className="quiet">{texts.noItems}</p>}
      {body.notes !== undefined && <Notes text={body.notes} />}
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
      cell: ({ name, code, options, notes }) => (
        <>
          <bdi className="item-name">{name || code ? name : '–'}</bdi>
          <bdi className="item-code mono">{code}</bdi>
          {options.length > 0 && <Options options={options} />}
          {notes !== undefined && <Notes text={notes} />}
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

/** What belongs to one unit of an item, with its price where it has one. */
function Options({ options }: { readonly options: Item['options'] }) {
  const { amount, number } = useFormats();
  return (
    <ul className="item-options">
      {options.map(({ code, name, quantity, unitPrice }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the options of a sale never change, and may be alike
        <li key={index}>
          + {quantity === 1 ? '' : `${number(quantity)} × `}
          <bdi>{name || code || '–'}</bdi>
          {unitPrice !== 0 && <span className="number"> {amount(unitPrice * 100)}</span>}
        </li>
      ))}
    </ul>
  );
}

/** Words for the kitchen. */
function Notes({ text }: { readonly text: string }) {
  const texts = useTexts();
  return (
    <p className="item-notes">
      <span className="unseen">{texts.notes}: </span>
      <bdi>{text}</bdi>
    </p>
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
      cell: ({ type, name, evidence }) => (
        <>
          <bdi>{name === undefined ? type : `${tenders[name]} ${type}`}</bdi>
          {evidence && <Proof evidence={evidence} />}
        </>
      ),
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

/** What proves a payment (M22). */
function Proof({ evidence }: { readonly evidence: NonNullable<Payment['evidence']> }) {
  const { evidence: words } = useTexts();
  const { authorizationCode, acquirerDocument, brand, installments, terminalId } = evidence;
  const parts = [
    brand,
    authorizationCode && words.authorization(authorizationCode),
    installments && words.installments(installments),
    terminalId && words.terminal(terminalId),
    acquirerDocument && words.acquirer(acquirerDocument),
  ].filter((part) => part !== undefined && part !== '');
  return <bdi className="item-code">{parts.join(' · ')}</bdi>;
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
