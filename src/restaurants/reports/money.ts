import { IS_REFUND, SIGNED_CENTS } from '../../outbox/sale-kind.sql.js';
import { Prisma } from '../../platform/database/generated/client.js';
import type { CountedMoneyView } from './money.dto.js';

/** The sums of some stored transactions, from which all reports take their money and their counts (R61); in cents. */
export interface MoneySums {
  /** without cancelledCents */
  readonly takenCents: number;
  readonly cancelledCents: number;
  /** not below zero */
  readonly refundedCents: number;
  /** without those that are cancelled */
  readonly sales: number;
  readonly refunds: number;
  /** null: not known, as of a closing */
  readonly tests: number | null;
  /** sales whose order is cancelled */
  readonly cancelled: number;
}

/**
 * SQL: {@link MoneySums} as a JSON object: an aggregate over rows that have `test_mode`, `paid_cents` and `amount_mismatch_cents` of
 * `terminal_events`. It has no parameters of its own.
 * @param isCancelled SQL: whether the order of a row is cancelled (R17); null: it is not
 */
export function moneySums(isCancelled: Prisma.Sql): Prisma.Sql {
  const sale = Prisma.sql`NOT test_mode AND NOT ${IS_REFUND} AND (${isCancelled}) IS NOT TRUE`;
  const cancelled = Prisma.sql`NOT test_mode AND NOT ${IS_REFUND} AND ${isCancelled}`;
  const refund = Prisma.sql`NOT test_mode AND ${IS_REFUND}`;
  return Prisma.sql`json_build_object(
    'takenCents', coalesce(sum(paid_cents) FILTER (WHERE ${sale}), 0),
    'cancelledCents', coalesce(sum(paid_cents) FILTER (WHERE ${cancelled}), 0),
    'refundedCents', coalesce(-sum(${SIGNED_CENTS}) FILTER (WHERE ${refund}), 0),
    'sales', count(*) FILTER (WHERE ${sale}),
    'refunds', count(*) FILTER (WHERE ${refund}),
    'tests', count(*) FILTER (WHERE test_mode),
    'cancelled', count(*) FILTER (WHERE ${cancelled}))`;
}

/** The sums of several days or pieces of one span. */
export function sumOfMoney(sums: readonly MoneySums[]): MoneySums {
  const total = (of: (each: MoneySums) => number) => sums.reduce((sum, each) => sum + of(each), 0);
  return {
    takenCents: total(({ takenCents }) => takenCents),
    cancelledCents: total(({ cancelledCents }) => cancelledCents),
    refundedCents: total(({ refundedCents }) => refundedCents),
    sales: total(({ sales }) => sales),
    refunds: total(({ refunds }) => refunds),
    tests: total(({ tests }) => tests ?? 0),
    cancelled: total(({ cancelled }) => cancelled),
  };
}

/** The money and the counts of an answer, page, file or mail (R61). */
export function moneyOf({
  takenCents,
  cancelledCents,
  refundedCents,
  sales,
  refunds,
  tests,
  cancelled,
}: MoneySums): CountedMoneyView {
  return {
    ...{ takenCents, cancelledCents, refundedCents, netCents: takenCents - refundedCents },
    counts: { sales, refunds, tests, cancelled },
  };
}
