import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsBoolean, IsIn, IsOptional, IsString, MaxLength } from 'class-validator';
import { JOB_ACTIONS, JOB_STATUSES, type JobAction, type JobStatus } from '../domain/job.js';
import { AttemptView, JobPageMeta, JobPageQuery } from '../outbox/job.views.js';
import { QueryTime } from '../query-time.js';

export const ORDER_SORTS = ['-receivedAt', 'receivedAt'] as const;

export class QueryOrdersDto extends JobPageQuery {
  @ApiPropertyOptional({ enum: JOB_STATUSES })
  @IsOptional()
  @IsIn(JOB_STATUSES, { message: `status must be one of: ${JOB_STATUSES.join(', ')}` })
  status?: JobStatus;

  @ApiPropertyOptional({ enum: JOB_ACTIONS, default: 'CREATE', description: 'orders, or their cancels' })
  @IsOptional()
  @IsIn(JOB_ACTIONS, { message: `action must be one of: ${JOB_ACTIONS.join(', ')}` })
  action: JobAction = 'CREATE';

  @QueryTime('received at or after')
  from?: Date;

  @QueryTime('received before')
  to?: Date;

  @ApiPropertyOptional({ description: 'a transactionKey, as sent or as stored, or a transactionNumber' })
  @IsOptional()
  @IsString()
  @MaxLength(300)
  search?: string;

  @ApiPropertyOptional({ type: Boolean, description: 'true: only test transactions; false: only real ones' })
  @IsOptional()
  @Transform(({ value }) => (value === 'true' ? true : value === 'false' ? false : value))
  @IsBoolean()
  test?: boolean;

  @ApiPropertyOptional({ enum: ORDER_SORTS, default: '-receivedAt' })
  @IsOptional()
  @IsIn(ORDER_SORTS, { message: `sort must be one of: ${ORDER_SORTS.join(', ')}` })
  sort: (typeof ORDER_SORTS)[number] = '-receivedAt';
}

export class OrderView {
  @ApiProperty({ description: 'as stored, and as the POS knows it' })
  transactionKey: string;

  @ApiProperty({ type: String, nullable: true })
  transactionNumber: string | null;

  @ApiProperty()
  test: boolean;

  @ApiProperty({ type: String, format: 'date-time' })
  receivedAt: Date;

  @ApiProperty({ type: 'integer', description: 'what was paid' })
  paidCents: number;

  @ApiProperty({ enum: JOB_ACTIONS })
  action: JobAction;

  @ApiProperty({ enum: JOB_STATUSES })
  status: JobStatus;

  @ApiProperty({ description: 'cancelled before it was sent' })
  withdrawn: boolean;

  @ApiProperty({ type: 'integer' })
  attempts: number;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  nextRunAt: Date | null;

  @ApiProperty({ type: String, nullable: true })
  lastError: string | null;
}

export class OrderPage {
  @ApiProperty({ type: [OrderView] })
  data: OrderView[];

  @ApiProperty()
  meta: JobPageMeta;
}

class JobOfOrder {
  @ApiProperty({ format: 'uuid' })
  id: string;

  @ApiProperty({ enum: JOB_ACTIONS })
  action: JobAction;

  @ApiProperty({ enum: JOB_STATUSES })
  status: JobStatus;

  @ApiProperty()
  withdrawn: boolean;

  @ApiProperty({ type: 'integer' })
  attempts: number;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  nextRunAt: Date | null;

  @ApiProperty({ type: String, nullable: true })
  lastError: string | null;

  @ApiProperty({ type: String, format: 'date-time' })
  createdAt: Date;

  @ApiProperty({ type: String, format: 'date-time' })
  updatedAt: Date;

  @ApiProperty({ type: [AttemptView], description: 'oldest first' })
  history: AttemptView[];
}

export class OrderDetailView {
  @ApiProperty()
  transactionKey: string;

  @ApiProperty({ description: 'the key as the terminal sent it' })
  sourceKey: string;

  @ApiProperty()
  test: boolean;

  @ApiProperty({ type: String, format: 'date-time' })
  receivedAt: Date;

  @ApiProperty({ type: 'integer', nullable: true, description: "the terminal's totalAmount less what was paid" })
  amountMismatchCents: number | null;

  @ApiProperty({ type: 'object', additionalProperties: true, description: 'the event as received' })
  event: Record<string, unknown>;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: 'the order as it is sent to the POS; null when it cannot be mapped',
  })
  order: Record<string, unknown> | null;

  @ApiProperty({ type: String, nullable: true, description: 'the field that prevents the order' })
  unmappable: string | null;

  @ApiProperty({ type: [JobOfOrder], description: 'the CREATE, and the CANCEL if there is one' })
  jobs: JobOfOrder[];
}

class CancelData {
  @ApiProperty({ format: 'uuid' })
  jobId: string;
}

export class CancelAnswer {
  @ApiProperty()
  message: string;

  @ApiProperty()
  data: CancelData;
}
