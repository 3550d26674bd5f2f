import { type Cents, fromCents } from '../../../domain/money.js';
import { itemCents } from '../../../domain/options.js';
import type { Order, OrderItem, OrderOption, OrderPayment } from '../../../domain/order.js';
import type { OrderOrigin } from '../../vendor.js';
import { brandOf, methodOf } from './payments.js';
import { uuidOf } from './uuid-of.js';

/** An amount (Q9): currency units with up to four decimals, and ISO 4217. */
interface Price {
  readonly value: number;
  readonly currency: string;
}

const DECIMALS = 10_000;
/** Lengths of the standard. */
const MAX_NAME = 500;
const ID_LENGTH = { least: 36, most: 100 };

/**
 * The order of a sale as Open Delivery has it (Q9): eaten in the house, paid in advance at a terminal. Fees are fees and no discounts; what was
 * paid beyond items, tip and service fee is a fee too.
 */
export function documentOf(order: Order, origin: OrderOrigin & { readonly currency: string }) {
  const { currency, jobId } = origin;
  const price = (value: number): Price => ({ value: Math.round(value * DECIMALS) / DECIMALS, currency });
  const cents = (value: Cents) => price(fromCents(value));
  const createdAt = order.createdAt.toISOString();
  const fees = feesOf(order).map(({ name, type, amount }) => ({
    name,
    type,
    receivedBy: 'MERCHANT',
    price: cents(amount),
  }));
  const items = order.items.map((item, i) => itemOf(item, i, jobId, price));
  const itemsTotal = order.items.reduce((total, item) => total + itemCents(item), 0n);
  const extra = [origin.testMode ? 'TEST: do not prepare' : undefined, order.notes].filter(
    (text) => text !== undefined,
  );
  return {
    id: jobId,
    type: 'INDOOR',
    displayId: order.id,
    category: 'FOOD',
    createdAt,
    orderTiming: 'INSTANT',
    preparationStartDateTime: createdAt,
    merchant: { id: merchantIdOf(order.store, origin.restaurantId), name: origin.restaurantName.slice(0, MAX_NAME) },
    items,
    ...(fees.length > 0 && { otherFees: fees }),
    ...(order.discount > 0n && { discounts: [discountOf(cents(order.discount))] }),
    total: {
      itemsPrice: cents(itemsTotal),
      otherFees: cents(order.surcharge),
      discount: cents(order.discount),
      orderAmount: cents(order.total),
    },
    payments: {
      prepaid: fromCents(order.total),
      pending: 0,
      methods: order.payments.map((payment) => paymentOf(payment, currency)),
    },
    indoor: { mode: 'TERMINAL', indoorDateTime: createdAt },
    ...(extra.length > 0 && { extraInfo: extra.join('; ') }),
  };
}

/** The id of an item of an order (Q9): the same at each read, so that the POS can name it in a refusal. @param place from 0 */
export function itemId(jobId: string, place: string): string {
  return uuidOf(`${jobId}/${place}`);
}

/**
 * The codes at the POS of the items and options with these ids, each once; one without a code is left out.
 * @param document an order of {@link documentOf}, as it was sent
 */
export function namedItemCodes(document: object, ids: readonly string[]): string[] {
  return [...new Set(partsWith(document, ids).flatMap(({ externalCode }) => externalCode || []))];
}

/** As {@link namedItemCodes}, but the names: they are the same whatever the codes are. One that has only a code is named by its place. */
export function namedItemNames(document: object, ids: readonly string[]): string[] {
  const names = partsWith(document, ids).map(({ name, externalCode, index }) =>
    name === externalCode ? `item ${index + 1}` : name,
  );
  return [...new Set(names)];
}

function partsWith(document: object, ids: readonly string[]) {
  const { items = [] } = document as Partial<ReturnType<typeof documentOf>>;
  return items.flatMap((item) => [item, ...(item.options ?? [])]).filter(({ id }) => ids.includes(id));
}

/** The id of the restaurant at its POS (Q9). @param store its `codeStorePos`; empty: not set */
export function merchantIdOf(store: string, restaurantId: string): string {
  return store.length >= ID_LENGTH.least && store.length <= ID_LENGTH.most ? store : restaurantId;
}

function feesOf({ tip, serviceFee, surcharge }: Order) {
  return [
    { name: 'Tip', type: 'TIP', amount: tip },
    { name: 'Service fee', type: 'SERVICE_FEE', amount: serviceFee },
    { name: 'Surcharge', type: 'SERVICE_FEE', amount: surcharge - tip - serviceFee },
  ].filter(({ amount }) => amount > 0n);
}

function discountOf(amount: Price) {
  return { amount, target: 'CART', sponsorshipValues: [{ name: 'MERCHANT', amount }] };
}

function itemOf(item: OrderItem, i: number, jobId: string, price: (value: number) => Price) {
  const { quantity, unitPrice, options = [], notes } = item;
  const ofOptions = options.reduce((total, option) => total + option.unitPrice * option.quantity, 0);
  return {
    id: itemId(jobId, String(i)),
    index: i,
    ...named(item, `Item ${i + 1}`),
    unit: 'UN',
    quantity,
    ...(notes !== undefined && { specialInstructions: notes }),
    unitPrice: price(unitPrice),
    ...(options.length > 0 && { optionsPrice: price(ofOptions) }),
    totalPrice: price(fromCents(itemCents(item))),
    ...(options.length > 0 && {
      options: options.map((option, j) => ({
        id: itemId(jobId, `${i}/${j}`),
        index: j,
        ...named(option, `Option ${j + 1}`),
        unit: 'UN',
        quantity: option.quantity,
        unitPrice: price(option.unitPrice),
        totalPrice: price(option.unitPrice * option.quantity),
      })),
    }),
  };
}

/** A name is required. */
function named({ code, name }: OrderItem | OrderOption, otherwise: string) {
  return { name: name || code || otherwise, externalCode: code };
}

function paymentOf(payment: OrderPayment, currency: string) {
  const { amount, evidence, tenderType } = payment;
  const { authorizationCode, acquirerDocument, brand } = evidence ?? {};
  const method = methodOf(payment);
  return {
    value: fromCents(amount),
    currency,
    type: 'PREPAID',
    method,
    ...(brand !== undefined && { brand: brandOf(brand) }),
    ...(method === 'OTHER' && { methodInfo: payment.code ?? `tender type ${String(tenderType)}` }),
    ...((authorizationCode ?? acquirerDocument) !== undefined && {
      transaction: {
        ...(authorizationCode !== undefined && { authorizationCode }),
        ...(acquirerDocument !== undefined && { acquirerDocument }),
      },
    }),
  };
}
