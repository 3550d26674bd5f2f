import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

// What the OpenAPI document says about the webhook. The body itself is checked by domain/transaction.ts: a sale that has
// already happened is not refused for an odd amount.

class TerminalItem {
  @ApiProperty({ example: 'PZ-01' })
  itemCode: string;

  @ApiProperty({ example: 'Pizza Margherita' })
  itemName: string;

  @ApiProperty({ example: 2 })
  quantity: number;

  @ApiProperty({ example: 39.9, description: 'unit price in currency units' })
  price: number;
}

class TerminalPayment {
  @ApiProperty({ example: 16, description: '1 cash, 50 instant payment, 16 and 28 credit card' })
  tenderType: number;

  @ApiProperty({ example: 79.8, description: 'currency units' })
  amount: number;
}

export class TerminalEventBody {
  @ApiProperty({ example: 'T-2026-000123', maxLength: 255, description: 'idempotency key; becomes the POS order_id' })
  transactionKey: string;

  @ApiPropertyOptional({ example: '000123' })
  transactionNumber?: string;

  @ApiPropertyOptional({ example: false })
  isTestTransaction?: boolean;

  @ApiPropertyOptional({ example: 'STORE-1', description: "matched with the restaurant's codeStoreTerminal" })
  storeCode?: string;

  @ApiPropertyOptional({ example: '2026-01-31T20:15:00Z' })
  transactionDate?: string;

  @ApiPropertyOptional({ example: 79.8 })
  totalAmount?: number;

  @ApiPropertyOptional({ type: [TerminalItem], maxItems: 500 })
  items?: TerminalItem[];

  @ApiPropertyOptional({ type: [TerminalPayment], maxItems: 500 })
  payments?: TerminalPayment[];

  @ApiPropertyOptional({ format: 'uuid' })
  restaurantId?: string;
}

export class AcceptedView {
  @ApiProperty({ enum: [true] })
  success: true;

  @ApiProperty({ format: 'uuid' })
  jobId: string;
}
