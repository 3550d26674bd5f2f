import { IS_REFUND, SIGNED_CENTS } from '../../outbox/sale-kind.sql.js';
import { Prisma } from '../../platform/database/generated/client.js';
import type { CountedMoneyView, TipsView } from './money.dto.js';

/** The sums of some stored transactions, from which all reports take their money and their counts (R61); in cents. */
export interface MoneySums {
  /** without cancelledCents */
  readonly takenCents: number;
  readonly cancelledCents: number;
  /** not below zero */
  readonly refundedCents: number;
  /** parts of takenCents (R68); null: not known, as of a closing that did not seal them */
  readonly tipCents: number | null;
  readonly serviceFeeCents: number | null;
  /** without those that are cancelled */
  readonly sales: number;
  readonly refunds: number;
  /** null: not known, as of a closing */
  readonly tests: number | null;
  /** sales whose order is cancelled */
  readonly cancelled: number;
}

/**
 * SQL: {@link MoneySums} as a JSON object: an aggregate over rows that have `test_mode`, `paid_cents`, `amount_mismatch_cents`, `tip_cents`
 * and `service_fee_cents` of `terminal_events`. It has no parameters of its own.
 * @param isCancelled SQL: whether the order of a row is cancelled (R17); null: it is not
 */
export function moneySums(isCancelled: Prisma.Sql): Prisma.Sql {
  const sale = Prisma.sql`NOT test_mode AND NOT ${IS_REFUND} AND (${isCancelled}) IS NOT TRUE`;
  const cancelled = Prisma.sql`NOT test_mode AND NOT ${IS_REFUND} AND ${isCancelled}`;
  const refund = Prisma.sql`NOT test_mode AND ${IS_REFUND}`;
  return Prisma.sql`json_build_object(
    'takenCents', coalesce(sum(paid_cents) FILTER (WHERE ${sale}), 0),
    'cancelledCents', coalesce(sum(paid_cents) FILTER (WHERE ${cancelled}), 0),
    'tipCents', coalesce(sum(tip_cents) FILTER (WHERE ${sale}), 0),
    'serviceFeeCents', coalesce(sum(service_fee_cents) FILTER (WHERE ${sale}), 0),
    'refundedCents', coalesce(-sum(${SIGNED_CENTS}) FILTER (WHERE ${refund}), 0),
    'sales', count(*) FILTER (WHERE ${sale}),
    'refunds', count(*) FILTER (WHERE ${refund}),
    'tests', count(*) FILTER (WHERE test_mode),
    'cancelled', count(*) FILTER (WHERE ${cancelled}))`;
}

/**
 * SQL: tip and service fee that sales with this tender alone have (R69), as the columns `tip` and `service_fee`; 0 where other tenders were
 * used too, or the order is cancelled. The row has `tip_cents`, `service_fee_cents` and `paid_by_tender`, of one sale or the sums of sales
 * that were paid alike, and `tender`, one entry of `paid_by_tender`.
 * @param isCancelled SQL: as in {@link moneySums}
 */
export function tipsOfTender(isCancelled: Prisma.Sql): Prisma.Sql {
  const counts = Prisma.sql`(${isCancelled}) IS NOT TRUE AND paid_by_tender - tender.key = '{}'::jsonb`;
  return Prisma.sql`CASE WHEN ${counts} THEN coalesce(tip_cents, 0) ELSE 0 END AS tip,
          CASE WHEN ${counts} THEN coalesce(service_fee_cents, 0) ELSE 0 END AS service_fee`;
}

/**
 * What of tip and service fee is of no tender (R69): of sales that were paid with several tenders, or with none. Null where it is not known.
 * @param byTender of all tenders of the same sales
 */
export function tipsOfSeveral(
  { tipCents, serviceFeeCents }: Pick<MoneySums, 'tipCents' | 'serviceFeeCents'>,
  byTender: readonly Pick<MoneySums, 'tipCents' | 'serviceFeeCents'>[],
): TipsView {
  const rest = (cents: number | null, of: (tender: (typeof byTender)[number]) => number | null) =>
    cents === null ? null : byTender.reduce((left, tender) => left - (of(tender) ?? 0), cents);
  return {
    tipCents: rest(tipCents, (tender) => tender.tipCents),
    serviceFeeCents: rest(serviceFeeCents, (tender) => tender.serviceFeeCents),
  };
}

/** The sums of several days or pieces of one span. */
export function sumOfMoney(sums: readonly MoneySums[]): MoneySums {
  const total = (of: (each: MoneySums) => number) => sums.reduce((sum, each) => sum + of(each), 0);
  return {
    takenCents: total(({ takenCents }) => takenCents),
    cancelledCents: total(({ cancelledCents }) => cancelledCents),
    refundedCents: total(({ refundedCents }) => refundedCents),
    tipCents: total(({ tipCents }) => tipCents ?? 0),
    serviceFeeCents: total(({ serviceFeeCents }) => serviceFeeCents ?? 0),
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
  tipCents,
  serviceFeeCents,
  sales,
  refunds,
  tests,
  cancelled,
}: MoneySums): CountedMoneyView {
  return {
    ...{ takenCents, cancelledCents, refundedCents, netCents: takenCents - refundedCents },
    ...{ tipCents, serviceFeeCents },
    counts: { sales, refunds, tests, cancelled },
  };
}
