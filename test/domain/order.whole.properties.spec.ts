import fc from 'fast-check';
import type { Order } from '../../src/domain/order.js';
import type { JsonObject } from '../../src/domain/transaction.js';
import type { PosOrderItem } from '../../src/pos/vendors/partner/lines.js';
import { partner } from '../../src/pos/vendors/partner/partner.js';
import type { PosOrder } from '../../src/pos/vendors/partner/wire.js';
import { Kitchen } from '../../tools/simulator/kitchen.js';
import { RUNS } from './arbitraries.js';
import { computed } from './builders.js';

/**
 * The oracle. An amount is a row of decimal digits and the place of its point: products are made by long multiplication on texts, and rounding looks
 * at one digit. It shares nothing with src/domain/money.ts.
 */
type Exact = { readonly isBelowZero: boolean; readonly digits: string; readonly places: number };

function exact(value: number): Exact {
  const [mantissa = '', exponent = '0'] = Math.abs(value).toString().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const places = fraction.length - Number(exponent);
  const digits = whole + fraction + '0'.repeat(Math.max(0, -places));
  return { isBelowZero: value < 0, digits, places: Math.max(0, places) };
}

function times(a: Exact, b: Exact): Exact {
  const columns = new Array<number>(a.digits.length + b.digits.length).fill(0);
  for (let i = a.digits.length - 1; i >= 0; i--)
    for (let j = b.digits.length - 1; j >= 0; j--) {
      const at = (columns[i + j + 1] as number) + Number(a.digits[i]) * Number(b.digits[j]);
      columns[i + j + 1] = at % 10;
      columns[i + j] = (columns[i + j] as number) + Math.floor(at / 10);
    }
  return { isBelowZero: a.isBelowZero !== b.isBelowZero, digits: columns.join(''), places: a.places + b.places };
}

function plus(a: Exact, b: Exact): Exact {
  const places = Math.max(a.places, b.places);
  const signed = ({ isBelowZero, digits, places: own }: Exact) =>
    BigInt((isBelowZero ? '-' : '') + digits + '0'.repeat(places - own));
  const sum = signed(a) + signed(b);
  return { isBelowZero: sum < 0n, digits: String(sum < 0n ? -sum : sum), places };
}

/** Cents: what stands before the third decimal, and one more if that is 5 or above. */
function cents({ isBelowZero, digits, places }: Exact): number {
  const padded = `${digits.padStart(places + 1, '0')}000`;
  const point = padded.length - 3 - places;
  const rounded = Number(padded.slice(0, point + 2)) + (Number(padded[point + 2]) >= 5 ? 1 : 0);
  return isBelowZero ? -rounded || 0 : rounded;
}

const ZERO = exact(0);
const wireLine = ({ quantity, unit_price }: PosOrderItem) => cents(times(exact(quantity), exact(unit_price)));
const totalOf = (amounts: readonly number[]) => amounts.reduce((sum, amount) => sum + amount, 0);

interface Sent {
  readonly quantity?: number;
  readonly price?: number;
  readonly options?: readonly Sent[];
}

/** Line total by M18, in cents. */
function lineTotal({ quantity = 1, price = 0, options = [] }: Sent): number {
  const ofOptions = options.map((option) => times(exact(option.price ?? 0), exact(option.quantity ?? 1)));
  return cents(times(exact(quantity), ofOptions.reduce(plus, exact(price))));
}

const isOdd = ({ quantity = 1, price = 0 }: Sent) => quantity <= 0 || price < 0;

/** What is left of the items with POS_ODD_LINES=fold (M14, M23). */
function keptOf(items: readonly Sent[]): Sent[] {
  const even = items.filter((item) => !isOdd(item));
  return even.map(({ options = [], ...item }) => ({ ...item, options: options.filter((option) => !isOdd(option)) }));
}

const decimal = (places: number, from: number, to: number) =>
  fc.integer({ min: from, max: to }).map((units) => Number(`${units}e-${places}`));
