import { ApiProperty } from '@nestjs/swagger';
import { SUBJECTS, type Subject } from '../domain/cause.js';
import { JOB_ACTIONS } from '../domain/job.js';
import { CauseProperty, FailureView, KEY_LENGTH } from '../outbox/job.views.js';
import { Instant, Integer, ListOf, NullableInstant, OneOf, Uuid } from '../platform/http/fields/fields.js';
import { QueryInteger } from '../platform/http/fields/query-fields.js';

class InstanceView {
  @ApiProperty({ example: 'relay-1:7', description: 'host and process id, as in `lockedBy` of a job' }) id: string;
  @ApiProperty({ example: '1.0.0' }) version: string;
  @ApiProperty() host: string;
  @Instant() startedAt: Date;
  @Instant('its last sign of life; one is due every 15 s') lastSeenAt: Date;
  @ApiProperty({ description: "by the database's clock" }) secondsSinceSeen: number;
  @ApiProperty({ description: 'it was seen within 45 s' }) alive: boolean;
  @ApiProperty({ description: 'WORKER_ENABLED: whether it delivers' }) workerEnabled: boolean;
  @OneOf(['tick', 'eager'], 'OutboxPace', 'OUTBOX_PACE') pace: string;
  @Integer('jobs that it has claimed') processing: number;
}

/** Response of `GET /admin/instances`. */
export class InstancesView {
  @ListOf(InstanceView, 500, 'of the last day; those that live first') data: InstanceView[];
}

/** The parked jobs with one cause of one restaurant. */
export class CauseRestaurantView {
  @Uuid() restaurantId: string;
  @ApiProperty() name: string;
  @Integer() parked: number;
  @Integer('of these, parked since the current business day of the restaurant began') today: number;
  @Instant('when that day began; `since` of `POST /admin/jobs/reset`') dayBegan: Date;
}

/** A parked job, as an example of its cause. */
export class CauseExampleView {
  @Uuid() jobId: string;
  @ApiProperty({ maxLength: KEY_LENGTH }) eventKey: string;
  @OneOf(JOB_ACTIONS, 'JobAction') action: string;
  @Uuid() restaurantId: string;
  @ApiProperty() restaurantName: string;
  @ApiProperty({ type: String, nullable: true, maxLength: 1_000 }) lastError: string | null;
  @Instant() parkedAt: Date;
}

/** Parked jobs with one cause. */
export class CauseView {
  @ApiProperty({
    example: 'HTTP 422, POS error 310: unknown product #',
    description: 'the error with # in place of numbers and ids; `cause` of `POST /admin/jobs/reset`',
  })
  cause: string;

  @CauseProperty('`cause` of the jobs') kind: string | null;

  @ApiProperty({ enum: SUBJECTS, enumName: 'Subject', nullable: true, description: 'what the POS refused is about' })
  subject: Subject | null;

  @Integer() parked: number;
  @Integer('how many of them are cancels') cancels: number;
  @Instant('when the oldest was parked') since: Date;
  @Instant('when the newest was parked') newest: Date;
  @ApiProperty({ description: 'the sale itself cannot be mapped: a reset alone parks it again' }) unmappable: boolean;
  @ApiProperty({
    description: 'restaurants of three founders or more had it within a day: it is no fault of one of them',
  })
  common: boolean;

  @Integer() restaurantCount: number;
  @ListOf(CauseRestaurantView, 10, 'the ten with most') restaurants: CauseRestaurantView[];
  @ListOf(CauseExampleView, 3, 'three at most, the newest') examples: CauseExampleView[];

  @ApiProperty({
    example:
      'psql "$DATABASE_URL" -v cause=\'HTTP 422, POS error 310: unknown product #\' -f prisma/sql/reset-parked-with-cause.sql',
    description: 'the line for a shell that resets exactly these',
  })
  psql: string;
}

class CausesMetaView {
  @Integer('causes that were found, 500 at most') causes: number;
  @ApiProperty({ description: 'there are more causes than are shown' }) more: boolean;
}

/** Response of `GET /admin/parked`. */
export class CausesView {
  @ListOf(CauseView, 50, 'the 50 causes with most jobs') data: CauseView[];
  @ApiProperty() meta: CausesMetaView;
}

/** Query parameters of `GET /admin/throughput`. */
export class QueryThroughputDto {
  @QueryInteger({ default: 60, minimum: 5, maximum: 1_440 })
  minutes = 60;
}

/** What waits now. */
export class BacklogView {
  @Integer('PENDING or FAILED') waiting: number;
  @Integer() processing: number;
  @Integer() parked: number;
  @Integer('due for longer than ALARM_LATE_MS; counted up to 10,000') late: number;
  @Integer('of the late ones, those that wait after a failed attempt; the others were never claimed')
  lateAfterFailure: number;
  @ApiProperty({ description: 'for how many seconds the oldest due job has been waiting' }) oldestDueSeconds: number;
}

/** What came in and went out within one bucket of time. */
export class ThroughputBucketView {
  @Instant('its beginning; the last one is not over') at: Date;
  @Integer('sales') accepted: number;
  @Integer('orders, by the beginning of the attempt') delivered: number;
  @Integer('attempts that failed and are repeated, or whose lease expired') failed: number;
  @Integer('attempts that parked their job') parked: number;

  @Integer('jobs that waited at its end, reckoned back from now: resets and withdrawals since are not seen')
  waiting: number;

  @ApiProperty({ type: Number, nullable: true, description: 'ms from receipt to SENT; null: nothing was delivered' })
  medianMs: number | null;

  @ApiProperty({ type: Number, nullable: true }) p95Ms: number | null;
}

/** Response of `GET /admin/throughput`. */
export class ThroughputView {
  @Integer('60 up to two hours, 300 up to twelve, else 900') bucketSeconds: number;
  @ApiProperty() backlog: BacklogView;
  @ListOf(ThroughputBucketView, 145, 'oldest first, without gaps') data: ThroughputBucketView[];
}

/** A restaurant whose POS accepted nothing within ALARM_REFUSING_MS. */
export class RefusingRestaurantView extends FailureView {
  @Uuid() restaurantId: string;
  @ApiProperty() name: string;
  @Integer('within ALARM_REFUSING_MS, all failed') attempts: number;
  @NullableInstant('the first failure after the last order that was delivered') since: Date | null;
  @NullableInstant('null: never, or not among its last 5,000 orders') lastDeliveredAt: Date | null;
  @Integer('its jobs that wait') waiting: number;
}

/** Response of `GET /admin/refusing`. */
export class RefusingView {
  @ListOf(RefusingRestaurantView, 200, 'those with most attempts first, 200 at most') data: RefusingRestaurantView[];
}
