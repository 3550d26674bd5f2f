import type { CountedMoneyView, TipsView } from '../../restaurants/reports/money.dto.js';
import { moneyOf, tipsOfSeveral } from '../../restaurants/reports/money.js';
import type { ClosedDayView, DayStatesView } from './days.dto.js';

/**
 * What the content of a closing has (B4), without what the row has too. It never changes: its `netCents` is the sum of `sales` and `refunds`,
 * both with cancelled orders, and `perpetualCents` adds up these (B20).
 */
export interface Said
  extends Omit<
    ClosedDayView,
    'closedByRelay' | 'states' | 'tenders' | 'hash' | 'currency' | 'severalTenders' | keyof CountedMoneyView
  > {
  readonly restaurant: string;
  /** without `resolved` where no sale was settled by hand before the close, as in closings of versions before */
  readonly states: Omit<DayStatesView, 'resolved'> & Partial<Pick<DayStatesView, 'resolved'>>;
  readonly netCents: number;
  readonly salesCount: number;
  readonly salesHash: string;
  readonly linesHash: string;
  readonly closedBy: string;
  readonly currency: string;
  /** these three are not there in closings of versions before (B22) */
  readonly tipCents?: number;
  readonly serviceFeeCents?: number;
  readonly tipTenders?: readonly (readonly [type: string, tipCents: number, serviceFeeCents: number])[];
  readonly tenders: readonly (readonly [type: string, count: number, cents: number])[];
}

/** The money and the counts of a closing (R61), from what it has sealed: its `sales` include cancelled orders (B20). */
export function moneyOfClosing({ sales, refunds, states, tipCents, serviceFeeCents }: Said): CountedMoneyView {
  return moneyOf({
    takenCents: sales.cents - states.cancelled.cents,
    cancelledCents: states.cancelled.cents,
    refundedCents: 0 - refunds.cents,
    ...{ tipCents: tipCents ?? null, serviceFeeCents: serviceFeeCents ?? null },
    sales: sales.count - states.cancelled.count,
    refunds: refunds.count,
    tests: null,
    cancelled: states.cancelled.count,
  });
}

/** Tip and service fee of a tender, or of none of them. */
export interface TenderTips extends TipsView {
  /** null: of sales that were paid with several tenders, or with none */
  readonly tenderType: string | null;
}

/** Tip and service fee by tender, as they were sealed (R69, B22); null in both of each: a version before closed the day. */
export function tipsOfClosing(said: Said): { readonly tenders: TenderTips[]; readonly severalTenders: TipsView } {
  const sealed = new Map((said.tipTenders ?? []).map(([type, tip, fee]) => [type, [tip, fee] as const]));
  const unknown = said.tipTenders === undefined;
  const tenders = said.tenders.map(([tenderType]) => {
    const [tipCents, serviceFeeCents] = unknown ? [null, null] : (sealed.get(tenderType) ?? [0, 0]);
    return { tenderType, tipCents, serviceFeeCents };
  });
  return { tenders, severalTenders: tipsOfSeveral(moneyOfClosing(said), tenders) };
}
