import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, IsUUID, MaxLength } from 'class-validator';
import { JOB_ACTIONS, JOB_STATUSES, type JobAction, type JobStatus } from '../domain/job.js';
import { AttemptView, CountsByState, JobPageMeta, JobPageQuery } from '../outbox/job.views.js';
import { QueryTime } from '../query-time.js';

export class RecentView {
  @ApiProperty({ type: 'integer', description: 'jobs created' })
  received: number;

  @ApiProperty({ type: 'integer', description: 'attempts that ended in SENT' })
  sent: number;

  @ApiProperty({ type: 'integer' })
  failed: number;

  @ApiProperty({ type: 'integer' })
  parked: number;

  @ApiProperty({ type: 'integer', description: 'attempts whose lease expired' })
  lost: number;

  @ApiProperty({ type: Number, nullable: true, description: 'receipt to SENT' })
  deliveryMedianMs: number | null;

  @ApiProperty({ type: Number, nullable: true })
  deliveryP95Ms: number | null;

  @ApiProperty({ type: Number, nullable: true })
  deliveryP99Ms: number | null;
}

class AnswerCount {
  @ApiProperty({ example: '503', description: 'the POS status, or the code of the way to it' })
  answer: string;

  @ApiProperty({ enum: ['SENT', 'FAILED', 'DLQ', 'LOST'] })
  outcome: string;

  @ApiProperty({ type: 'integer' })
  attempts: number;
}

class ParkedCount {
  @ApiProperty({ format: 'uuid' })
  restaurantId: string;

  @ApiProperty()
  name: string;

  @ApiProperty({ type: 'integer' })
  parked: number;
}

export class MetricsView {
  @ApiProperty()
  jobs: CountsByState;

  @ApiProperty({ description: 'how long the oldest due job has been waiting' })
  oldestDueSeconds: number;

  @ApiProperty()
  lastMinute: RecentView;

  @ApiProperty()
  lastHour: RecentView;

  @ApiProperty({ type: [AnswerCount], description: 'of the last hour' })
  attemptsByAnswer: AnswerCount[];

  @ApiProperty({ type: [ParkedCount], description: 'the ten restaurants with the most parked orders' })
  parkedByRestaurant: ParkedCount[];

  @ApiProperty({ type: 'integer', description: 'transactions whose own totalAmount is not what was paid' })
  amountMismatches: number;
}

export class QueryJobsDto extends JobPageQuery {
  @ApiPropertyOptional({ enum: JOB_STATUSES })
  @IsOptional()
  @IsIn(JOB_STATUSES, { message: `status must be one of: ${JOB_STATUSES.join(', ')}` })
  status?: JobStatus;

  @ApiPropertyOptional({ enum: JOB_ACTIONS })
  @IsOptional()
  @IsIn(JOB_ACTIONS, { message: `action must be one of: ${JOB_ACTIONS.join(', ')}` })
  action?: JobAction;

  @ApiPropertyOptional({ format: 'uuid' })
  @IsOptional()
  @IsUUID()
  restaurantId?: string;

  @ApiPropertyOptional({ description: 'the transactionKey as stored' })
  @IsOptional()
  @IsString()
  @MaxLength(300)
  eventKey?: string;

  @QueryTime('created at or after')
  from?: Date;

  @QueryTime('created before')
  to?: Date;
}

export class JobView {
  @ApiProperty({ format: 'uuid' })
  id: string;

  @ApiProperty()
  eventKey: string;

  @ApiProperty({ format: 'uuid' })
  restaurantId: string;

  @ApiProperty({ enum: JOB_ACTIONS })
  action: JobAction;

  @ApiProperty({ enum: JOB_STATUSES })
  status: JobStatus;

  @ApiProperty({ type: 'integer' })
  attempts: number;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  nextRunAt: Date | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  processingAt: Date | null;

  @ApiProperty({ type: String, nullable: true })
  lockedBy: string | null;

  @ApiProperty({ type: String, nullable: true })
  lastError: string | null;

  @ApiProperty({ description: 'a CREATE whose order was cancelled before it was sent' })
  withdrawn: boolean;

  @ApiProperty({ type: String, format: 'date-time' })
  createdAt: Date;

  @ApiProperty({ type: String, format: 'date-time' })
  updatedAt: Date;
}

export class JobPage {
  @ApiProperty({ type: [JobView], description: 'newest first' })
  data: JobView[];

  @ApiProperty()
  meta: JobPageMeta;
}

export class JobDetailView extends JobView {
  @ApiProperty({ type: [AttemptView] })
  history: AttemptView[];
}
