import { type Cents, isAmount, isWithinLimit, lineCents, TOO_LARGE, TOO_SMALL } from './money.js';
import { itemCents, MAX_OPTIONS_OF_SALE, optionQuantity, type ReadOption, readOptions } from './options.js';
import type { OrderItem } from './order.js';
import { readNotes } from './sent-fields.js';
import { identifier } from './text.js';
import type { JsonObject } from './transaction.js';
import { lostIdentifier, type Warning } from './warnings.js';

/** The lines of an order, in cents; total = total of the lines sent - foldedBelowZero + foldedAboveZero. */
export interface Lines {
  readonly sent: readonly OrderItem[];
  /** the items total: sum of all line totals, folded ones too (M2) */
  readonly total: Cents;
  /** sum of the folded lines below zero, as a positive amount (M14) */
  readonly foldedBelowZero: Cents;
  /** sum of the folded lines above zero: negative quantity at a negative price (M14) */
  readonly foldedAboveZero: Cents;
}

/**
 * Reads the items of a sale: the lines to send and their sums, without the items that cannot be mapped.
 * @param warnings gets the warnings of the items; with one of the kind `unmappable` the sale has no order (M10)
 */
export function readItems(items: readonly JsonObject[], foldsOddLines: boolean, warnings: Warning[]): Lines {
  const unmappable = (text: string) => warnings.push({ kind: 'unmappable', text });
  const sent: OrderItem[] = [];
  let [total, foldedBelowZero, foldedAboveZero] = [0n, 0n, 0n];
  let areMappable = true;
  let room = MAX_OPTIONS_OF_SALE;
  const fold = (cents: Cents) => {
    if (cents < 0n) foldedBelowZero -= cents;
    else foldedAboveZero += cents;
  };
  for (const [i, item] of items.entries()) {
    const code = identifier(item.itemCode) ?? lostIdentifier(`items[${i}].itemCode`, item.itemCode, warnings);
    const name = identifier(item.itemName) ?? lostIdentifier(`items[${i}].itemName`, item.itemName, warnings);
    const line = readLine(item);
    if (typeof line === 'string') {
      unmappable(`items[${i}]${line}`);
      areMappable = false;
      continue;
    }
    const { quantity, unitPrice } = line;
    const odd = oddity(line, foldsOddLines);
    if (odd) warnings.push({ kind: 'odd_line', text: `items[${i}].${odd}` });
    const notes = readNotes(item.notes, `items[${i}].notes`, warnings);
    const dish = { code, name, quantity, unitPrice, options: undefined, notes };
    // the usual case
    if ((item.options ?? null) === null) {
      total += line.cents;
      if (odd && foldsOddLines) fold(line.cents);
      else sent.push(dish);
      continue;
    }
    const options = readOptions(item.options, `items[${i}].options`, room, warnings);
    room -= options.length;
    const whole = withOptions(dish, options, warnings);
    const cents = itemCents(whole);
    if (!isWithinLimit(cents)) {
      unmappable(`items[${i}]: price x quantity with options ${cents < 0n ? TOO_SMALL : TOO_LARGE}`);
      areMappable = false;
      continue;
    }
    total += cents;
    if (odd && foldsOddLines) fold(cents);
    else {
      // the options of an odd line are sent with it
      const kept = odd ? whole : withoutOddOptions(whole, options, foldsOddLines, warnings);
      fold(cents - itemCents(kept));
      sent.push(kept);
    }
  }
  const sentTotal = total + foldedBelowZero - foldedAboveZero;
  if (items.length === 0) unmappable('items: must have at least one entry');
  else if (areMappable && sent.length === 0) unmappable('items: none is left to send, since POS_ODD_LINES=fold');
  else if (areMappable && !(isWithinLimit(total) && isWithinLimit(sentTotal)))
    unmappable(`items: their total ${TOO_LARGE}`);
  return { sent, total, foldedBelowZero, foldedAboveZero };
}

/** An item whose quantity and price are finite numbers, and its line total. */
type Line = Pick<OrderItem, 'quantity' | 'unitPrice'> & { readonly cents: Cents };

/** @returns a text when the item cannot be mapped (M10): the field after the item's index, and the rule */
function readLine({ price, quantity }: JsonObject): Line | string {
  if (!Number.isFinite(price)) return '.price: must be a finite number';
  if (!isAmount(price)) return `.price: ${(price as number) < 0 ? TOO_SMALL : TOO_LARGE}`;
  if (typeof quantity !== 'number' || !Number.isFinite(quantity)) return '.quantity: must be a finite number';
  const cents = lineCents(price, quantity);
  return isWithinLimit(cents)
    ? { quantity, unitPrice: price, cents }
    : `: price x quantity ${cents < 0n ? TOO_SMALL : TOO_LARGE}`;
}

/** The item with its options, without an option whose own line is no amount. */
function withOptions(item: OrderItem, options: readonly ReadOption[], warnings: Warning[]): OrderItem {
  const within = options.filter(({ option, place }) => {
    const quantity = optionQuantity(item.quantity, option);
    if (Number.isFinite(quantity) && isWithinLimit(lineCents(option.unitPrice, quantity))) return true;
    warnings.push({ kind: 'ignored_field', text: `${place}: price x quantity ${TOO_LARGE}; it is left out` });
    return false;
  });
  return within.length === 0 ? item : { ...item, options: within.map(({ option }) => option) };
}

/** Warns of the odd options of an item that is not odd itself, and leaves them out where odd lines are folded (M23). */
function withoutOddOptions(
  item: OrderItem,
  read: readonly ReadOption[],
  foldsOddLines: boolean,
  warnings: Warning[],
): OrderItem {
  const odd = new Set<unknown>();
  for (const { option, place } of read) {
    if (!item.options?.includes(option)) continue;
    const why = oddity(option, foldsOddLines);
    if (!why) continue;
    warnings.push({ kind: 'odd_line', text: `${place}.${why}` });
    odd.add(option);
  }
  if (!foldsOddLines || odd.size === 0) return item;
  const kept = item.options?.filter((option) => !odd.has(option)) ?? [];
  return { ...item, options: kept.length === 0 ? undefined : kept };
}

/**
 * The warning of an odd line, which a POS may refuse: its quantity is zero or negative, or its price is negative (M14). A price of 0 is
 * allowed.
 * @returns null when the line is not odd
 */
function oddity({ quantity, unitPrice }: Pick<Line, 'quantity' | 'unitPrice'>, foldsOddLines: boolean): string | null {
  if (quantity > 0 && unitPrice >= 0) return null;
  const what = quantity < 0 ? 'quantity: is negative' : unitPrice < 0 ? 'price: is negative' : 'quantity: is zero';
  if (!foldsOddLines) return `${what}; the line is sent as it is`;
  const counts = quantity * unitPrice === 0 ? '' : ' and counts in total_discount or total_increase';
  return `${what}; the line is left out${counts}`;
}
