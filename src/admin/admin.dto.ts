import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsUUID } from 'class-validator';
import { JOB_ACTIONS, JOB_STATUSES, type JobAction, type JobStatus } from '../domain/job.js';
import { AttemptView, CountsByStateView, JobStateView, KEY_LENGTH, MAX_ATTEMPTS } from '../outbox/job.views.js';
import { CursorPageDto, CursorPageMetaView, MAX_PAGE } from '../platform/http/fields/cursor-page.js';
import { Integer, ListOf, NullableInstant, NullableText, OneOf, Uuid } from '../platform/http/fields/fields.js';
import { QueryEnum } from '../platform/http/fields/query-enum.js';
import { QueryText } from '../platform/http/fields/query-fields.js';
import { QueryTime } from '../platform/http/fields/query-time.js';

/** What happened within a recent time span. */
export class RecentView {
  @Integer('jobs created') received: number;
  @Integer('attempts that ended in SENT') sent: number;
  @Integer() failed: number;
  @Integer() parked: number;
  @Integer('attempts whose lease expired') lost: number;

  @ApiProperty({ type: Number, nullable: true, description: 'ms from receipt to SENT' })
  deliveryMedianMs: number | null;

  @ApiProperty({ type: Number, nullable: true }) deliveryP95Ms: number | null;
  @ApiProperty({ type: Number, nullable: true }) deliveryP99Ms: number | null;
}

class AnswerCountView {
  @ApiProperty({ example: '503', description: "the POS status, or the transport's error code" }) answer: string;
  @OneOf(['SENT', 'FAILED', 'DLQ', 'LOST'], 'AttemptOutcome') outcome: string;
  @Integer() attempts: number;
}

class ParkedCountView {
  @Uuid() restaurantId: string;
  @ApiProperty() name: string;
  @Integer() parked: number;
}

/** Response of `GET /admin/metrics`. */
export class MetricsView {
  @ApiProperty() jobs: CountsByStateView;
  @ApiProperty({ description: 'for how many seconds the oldest due job has been waiting' }) oldestDueSeconds: number;
  @ApiProperty() lastMinute: RecentView;
  @ApiProperty() lastHour: RecentView;
  @ListOf(AnswerCountView, 50, 'attempts of the last hour') attemptsByAnswer: AnswerCountView[];
  @ListOf(ParkedCountView, 10, 'the ten restaurants with the most parked orders') parkedByRestaurant: ParkedCountView[];
  @Integer('transactions whose totalAmount differs from the sum of their payments') amountMismatches: number;
}

/** Query parameters of `GET /admin/jobs`. */
export class QueryJobsDto extends CursorPageDto {
  @QueryEnum(JOB_STATUSES, 'JobStatus', {
    description: 'DLQ: parked jobs only, neither withdrawn nor of a deleted restaurant',
  })
  status?: JobStatus;

  @QueryEnum(JOB_ACTIONS, 'JobAction')
  action?: JobAction;

  @ApiPropertyOptional({ format: 'uuid' })
  @IsOptional()
  @IsUUID()
  restaurantId?: string;

  @QueryText(300, 'the transactionKey as stored')
  eventKey?: string;

  @QueryTime('created at or after')
  from?: Date;

  @QueryTime('created before')
  to?: Date;
}

/** A job as platform administrators see it (O4). */
export class JobView extends JobStateView {
  @ApiProperty({ maxLength: KEY_LENGTH }) eventKey: string;
  @Uuid() restaurantId: string;
  @NullableInstant() processingAt: Date | null;
  @NullableText() lockedBy: string | null;
}

/** Response of `GET /admin/jobs`. */
export class JobPageView {
  @ListOf(JobView, MAX_PAGE, 'newest first') data: JobView[];
  @ApiProperty() meta: CursorPageMetaView;
}

/** Response of `GET /admin/jobs/:jobId`. */
export class JobDetailView extends JobView {
  @ListOf(AttemptView, MAX_ATTEMPTS, 'the newest, oldest first') history: AttemptView[];
}
