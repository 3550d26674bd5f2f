import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { MAX_OPTIONS } from '../domain/options.js';
import { MAX_EVIDENCE, MAX_INSTALLMENTS, MAX_NOTES } from '../domain/sent-fields.js';
import { MAX_WARNINGS } from '../domain/warnings.js';
import { Uuid } from '../platform/http/fields/fields.js';

class TerminalOptionDto {
  @ApiPropertyOptional({ example: 'CH-01' }) itemCode?: string;
  @ApiPropertyOptional({ example: 'Extra cheese' }) itemName?: string;
  @ApiPropertyOptional({ default: 1, example: 1, description: 'for one unit of the item' }) quantity?: number;

  @ApiPropertyOptional({ default: 0, example: 4.5, description: 'in currency units, for one unit of the option' })
  price?: number;
}

class TerminalItemDto {
  @ApiProperty({ example: 'PZ-01' }) itemCode: string;
  @ApiProperty({ example: 'Pizza Margherita' }) itemName: string;
  @ApiProperty({ example: 2 }) quantity: number;
  @ApiProperty({ example: 39.9, description: 'unit price in currency units, without options' }) price: number;

  @ApiPropertyOptional({ type: [TerminalOptionDto], maxItems: MAX_OPTIONS, description: 'parts of the dish' })
  options?: TerminalOptionDto[];

  @ApiPropertyOptional({ example: 'no onion', maxLength: MAX_NOTES, description: 'for the kitchen' }) notes?: string;
}

class TerminalPaymentDto {
  @ApiProperty({ type: 'integer', example: 16, description: '1 cash, 50 instant payment, 16 and 28 credit card' })
  tenderType: number;

  @ApiProperty({ example: 79.8, description: 'currency units' }) amount: number;

  @ApiPropertyOptional({ example: '004213', maxLength: MAX_EVIDENCE, description: 'of the card payment' })
  authorizationCode?: string;

  @ApiPropertyOptional({ example: '01027058000191', pattern: '^[0-9]{14}$', description: 'CNPJ of the acquirer' })
  acquirerDocument?: string;

  @ApiPropertyOptional({ example: 'VISA', maxLength: MAX_EVIDENCE }) brand?: string;
  @ApiPropertyOptional({ type: 'integer', example: 1, minimum: 1, maximum: MAX_INSTALLMENTS }) installments?: number;
  @ApiPropertyOptional({ example: 'PX-0077', maxLength: MAX_EVIDENCE }) terminalId?: string;
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

  @ApiPropertyOptional({ example: 5, minimum: 0, description: 'part of what was paid, in currency units' })
  tipAmount?: number;

  @ApiPropertyOptional({ example: 7.98, minimum: 0, description: 'part of what was paid, in currency units' })
  serviceFeeAmount?: number;

  @ApiPropertyOptional({ example: 'table 12, quick', maxLength: MAX_NOTES, description: 'for the kitchen' })
  notes?: string;

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
  whole: {
    summary: 'a sale with options, notes, tip, service fee and the evidence of its payment',
    value: {
      transactionKey: 'T-2026-000124',
      storeCode: 'STORE-1',
      totalAmount: 101.28,
      tipAmount: 5,
      serviceFeeAmount: 7.98,
      notes: 'table 12',
      items: [
        {
          ...{ itemCode: 'PZ-01', itemName: 'Pizza Margherita', quantity: 2, price: 39.9, notes: 'no onion' },
          options: [
            { itemCode: 'CH-01', itemName: 'Extra cheese', price: 4.25 },
            { itemCode: 'BS-02', itemName: 'Thin crust' },
          ],
        },
      ],
      payments: [
        {
          ...{ tenderType: 16, amount: 101.28, authorizationCode: '004213', acquirerDocument: '01027058000191' },
          ...{ brand: 'VISA', installments: 1, terminalId: 'PX-0077' },
        },
      ],
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
