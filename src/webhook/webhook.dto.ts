import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { MAX_WARNINGS } from '../domain/warnings.js';
import { Uuid } from '../platform/http/fields/fields.js';

class TerminalItemDto {
  @ApiProperty({ example: 'PZ-01' }) itemCode: string;
  @ApiProperty({ example: 'Pizza Margherita' }) itemName: string;
  @ApiProperty({ example: 2 }) quantity: number;
  @ApiProperty({ example: 39.9, description: 'unit price in currency units' }) price: number;
}

class TerminalPaymentDto {
  @ApiProperty({ type: 'integer', example: 16, description: '1 cash, 50 instant payment, 16 and 28 credit card' })
  tenderType: number;

  @ApiProperty({ example: 79.8, description: 'currency units' }) amount: number;
}

/**
 * The body of the webhook (W27), for the OpenAPI document only. domain/transaction.ts validates the body: it does not refuse a
 * sale for an invalid amount (W14).
 */
export class TerminalEventDto {
  @ApiProperty({ example: 'T-2026-000123', maxLength: 255, description: 'idempotency key; becomes the POS order_id' })
  transactionKey: string;

  @ApiPropertyOptional({ example: '000123', description: "the terminal's number of the sale" })
  transactionNumber?: string;

  @ApiPropertyOptional({ example: false, description: 'true: a test order, not counted in the takings' })
  isTestTransaction?: boolean;

  @ApiPropertyOptional({ example: 'STORE-1', description: "matched with the restaurant's codeStoreTerminal" })
  storeCode?: string;

  @ApiPropertyOptional({ example: '2026-01-31T20:15:00Z', description: 'ISO 8601, UTC when it has no zone' })
  transactionDate?: string;

  @ApiPropertyOptional({ example: 79.8, description: "the terminal's own total, in currency units" })
  totalAmount?: number;

  @ApiPropertyOptional({ example: 'BRL', description: "ISO 4217; a warning when it is not the restaurant's" })
  currency?: string;

  @ApiPropertyOptional({ type: [TerminalItemDto], maxItems: 500 })
  items?: TerminalItemDto[];

  @ApiPropertyOptional({ type: [TerminalPaymentDto], maxItems: 500 })
  payments?: TerminalPaymentDto[];

  @ApiPropertyOptional({ format: 'uuid', description: 'names the restaurant directly, in place of storeCode' })
  restaurantId?: string;

  @ApiPropertyOptional({
    format: 'email',
    writeOnly: true,
    description: 'with `password`: credentials of an OWNER, for a terminal that cannot send a header; never stored',
  })
  email?: string;

  @ApiPropertyOptional({ format: 'password', writeOnly: true, description: 'see `email`; never stored' })
  password?: string;
}

/** The examples of the API page; they match the example of a restaurant on the same page. */
export const TRANSACTION_EXAMPLES = {
  sale: {
    summary: 'a sale, paid by card',
    value: {
      transactionKey: 'T-2026-000123',
      transactionNumber: '000123',
      storeCode: 'STORE-1',
      transactionDate: '2026-01-31T20:15:00Z',
      totalAmount: 79.8,
      items: [{ itemCode: 'PZ-01', itemName: 'Pizza Margherita', quantity: 2, price: 39.9 }],
      payments: [{ tenderType: 16, amount: 79.8 }],
    },
  },
  test: {
    summary: 'a test transaction: it may be sent again',
    value: {
      transactionKey: 'TEST-1',
      isTestTransaction: true,
      storeCode: 'STORE-1',
      totalAmount: 12.5,
      items: [{ itemCode: 'CF-01', itemName: 'Espresso', quantity: 5, price: 2.5 }],
      payments: [{ tenderType: 1, amount: 12.5 }],
    },
  },
};

export class AcceptedView {
  @ApiProperty({ enum: [true] }) success: true;
  @Uuid() jobId: string;

  @ApiProperty({
    example: '/webhooks/terminal/receipts/3f0a6a54-8c6e-4c39-9a51-0c5c0f1f7a11',
    description: 'where the sender reads what became of the sale (V20)',
  })
  receipt: string;

  @ApiProperty({
    pattern: '^[0-9a-f]{32}$',
    example: '4bf92f3577b34da6a3ce929d0e0e4736',
    description: 'the trace of the sale: of its `traceparent`, else a new one',
  })
  traceId: string;

  @ApiPropertyOptional({
    type: [String],
    maxItems: MAX_WARNINGS,
    description: 'fields that make the order unmappable or look wrong; absent when there are none',
    example: ['payments[0].amount: is text, not a number; the payment is ignored'],
  })
  warnings?: string[];
}