const price = fc.oneof(
  { weight: 5, arbitrary: decimal(2, 0, 9_000) },
  { weight: 3, arbitrary: decimal(4, 0, 500_000) },
  { weight: 2, arbitrary: decimal(3, 0, 20) },
  { weight: 2, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: decimal(2, -900, -1) },
);
const quantity = fc.oneof(
  { weight: 6, arbitrary: decimal(0, 1, 9) },
  { weight: 3, arbitrary: decimal(3, 1, 4_000) },
  { weight: 1, arbitrary: decimal(4, 1, 99_999) },
  { weight: 1, arbitrary: fc.constantFrom(0, -1, -0.5) },
);
const option: fc.Arbitrary<Sent> = fc.record(
  { itemCode: fc.constantFrom('A', 'B'), itemName: fc.constantFrom('Cheese', 'Ham 🥓'), quantity, price },
  { requiredKeys: ['itemCode'] },
);
const notes = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom('no onion', ' a\n\u0007b ', '🧅'.repeat(300)) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 300 }) },
);
const item: fc.Arbitrary<Sent> = fc.record(
  {
    ...{ itemCode: fc.constant('C'), itemName: fc.constantFrom('Pizza', null), quantity, price },
    options: fc.oneof(
      { weight: 9, arbitrary: fc.array(option, { maxLength: 4 }) },
      { weight: 1, arbitrary: fc.array(option, { minLength: 48, maxLength: 52, size: 'max' }) },
    ),
    notes,
  },
  { requiredKeys: ['itemCode', 'quantity', 'price'] },
);
const part = fc.oneof(
  { weight: 3, arbitrary: fc.constant(undefined) },
  { weight: 4, arbitrary: decimal(2, 0, 2_000) },
  { weight: 2, arbitrary: decimal(4, 0, 90_000) },
  { weight: 1, arbitrary: decimal(2, 0, 9_000_000) },
);
const payment = fc.record(
  {
    ...{ tenderType: fc.constantFrom(1, 16, 28, 50, 77), amount: decimal(2, 1, 40_000) },
    ...{
      authorizationCode: fc.constantFrom('123456', '', 7),
      brand: fc.constantFrom('VISA', null),
      installments: fc.integer(),
    },
  },
  { requiredKeys: ['tenderType', 'amount'] },
);
interface Whole {
  readonly items: readonly Sent[];
  readonly payments: readonly { readonly amount: number }[];
  readonly tipAmount: number | undefined;
  readonly serviceFeeAmount: number | undefined;
  readonly notes: string | undefined;
}
const whole: fc.Arbitrary<Whole> = fc.record({
  items: fc.array(item, { minLength: 1, maxLength: 4 }),
  payments: fc.array(payment, { maxLength: 3 }),
  ...{ tipAmount: part, serviceFeeAmount: part },
  notes: fc.option(notes, { nil: undefined }),
});

/** The first 50 of the options (L220). */
const read = (items: readonly Sent[]) =>
  items.map(({ options = [], ...rest }) => ({ ...rest, options: options.slice(0, 50) }));

