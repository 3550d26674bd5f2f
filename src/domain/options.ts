import { AMOUNT_LIMIT, type Cents, isAmount, lineCents, lineWithOptionsCents, product } from './money.js';
import type { OrderItem, OrderOption } from './order.js';
import { identifier } from './text.js';
import type { JsonObject } from './transaction.js';
import { lostIdentifier, type Warning } from './warnings.js';

/** The most options of an item that are in its order, and the most of a sale (L220). */
export const [MAX_OPTIONS, MAX_OPTIONS_OF_SALE] = [50, 2_000];

/** An option, and the place of its fields in the payload, for warnings: `items[0].options[1]`. */
export interface ReadOption {
  readonly option: OrderOption;
  readonly place: string;
}

/** The options of an item while they are read. */
interface Reading {
  readonly found: ReadOption[];
  /** how many more entries are read */
  left: number;
  isFlattened: boolean;
  isCut: boolean;
  readonly warnings: Warning[];
}

/**
 * Reads the options of an item (M17). Pure; it refuses nothing: what cannot be read is left out, with a warning that names the field (W52).
 * @param sent `options` of the item, of any type
 * @param place `items[0].options`
 * @param room how many options the order may still have (L220)
 */
export function readOptions(sent: unknown, place: string, room: number, warnings: Warning[]): readonly ReadOption[] {
  const most = Math.min(MAX_OPTIONS, room);
  const reading: Reading = { found: [], left: most, isFlattened: false, isCut: false, warnings };
  readList(sent, place, 1, reading);
  const changed = (text: string) => warnings.push({ kind: 'changed_field', text: `${place}: ${text}` });
  if (reading.isFlattened) changed('have options of their own; the order has them as options of the item');
  if (reading.isCut && most === MAX_OPTIONS) changed(`are more than ${MAX_OPTIONS}; the order has the first ones`);
  else if (reading.isCut)
    changed(`the sale has more than ${MAX_OPTIONS_OF_SALE} options; the order has the first ones`);
  return reading.found;
}

/** @param times how many of the option around it one unit of the item has; 1: it is the item itself */
function readList(sent: unknown, place: string, times: number, reading: Reading): void {
  if ((sent ?? null) === null) return;
  if (!Array.isArray(sent)) {
    ignore(reading, place, 'must be a list of objects; the order has none of them');
    return;
  }
  for (const [i, entry] of sent.entries()) {
    if (reading.left === 0) {
      reading.isCut = true;
      return;
    }
    reading.left--;
    readEntry(entry, `${place}[${i}]`, times, reading);
  }
}

function readEntry(entry: unknown, place: string, times: number, reading: Reading): void {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) {
    ignore(reading, place, 'must be an object; it is left out');
    return;
  }
  const { itemCode, itemName, quantity: sentQuantity, price, options } = entry as JsonObject;
  const { warnings } = reading;
  const code = identifier(itemCode) ?? lostIdentifier(`${place}.itemCode`, itemCode, warnings);
  const name = identifier(itemName) ?? lostIdentifier(`${place}.itemName`, itemName, warnings);
  const quantity = product(times, amountOr(sentQuantity, 1, `${place}.quantity`, reading));
  const unitPrice = amountOr(price, 0, `${place}.price`, reading);
  if (!isAmount(quantity)) {
    ignore(reading, place, `quantity must be below ${AMOUNT_LIMIT}; it is left out`);
    return;
  }
  if (code === '' && name === '' && (price ?? null) === null)
    ignore(reading, place, 'has neither itemCode nor itemName nor price; it is left out');
  else reading.found.push({ option: { code, name, quantity, unitPrice }, place });
  if (!Array.isArray(options) || options.length === 0) return;
  reading.isFlattened = true;
  readList(options, `${place}.options`, quantity, reading);
}

function amountOr(sent: unknown, absent: number, field: string, reading: Reading): number {
  if ((sent ?? null) === null) return absent;
  if (isAmount(sent)) return sent;
  ignore(reading, field, `must be a number between -${AMOUNT_LIMIT} and ${AMOUNT_LIMIT}; the order has ${absent}`);
  return absent;
}

function ignore({ warnings }: Reading, field: string, text: string): void {
  warnings.push({ kind: 'ignored_field', text: `${field}: ${text}` });
}

/** The line total of an item with its options, in cents: quantity x (price + Σ option.price x option.quantity), rounded once (M18). */
export function itemCents({ quantity, unitPrice, options }: OrderItem): Cents {
  return options ? lineWithOptionsCents(unitPrice, quantity, options) : lineCents(unitPrice, quantity);
}

/**
 * The quantity of an option in as many units of its item as the order has: item x option, the double nearest to the exact product (M19).
 * @param quantity of the item
 */
export function optionQuantity(quantity: number, option: OrderOption): number {
  return product(quantity, option.quantity);
}
