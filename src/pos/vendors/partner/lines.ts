import { type Cents, lineCents } from '../../../domain/money.js';
import { itemCents, optionQuantity } from '../../../domain/options.js';
import type { Order, OrderItem, OrderOption } from '../../../domain/order.js';
import type { PosWireSettings } from '../../../platform/config/pos-config.js';

/** A line of the body (M12); the price in currency units. */
export interface PosOrderItem {
  readonly integration_code: string;
  readonly desc_item: string;
  readonly quantity: number;
  readonly unit_price: number;
}

/** What stands before the name of an option that is a line of its own. */
const OPTION = '+ ';

/** The lines of a body, and what the order's line totals are more than these lines, each rounded by the POS, in cents (M19). */
interface WireLines {
  readonly items: readonly PosOrderItem[];
  readonly difference: Cents;
}

/** The lines of the items: each with its notes, and with its options after it or within it (M19, M21). */
export function linesOf(items: readonly OrderItem[], settings: PosWireSettings): WireLines {
  const lines: PosOrderItem[] = [];
  let difference = 0n;
  for (const item of items) {
    const { code, name, quantity, unitPrice, options } = item;
    const line = { integration_code: code, desc_item: name, quantity, unit_price: unitPrice };
    lines.push(withFields(line, item, settings));
    if (!options || settings.optionsField) continue;
    const ofOptions = options.map((option) => lineOfOption(option, quantity));
    difference += itemCents(item) - totalOf([line, ...ofOptions]);
    lines.push(...ofOptions);
  }
  return { items: lines, difference };
}

/**
 * Discount and increase with which the lines as the POS rounds them add up to the total (M7, M19), in cents. Tip and service fee stay in the
 * increase as they are.
 */
export function balanced(
  { discount, surcharge, tip, serviceFee }: Pick<Order, 'discount' | 'surcharge' | 'tip' | 'serviceFee'>,
  difference: Cents,
): { readonly discount: Cents; readonly increase: Cents } {
  if (difference >= 0n) {
    const taken = least(difference, discount);
    return { discount: discount - taken, increase: surcharge + difference - taken };
  }
  const taken = least(-difference, surcharge - tip - serviceFee);
  return { discount: discount - difference - taken, increase: surcharge - taken };
}

function withFields(
  line: PosOrderItem,
  { options, notes }: OrderItem,
  { itemNotesField, optionsField }: PosWireSettings,
): PosOrderItem {
  const hasNotes = itemNotesField !== undefined && notes !== undefined;
  const hasOptions = optionsField !== undefined && options !== undefined;
  // the usual case: copies of objects take longer than the rest of the mapping
  if (!hasNotes && !hasOptions) return line;
  return {
    ...line,
    ...(hasNotes && { [itemNotesField]: notes }),
    ...(hasOptions && { [optionsField]: options.map(nestedOption) }),
  };
}

function nestedOption({ code, name, quantity, unitPrice }: OrderOption): PosOrderItem {
  return { integration_code: code, desc_item: name, quantity, unit_price: unitPrice };
}

function lineOfOption(option: OrderOption, quantity: number): PosOrderItem {
  return { ...nestedOption(option), desc_item: OPTION + option.name, quantity: optionQuantity(quantity, option) };
}

function totalOf(lines: readonly PosOrderItem[]): Cents {
  return lines.reduce((sum, { unit_price, quantity }) => sum + lineCents(unit_price, quantity), 0n);
}

const least = (a: Cents, b: Cents): Cents => (a < b ? a : b);
