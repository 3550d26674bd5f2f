import { ApiProperty } from '@nestjs/swagger';
import { CountsByState } from '../outbox/job.views.js';
import { QueryTime } from '../query-time.js';

export class QueryStatisticsDto {
  @QueryTime('received at or after; default: 30 days before `to`')
  from?: Date;

  @QueryTime('received before; default: now')
  to?: Date;
}

class TenderAmount {
  @ApiProperty({ example: '16' })
  tenderType: string;

  @ApiProperty({ type: 'integer', example: 7980 })
  cents: number;
}

class DayAmount {
  @ApiProperty({ format: 'date', example: '2026-01-31', description: 'UTC day of receipt' })
  day: string;

  @ApiProperty({ type: 'integer' })
  orders: number;

  @ApiProperty({ type: 'integer' })
  cents: number;
}

class Amounts {
  @ApiProperty({ type: 'integer' })
  totalCents: number;

  @ApiProperty({ type: [TenderAmount] })
  byTender: TenderAmount[];

  @ApiProperty({ type: [DayAmount] })
  byDay: DayAmount[];
}

class DeliveryTime {
  @ApiProperty({ type: Number, nullable: true })
  medianMs: number | null;

  @ApiProperty({ type: Number, nullable: true })
  p95Ms: number | null;
}

export class StatisticsView {
  @ApiProperty({ format: 'uuid' })
  restaurantId: string;

  @ApiProperty({ type: String, format: 'date-time' })
  from: Date;

  @ApiProperty({ type: String, format: 'date-time' })
  to: Date;

  @ApiProperty({ description: 'orders received in the time, by the state they are in now; tests count here' })
  orders: CountsByState;

  @ApiProperty({ description: 'what was paid, without test transactions' })
  amounts: Amounts;

  @ApiProperty({ description: 'from receipt to SENT' })
  delivery: DeliveryTime;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'receipt of the oldest order still under way',
  })
  oldestUndelivered: Date | null;

  @ApiProperty({ type: 'integer', description: 'transactions whose own totalAmount is not what was paid' })
  amountMismatches: number;
}
