import { centsOf, lineCents, money } from './amounts.js';
import type { PosOrder } from './wire.js';

/** Columns between the borders, with one blank on each side of the text. */
const INNER = 40;
const TEXT = INNER - 2;

const BOLD = '\u001b[1m';
const DIM = '\u001b[2m';
const RESET = '\u001b[0m';

type Style = '' | typeof BOLD | typeof DIM;
type Line = { readonly text: string; readonly style: Style } | 'rule';

/** An order as a printed ticket of 42 columns; `colour` adds ANSI styles. No newline at the end. */
export function renderTicket(order: PosOrder, { colour = false }: { colour?: boolean } = {}): string {
  const notes = order.notes ? wrap(`> ${order.notes}`).map((text) => line(text, BOLD)) : [];
  const lines: Line[] = [
    ...head(order),
    'rule',
    ...items(order),
    ...notes,
    'rule',
    ...sums(order),
    'rule',
    ...payments(order),
  ];
  const edge = '─'.repeat(INNER);
  const body = lines.map((line) => (line === 'rule' ? `├${edge}┤` : framed(line, colour)));
  return [`┌${edge}┐`, ...body, `└${edge}┘`].join('\n');
}

function head({ cod_store, order_id, created_at }: PosOrder): Line[] {
  return [
    ...wrap(`Store ${cod_store}`).map((text) => line(text, BOLD)),
    ...wrap(`Order ${order_id}`).map((text) => line(text, BOLD)),
    line(new Date(created_at).toISOString().replace('T', ' ').replace(/\..*/, ' UTC'), DIM),
  ];
}

function items(order: PosOrder): Line[] {
  return order.items.flatMap((item) => [
    ...wrap(item.desc_item || item.integration_code || '(no name)').map((text) => line(text)),
    line(columns(`  ${item.quantity} x ${unitPrice(item.unit_price)}`, money(lineCents(item))), DIM),
    ...(item.options ?? []).flatMap(({ quantity, desc_item, integration_code, unit_price }) => [
      ...wrap(`  + ${quantity} x ${desc_item || integration_code}, ${unitPrice(unit_price)}`).map((text) => line(text)),
    ]),
    ...(item.notes ? wrap(`  > ${item.notes}`).map((text) => line(text, BOLD)) : []),
  ]);
}

function sums({ total_discount, total_increase, total_amount }: PosOrder): Line[] {
  return [
    ...(total_discount > 0 ? [line(columns('Discount', `-${money(centsOf(total_discount))}`))] : []),
    ...(total_increase > 0 ? [line(columns('Surcharge', `+${money(centsOf(total_increase))}`))] : []),
    line(columns('TOTAL', money(centsOf(total_amount))), BOLD),
  ];
}

function payments({ payment_types }: PosOrder): Line[] {
  if (payment_types.length === 0) return [line('nothing to pay')];
  return payment_types.map(({ code, amount }) => line(columns(code, money(centsOf(amount)))));
}

/** At least two decimals: prices by weight can have more. */
function unitPrice(price: number): string {
  return /^-?\d+(\.\d{1,2})?$/.test(String(price))
    ? money(lineCents({ quantity: 1, unit_price: price }))
    : String(price);
}

function line(text: string, style: Style = ''): Line {
  return { text, style };
}

function framed({ text, style }: Exclude<Line, 'rule'>, colour: boolean): string {
  const padded = text + ' '.repeat(Math.max(0, TEXT - width(text)));
  return `│ ${colour && style ? `${style}${padded}${RESET}` : padded} │`;
}

/** Left text, cut if too long, and right text at the right edge. */
function columns(left: string, right: string): string {
  const room = TEXT - width(right) - 1;
  const cut = [...printable(left)].slice(0, room).join('');
  return `${cut}${' '.repeat(room - width(cut) + 1)}${right}`;
}

/** Lines of whole words where possible; a word longer than a line is cut. */
function wrap(text: string): string[] {
  const lines: string[] = [];
  let rest = [...printable(text)];
  while (rest.length > TEXT) {
    const blank = rest.lastIndexOf(' ', TEXT);
    const end = blank > 0 ? blank : TEXT;
    lines.push(rest.slice(0, end).join(''));
    rest = rest.slice(blank > 0 ? end + 1 : end);
  }
  return [...lines, rest.join('')];
}

/** Replaces control characters, which a terminal would obey. */
function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}]/gu, '?');
}

function width(text: string): number {
  return [...text].length;
}
