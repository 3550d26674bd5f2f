import type { Random } from '../random.js';
import { contentOf } from './history.js';

/** A restaurant of the run: its codes at terminal and POS, and its id. */
export interface Restaurant {
  readonly id: string;
  readonly storeCode: string;
  readonly codeStorePos: string;
  /** credentials of the tills of a POS that pulls; none: the relay sends */
  readonly tills: readonly Credentials[];
}

/** With which a POS that pulls signs in. */
export interface Credentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

export interface Sale {
  readonly key: string;
  readonly restaurant: Restaurant;
  readonly testMode: boolean;
  /** the webhook's body */
  readonly body: Readonly<Record<string, unknown>>;
  /** what the POS must get of it */
  readonly content: string;
}

const MENU = [
  { code: 'PZ-01', name: 'Pizza Margherita', cents: 3_990 },
  { code: 'PZ-02', name: 'Pizza Quattro Stagioni', cents: 4_730 },
  { code: 'PA-01', name: 'Spaghetti', cents: 2_849 },
  { code: 'SA-01', name: 'Insalata', cents: 1_205 },
  { code: 'CF-01', name: 'Espresso', cents: 333 },
  { code: 'WA-01', name: 'Water', cents: 199 },
] as const;
/** Options of a dish: quantity for one unit of it. */
const OPTIONS = [
  { code: 'OP-01', name: 'Extra cheese', quantity: 1, cents: 425 },
  { code: 'OP-02', name: 'No onion', quantity: 1, cents: 0 },
  { code: 'OP-03', name: 'Olives', quantity: 2, cents: 75 },
] as const;
/** Sales with options, notes, tip, service fee and evidence. */
const WHOLE_SHARE = 0.15;
const TENDERS = [1, 50, 16, 28];
const TEST_SHARE = 0.03;
/** Terminals whose number of a sale is longer than an index takes. */
const LONG_NUMBER_SHARE = 0.01;
const LONG_NUMBER_BYTES = 3_000;

/** The sale of this number: one to four items, paid in one or two ways, sometimes more or less than the items cost. */
export function saleOf(number: number, restaurant: Restaurant, random: Random): Sale {
  const key = `C-${String(number).padStart(6, '0')}`;
  const isWhole = random.chance(WHOLE_SHARE);
  const lines = random.some(MENU, random.between(1, 4)).map((item) => ({
    ...{ ...item, quantity: random.between(1, 3) },
    options: isWhole ? random.some(OPTIONS, random.between(0, 3)) : [],
  }));
  const itemsCents = lines.reduce((sum, { cents, quantity, options }) => {
    const ofOptions = options.reduce((unit, option) => unit + option.cents * option.quantity, 0);
    return sum + (cents + ofOptions) * quantity;
  }, 0);
  const [tipCents, feeCents] = isWhole ? [random.between(0, 700), random.between(0, 300)] : [0, 0];
  // a surcharge, a discount, mostly neither
  const totalCents = itemsCents + tipCents + feeCents + (random.chance(0.2) ? random.between(-99, 500) : 0);
  const first = random.chance(0.2) ? random.between(1, totalCents - 1) : totalCents;
  const paid = first === totalCents ? [totalCents] : [first, totalCents - first];
  const testMode = random.chance(TEST_SHARE);
  // an option is a line after its item
  const sent = lines.flatMap(({ code, cents, quantity, options }) => [
    { code, quantity, price: cents / 100 },
    ...options.map((option) => ({
      code: option.code,
      quantity: option.quantity * quantity,
      price: option.cents / 100,
    })),
  ]);
  return {
    key,
    restaurant,
    testMode,
    content: contentOf(restaurant.codeStorePos, totalCents, sent),
    body: {
      transactionKey: key,
      transactionNumber: random.chance(LONG_NUMBER_SHARE) ? incompressible(random) : String(number),
      ...(testMode && { isTestTransaction: true }),
      storeCode: restaurant.storeCode,
      totalAmount: totalCents / 100,
      ...(isWhole && { tipAmount: tipCents / 100, serviceFeeAmount: feeCents / 100, notes: 'table 4\nquick' }),
      items: lines.map(({ code, name, quantity, cents, options }) => ({
        ...{ itemCode: code, itemName: name, quantity, price: cents / 100 },
        ...(isWhole && { options: options.map(optionSent), notes: 'no salt 🧂' }),
      })),
      payments: paid.map((cents) => ({
        ...{ tenderType: random.pick(TENDERS), amount: cents / 100 },
        ...(isWhole && { authorizationCode: String(random.between(100_000, 999_999)), brand: 'VISA', installments: 1 }),
      })),
    },
  };
}

/** An option as a terminal sends it: without what is the default. */
function optionSent({ code, name, quantity, cents }: (typeof OPTIONS)[number]) {
  const amounts = { ...(quantity !== 1 && { quantity }), ...(cents !== 0 && { price: cents / 100 }) };
  return { itemCode: code, itemName: name, ...amounts };
}

/** Text that no compression shortens. */
function incompressible(random: Random): string {
  return Buffer.from(Array.from({ length: LONG_NUMBER_BYTES }, () => random.between(0, 255))).toString('base64');
}
