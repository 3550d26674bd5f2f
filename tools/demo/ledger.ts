import { sumCents } from '../simulator/amounts.js';
import type { Sale } from './evening.js';
import type { JobRecord, Journeys } from './journey.js';
import type { Answer } from './terminal.js';

/** A sale of the evening that was sent. */
export interface Entry {
  readonly sale: Sale;
  /** a sale with this key was sent before */
  readonly isRepeat: boolean;
  answer?: Answer;
}

/** The sales that the demo sent, with their jobs. */
export class Ledger {
  readonly entries: Entry[] = [];

  constructor(private readonly journeys: Journeys) {}

  /** A sale is about to be sent. */
  begin(sale: Sale): Entry {
    const isRepeat = this.entries.some((entry) => entry.sale.transactionKey === sale.transactionKey);
    const entry: Entry = { sale, isRepeat };
    this.entries.push(entry);
    return entry;
  }

  /** The job of a sale; undefined for a repeated key. */
  jobOf({ sale, isRepeat }: Entry): JobRecord | undefined {
    return isRepeat ? undefined : this.journeys.jobOf(sale.transactionKey);
  }
}

/** A transaction's payments, as the terminal sends them. */
interface Paid {
  readonly payments: readonly { readonly amount?: unknown }[];
}

/** The sum of the payments in cents; values that are not positive numbers do not count. */
export function paidCents({ payments }: Paid): bigint {
  const amounts = payments.map(({ amount }) => amount);
  return sumCents(amounts.filter((amount): amount is number => Number.isFinite(amount) && (amount as number) > 0));
}
