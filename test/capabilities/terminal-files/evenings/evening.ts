import type { Sold } from '../file-desk.js';

/** A payment as an acquirer knows it. */
export interface Payment {
  /** when, epoch ms */
  readonly at: number;
  /** what the acquirer says that was paid */
  readonly cents: number;
  /** the number of the sale: all payments of a sale have it */
  readonly number: string;
  /** the acquirer's own id of the payment; those of instalments have one */
  readonly id: string;
  /** the authorisation code */
  readonly code: string;
  /** declined: nothing was paid */
  readonly isDeclined: boolean;
  /** 1 of 1, or of the instalments */
  readonly part: number;
  readonly parts: number;
}

/** Which of its names a layout has of a sale, as the terminal sends it. */
export type SentAs = 'number' | 'id';

/** What an evening is made of. */
export interface Evening {
  readonly sold: Sold[];
  readonly payments: Payment[];
  /** the ids of the payments that need a hand, by answer */
  readonly needs: Readonly<Record<'MISSING_HERE' | 'AMOUNT_DIFFERS' | 'DUPLICATE', readonly string[]>>;
}

const SALES = 500;
const MISSING = [50, 250, 450];
const OFF_BY_A_CENT = new Map([
  [100, 1],
  [300, -1],
]);
const SPLIT = [20, 120, 220, 320];
const IN_INSTALMENTS = [60, 160];
const DECLINED = [30, 130, 230, 330, 430];
const DOUBLE = 400;
/** The first sale, and the time between two: the evening ends before a business day does. */
const [BEGINS, APART_MS] = [Date.parse('2026-11-20T18:00:00Z'), 25_000];
/** The second card of a split bill. */
const SECOND_CARD_MS = 20_000;

/**
 * An evening of 500 sales: 3 never arrived, 2 are off by a cent, 4 bills are on two cards, 2 are paid in instalments, 5 attempts were declined
 * before somebody paid, and one payment is listed twice.
 * @param offsetMs the clock of the restaurant, from UTC
 * @param prefix of its keys
 * @param perInstalment whether the acquirer has a row of each instalment
 */
export function eveningOf(prefix: string, offsetMs: number, perInstalment: boolean): Evening {
  const sold: Sold[] = [];
  const payments: Payment[] = [];
  for (let n = 0; n < SALES; n++) {
    const at = BEGINS - offsetMs + n * APART_MS;
    // amounts come again, and so do those of split bills
    const cents = 1_200 + (n % 83) * 145;
    const first = payment(n, { at, cents });
    if (DECLINED.includes(n))
      payments.push({ ...first, at: at - 10_000, id: idOf(n, 'D'), code: codeOf(n, 2), isDeclined: true });
    const own = paymentsOf(n, first, perInstalment);
    payments.push(...own, ...(n === DOUBLE ? own : []));
    if (!MISSING.includes(n)) sold.push(saleOf(prefix, n, first, own));
  }
  const ids = (of: readonly number[]) => of.map((n) => idOf(n));
  return {
    sold,
    payments,
    needs: { MISSING_HERE: ids(MISSING), AMOUNT_DIFFERS: ids([...OFF_BY_A_CENT.keys()]), DUPLICATE: ids([DOUBLE]) },
  };
}

function paymentsOf(n: number, first: Payment, perInstalment: boolean): Payment[] {
  const { at, cents } = first;
  if (SPLIT.includes(n)) {
    const second = Math.floor(cents / 3);
    const other = { at: at + SECOND_CARD_MS, cents: second, id: idOf(n, 'B'), code: codeOf(n, 1) };
    return [
      { ...first, cents: cents - second },
      { ...first, ...other },
    ];
  }
  if (IN_INSTALMENTS.includes(n) && perInstalment) {
    const third = Math.floor(cents / 3);
    return [cents - 2 * third, third, third].map((one, i) => ({ ...first, cents: one, part: i + 1, parts: 3 }));
  }
  return [{ ...first, cents: cents + (OFF_BY_A_CENT.get(n) ?? 0) }];
}

function saleOf(prefix: string, n: number, { at, cents, number }: Payment, own: readonly Payment[]): Sold {
  const payments = own.map(({ id, code }) => ({ tenderType: 16, details: { authorisation: code, acquirerId: id } }));
  return { key: `${prefix}-${n}`, number, at: new Date(at).toISOString(), cents, payload: { payments } };
}

function payment(n: number, { at, cents }: Pick<Payment, 'at' | 'cents'>): Payment {
  const names = { number: String(7_000 + n), id: idOf(n), code: codeOf(n, 0) };
  return { at, cents, ...names, isDeclined: false, part: 1, parts: 1 };
}

/** Without digits that look like the number of a card. */
function idOf(n: number, card = 'A'): string {
  return `T${card}${n.toString(36).toUpperCase().padStart(4, 'X')}`;
}

function codeOf(n: number, card: number): string {
  return String(100_000 + n * 7 + card * 250_000);
}