function brokenRules(sold: Whole, order: Order, body: PosOrder, folds: boolean, isNested: boolean): string[] {
  const all = read(sold.items);
  const kept: readonly Sent[] = folds ? keptOf(all) : all;
  const paid = totalOf(sold.payments.map(({ amount }) => cents(exact(amount))));
  const [tip, fee] = [cents(exact(sold.tipAmount ?? 0)), cents(exact(sold.serviceFeeAmount ?? 0))];
  const itemsTotal = totalOf(all.map(lineTotal));
  const keptTotal = totalOf(kept.map(lineTotal));
  const [discount, surcharge] = [Number(order.discount), Number(order.surcharge)];
  const missing = itemsTotal + tip + fee - paid;
  const [wireDiscount, wireIncrease] = [cents(exact(body.total_discount)), cents(exact(body.total_increase))];
  const flat = kept.flatMap(({ options = [], ...dish }) =>
    isNested ? [dish] : [dish, ...options.map((one) => ({ ...one, of: dish }))],
  );
  const text = JSON.stringify(body);
  const rules: Record<string, boolean> = {
    'total = Σ payments': Number(order.total) === paid && cents(exact(body.total_amount)) === paid,
    'the parts are those of the sale': Number(order.tip) === tip && Number(order.serviceFee) === fee,
    'items + tip + fee + other - discount = total': keptTotal + surcharge - discount === paid,
    'other surcharge is not below zero': surcharge >= tip + fee && discount >= 0,
    'what is missing is the discount, what is too much the other surcharge':
      folds || (discount === Math.max(0, missing) && surcharge - tip - fee === Math.max(0, -missing)),
    'lines as the POS rounds them + increase - discount = total':
      (isNested ? keptTotal : totalOf(body.items.map(wireLine))) + wireIncrease - wireDiscount === paid,
    'the increase has tip and fee, nothing is below zero': wireIncrease >= tip + fee && wireDiscount >= 0,
    'an option follows its item, with the name and the quantity of M19':
      body.items.length === flat.length &&
      flat.every((sent, i) => {
        const line = body.items[i] as PosOrderItem;
        const isOption = 'of' in sent;
        const wanted = isOption
          ? times(exact((sent.of as Sent).quantity ?? 1), exact(sent.quantity ?? 1))
          : exact(sent.quantity ?? 1);
        const difference = plus(exact(line.quantity), { ...wanted, isBelowZero: !wanted.isBelowZero });
        const isSame = /^0*$/.test(difference.digits);
        return isSame && line.unit_price === (sent.price ?? 0) && line.desc_item.startsWith('+ ') === isOption;
      }),
    'no control character is sent': !/\\u00[01]|\\[nrtbf]/.test(text),
    'notes have at most 255 characters': [order.notes, ...order.items.map(({ notes }) => notes)].every(
      (notes) => [...(notes ?? '')].length <= 255,
    ),
  };
  return Object.keys(rules).filter((rule) => !rules[rule]);
}

describe(`every one of ${RUNS.toLocaleString('en')} sales with options, notes, tip, fee and evidence`, () => {
  test.each([
    ['lines, sent', { oddLines: 'send' }],
    ['lines, odd ones folded', { oddLines: 'fold' }],
    ['nested', { oddLines: 'send', optionsField: 'options' }],
    ['nested, odd ones folded', { oddLines: 'fold', optionsField: 'options' }],
  ] as const)('keeps M7 and M17 to M23 by an oracle of its own: %s', (_, settings) => {
    const vendor = partner({
      ...settings,
      itemNotesField: 'notes',
      orderNotesField: 'notes',
      paymentFields: { brand: 'brand' },
    });
    fc.assert(
      fc.property(whole, (sold) => {
        const parts: JsonObject = { ...sold, totalAmount: sold.payments.length === 0 ? 0 : 10 };
        const input = JSON.stringify(parts);
        const order = computed(parts, vendor);
        const folds = settings.oddLines === 'fold';
        if ('unmappable' in order) {
          if (folds && keptOf(sold.items).length === 0) return;
          throw new Error(order.unmappable);
        }
        const body = vendor.createOrder(order).body as PosOrder;
        const again = computed(JSON.parse(input), vendor);
        const broken = brokenRules(sold, order, body, folds, 'optionsField' in settings);
        const kitchen = new Kitchen({ refuseDuplicates: false }, () => new Date());
        if (kitchen.accept(body).status !== 200) broken.push('the simulated POS takes it');
        if (JSON.stringify(parts) !== input) broken.push('the payload is left as it was');
        if ('unmappable' in again || JSON.stringify(vendor.createOrder(again).body) !== JSON.stringify(body))
          broken.push('the stored payload gives the same body');
        if (broken.length > 0) throw new Error(`broken: ${broken.join('; ')}`);
      }),
      { numRuns: RUNS / 4 },
    );
  });

  test('the oracle itself: products, sums and rounding by hand', () => {
    expect(cents(times(exact(0.355), exact(49.9)))).toBe(1771);
    expect(cents(exact(1.005))).toBe(101);
    expect(cents(exact(-1.005))).toBe(-101);
    expect(cents(exact(1e21))).toBe(1e23);
    expect(cents(exact(1e-7))).toBe(0);
    expect(cents(plus(exact(0.1), exact(0.2)))).toBe(30);
    expect(cents(plus(exact(0.1), exact(-0.25)))).toBe(-15);
    expect(cents(ZERO)).toBe(0);
    expect(lineTotal({ quantity: 3, price: 10, options: [{ price: 2.5, quantity: 2 }, {}] })).toBe(4500);
  });
});
