import { withoutCardNumbers } from './card-numbers.js';
import { amountCents } from './money.js';
import { MAX_OPTIONS_OF_SALE, readOptions } from './options.js';
import { tenderName } from './tenders.js';
import { identifier } from './text.js';
import { entriesOf, type JsonObject } from './transaction.js';

/** What two sales of one key are compared by (W45). */
export const COMPARED = ['totalAmount', 'items', 'payments'] as const;
export type Compared = (typeof COMPARED)[number];

/** What a sale says of each of {@link COMPARED}, as text: equal texts, equal sales. */
export type SaleContent = Readonly<Record<Compared, string>>;

/**
 * What counts when a key comes again (W45): the total, the lines with their options and the payments, as the mapper reads them. Their order,
 * unknown fields, notes, tip, evidence, numbers of the sale and dates say nothing.
 * @param payload as stored, or as it would be stored
 */
export function contentOf(payload: JsonObject): SaleContent {
  let room = MAX_OPTIONS_OF_SALE;
  const optionsOf = (sent: unknown) => {
    const texts = optionTexts(sent, room);
    room -= texts.length;
    return texts.length === 0 ? [] : [texts];
  };
  return {
    totalAmount: cents(payload.totalAmount),
    items: listed(payload.items, ({ itemCode, itemName, quantity, price, options }) => [
      ...[identifier(itemCode), identifier(itemName)],
      ...[exact(quantity), exact(price)],
      ...optionsOf(options),
    ]),
    payments: listed(payload.payments, ({ tenderType, amount }) => [tenderName(tenderType), cents(amount)]),
  };
}

/**
 * What of a sale differs from the stored one of its key (W45); empty for a repeat. A total that only one of them has says nothing: lines and
 * payments decide. Pure.
 * @param stored the payload of the database; a version before may have masked other digits as card numbers
 */
export function differencesFrom(stored: JsonObject, sent: JsonObject): Compared[] {
  const [first, second] = [contentOf(withoutCardNumbers(stored).payload), contentOf(sent)];
  const hasTotals = ![first, second].some(({ totalAmount }) => totalAmount === NONE);
  return COMPARED.filter((field) => first[field] !== second[field] && (field !== 'totalAmount' || hasTotals));
}

/** No amount. */
const NONE = 'none';

/** The entries of a list, in an order of their own. */
function listed(list: unknown, entryOf: (entry: JsonObject) => unknown[]): string {
  return JSON.stringify(
    entriesOf(list)
      .map((entry) => JSON.stringify(entryOf(entry)))
      .sort(),
  );
}

/** The options of an item, in an order of their own; an item without them has the entry of versions without options. */
function optionTexts(sent: unknown, room: number): string[] {
  if ((sent ?? null) === null) return [];
  return readOptions(sent, '', room, [])
    .map(({ option }) => JSON.stringify(Object.values(option)))
    .sort();
}

/** An amount of currency units in cents, as text. */
function cents(value: unknown): string {
  return Number.isFinite(value) ? String(amountCents(value as number)) : unread(value);
}

function exact(value: unknown): string {
  return Number.isFinite(value) ? String(value) : unread(value);
}

/** A value that is no amount: a text, or nothing. The stored payload has null in place of an infinite number. */
function unread(value: unknown): string {
  return typeof value === 'string' ? `"${value}"` : NONE;
}
