import { ApiProperty } from '@nestjs/swagger';
import { Integer, NullableInteger } from '../../platform/http/fields/fields.js';

/** Tip and service fee in cents (M20): parts of what was paid for sales, without cancelled orders and tests (R68). */
export class TipsView {
  @NullableInteger('null: of a day that a version before closed: not known') tipCents: number | null;
  @NullableInteger('null: of a day that a version before closed: not known') serviceFeeCents: number | null;
}

/** The money of a day or span in cents (R61), by the same names in every answer. Test sales are in none. */
export class MoneyView extends TipsView {
  @Integer('what was paid for sales; without cancelled orders and tests') takenCents: number;
  @Integer('what was paid for orders that are cancelled; not in takenCents') cancelledCents: number;
  @Integer('what terminals reported as paid back; not below zero') refundedCents: number;
  @Integer('takenCents minus refundedCents; may be below zero') netCents: number;
}

/** How many there are in a day or span (R61). Each stored transaction is in one of the four. */
export class SaleCountsView {
  @Integer('without cancelled ones and tests') sales: number;
  @Integer('refunds; without tests') refunds: number;
  @NullableInteger('test sales and test refunds; null: of a closing, which has none') tests: number | null;
  @Integer('sales whose order is cancelled; without tests') cancelled: number;
}

/** Money and counts of a day or span. */
export class CountedMoneyView extends MoneyView {
  @ApiProperty({ description: 'sales, cancelled ones, refunds and tests, by the same names in every answer' })
  counts: SaleCountsView;
}
