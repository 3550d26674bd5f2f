import { ApiProperty } from '@nestjs/swagger';
import { CAUSE_WORDS, CAUSES, SUBJECTS } from '../domain/cause.js';
import { JOB_ACTIONS, JOB_STATUSES, type JobAction, type JobStatus } from '../domain/job.js';
import {
  Instant,
  Integer,
  NullableInstant,
  NullableInteger,
  NullableText,
  OneOf,
  Uuid,
} from '../platform/http/fields/fields.js';

/** The number of jobs in each state (O1), in every answer that counts jobs by state. */
export class CountsByStateView implements Record<JobStatus, number> {
  @Integer() PENDING: number;
  @Integer() PROCESSING: number;
  @Integer() SENT: number;
  @Integer() FAILED: number;
  @Integer('parked: not retried, and not withdrawn') DLQ: number;
}

const CAUSE = { enum: CAUSE_WORDS, enumName: 'Cause', nullable: true } as const;
const MEANINGS = CAUSE_WORDS.map((word) => `${word}: ${CAUSES[word]}`).join('; ');

/** The code of a failure (O30). The field is called `cause`, or `kind` in a view where `cause` is a text. */
export const CauseProperty = (description: string) => ApiProperty({ ...CAUSE, description });

/** How the last attempt failed; both fields are null when the job has no error (O31). */
export class FailureView {
  @CauseProperty(`why its last attempt failed. ${MEANINGS}`) cause: string | null;
  @NullableText('the same in words, for people', { maxLength: 1_000 }) lastError: string | null;
}

/** What the POS refused for good is about (O47). */
export const SubjectProperty = () =>
  ApiProperty({
    enum: SUBJECTS,
    enumName: 'Subject',
    nullable: true,
    description: 'what the POS refused is about; null unless `cause` is `refused`',
  });

/** The fields of a job that both staff and operators see. */
export class JobStateView extends FailureView {
  @SubjectProperty() subject: string | null;
  @Uuid() id: string;
  @OneOf(JOB_ACTIONS, 'JobAction') action: JobAction;
  @OneOf(JOB_STATUSES, 'JobStatus') status: JobStatus;
  @ApiProperty({ description: 'a CREATE whose order was cancelled before it was sent' }) withdrawn: boolean;
  @Integer() attempts: number;
  @NullableInstant() nextRunAt: Date | null;
  @Instant() createdAt: Date;
  @Instant() updatedAt: Date;
}

/** The most characters of a stored key: 255 and the suffix of test mode (L8, W22). */
export const KEY_LENGTH = 280;

/** The most attempts in an answer. If there are more, the newest are shown (L22). */
export const MAX_ATTEMPTS = 500;

/** One delivery attempt, as staff and operators see it (O18). */
export class AttemptView {
  @Integer() number: number;
  @Instant() startedAt: Date;
  @Integer() durationMs: number;
  @NullableInteger('HTTP status of the POS; null: no answer') httpStatus: number | null;

  @NullableText(
    "the POS's errorCode, or the transport's error code; ASKED_…: the answer of the POS to a look-up of the order",
  )
  errorCode: string | null;

  @OneOf(['SENT', 'FAILED', 'DLQ', 'LOST'], 'AttemptOutcome') outcome: string;

  @OneOf(
    ['NOT_SENT', 'UNKNOWN', 'ANSWERED'],
    'AttemptReach',
    'NOT_SENT: the order was not sent; UNKNOWN: it may have arrived; ANSWERED: the POS answered',
  )
  reach: string;

  @CauseProperty('why it failed, as `cause` of its job') cause: string | null;
  @NullableText('of an attempt that found its order: "found at the POS"') error: string | null;
}
