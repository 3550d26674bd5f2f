import type { CountedMoneyView } from '../../restaurants/reports/money.dto.js';
import { moneyOf } from '../../restaurants/reports/money.js';
import type { ClosedDayView, DayStatesView } from './days.dto.js';

/**
 * What the content of a closing has (B4), without what the row has too. It never changes: its `netCents` is the sum of `sales` and `refunds`,
 * both with cancelled orders, and `perpetualCents` adds up these (B20).
 */
export interface Said
  extends Omit<ClosedDayView, 'closedByRelay' | 'states' | 'tenders' | 'hash' | 'currency' | keyof CountedMoneyView> {
  readonly restaurant: string;
  /** without `resolved` where no sale was settled by hand before the close, as in closings of versions before */
  readonly states: Omit<DayStatesView, 'resolved'> & Partial<Pick<DayStatesView, 'resolved'>>;
  readonly netCents: number;
  readonly salesCount: number;
  readonly salesHash: string;
  readonly linesHash: string;
  readonly closedBy: string;
  readonly currency: string;
  readonly tenders: readonly (readonly [type: string, count: number, cents: number])[];
}

/** The money and the counts of a closing (R61), from what it has sealed: its `sales` include cancelled orders (B20). */
export function moneyOfClosing({ sales, refunds, states }: Said): CountedMoneyView {
  return moneyOf({
    takenCents: sales.cents - states.cancelled.cents,
    cancelledCents: states.cancelled.cents,
    refundedCents: 0 - refunds.cents,
    sales: sales.count - states.cancelled.count,
    refunds: refunds.count,
    tests: null,
    cancelled: states.cancelled.count,
  });
}
