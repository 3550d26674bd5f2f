import { ApiProperty } from '@nestjs/swagger';
import { JOB_ACTIONS, type JobAction } from '../../domain/job.js';
import { REFUSAL_REASONS, type RefusalReason } from '../../domain/refusal-reason.js';
import { CauseProperty, KEY_LENGTH } from '../../outbox/job.views.js';
import {
  Instant,
  Integer,
  ListOf,
  NullableInstant,
  NullableInteger,
  NullableText,
  OneOf,
  Uuid,
} from '../../platform/http/fields/fields.js';
import { CountedMoneyView } from './money.dto.js';
import { NeedView } from './needs.dto.js';

/** The orders of the current business day, each counted once (R19), with tests; and its money (R61). */
class TodayView extends CountedMoneyView {
  @ApiProperty({ format: 'date', example: '2026-01-31', description: 'the current business day' }) day: string;
  @Instant('its start') from: Date;
  @Instant('its end, which is not in it') to: Date;
  @Integer('all of them, tests too') orders: number;
  @Integer('refunds that the terminals reported on this day; they are no orders') refunds: number;
  @Integer('the POS has it') delivered: number;
  @Integer('on its way to the POS') waiting: number;
  @Integer('it, or its cancel, was given up (DLQ)') parked: number;
  @Integer('it was parked or waiting, and somebody settled it by hand') resolved: number;
  @Integer('its cancel was requested, and is not parked') cancelled: number;
}

/** Why orders wait: the last failed attempt, and the time since when the POS does not work (O46). */
class FailingView {
  @Instant('the first failed attempt after the last order that the POS has taken') since: Date;
  @NullableInteger('HTTP status of the last attempt; null: no answer') httpStatus: number | null;
  @NullableText("of the last attempt: the POS's errorCode, or the transport's error code") errorCode: string | null;
  @CauseProperty('why the last attempt failed, as `cause` of its job') cause: string | null;
  @NullableText('of the last attempt') error: string | null;
}

/** The POS is back (O33): orders of its outage are being sent. */
class RecoveryView {
  @Instant('when the outage ended') at: Date;
  @Integer('orders of the outage that are due, and not delivered yet') orders: number;
}

/** The orders that wait, of any day. */
class WaitingView {
  @Integer() orders: number;
  @Integer('cancels that are on their way') cancels: number;
  @Integer('orders that have been due for longer than ALARM_LATE_MS') late: number;
  @NullableInstant('receipt of the oldest of them') oldestReceivedAt: Date | null;
  @NullableInstant('when the first of them is due') nextTryAt: Date | null;

  @ApiProperty({
    type: FailingView,
    nullable: true,
    description: 'null: the POS takes orders, or none has been tried since it last took one',
  })
  failing: FailingView | null;

  @ApiProperty({
    type: RecoveryView,
    nullable: true,
    description: 'set while orders of an ended outage are being sent',
  })
  recovery: RecoveryView | null;
}

class CauseInStateView {
  @NullableText('`lastError` of the jobs', { maxLength: 1_000 }) cause: string | null;
  @CauseProperty('`cause` of the jobs') kind: string | null;
  @OneOf(JOB_ACTIONS, 'JobAction', 'CREATE: orders; CANCEL: their cancels') action: JobAction;
  @Integer() count: number;
  @Integer('of them, those of the current business day') today: number;
  @Instant('when the newest was parked; the newest of the current business day if there is one') newestAt: Date;
  @ApiProperty({ maxLength: KEY_LENGTH, description: 'the order of this newest' }) transactionKey: string;
  @NullableText('the number of that order', { maxLength: 255 }) transactionNumber: string | null;
  @NullableText('the label of that order (SALE_LABEL_FIELD)', { maxLength: 60 }) label: string | null;
}

class EarlierParkedView {
  @Integer() orders: number;
  @Integer() cancels: number;
}

/** Parked orders and cancels, of any day, without those that somebody settled by hand (R40). */
class ParkedView {
  @Integer() orders: number;
  @Integer('cancels that were given up; the POS still has their orders') cancels: number;

  @ApiProperty({ description: 'of them, those whose order was received before the current business day' })
  earlier: EarlierParkedView;

  @ListOf(
    CauseInStateView,
    5,
    'five causes of the 1,000 newest: those of the current business day first, then the most frequent',
  )
  causes: CauseInStateView[];
}

/** A key of the terminals with which somebody still sends, and is refused. */
class RefusedKeyView {
  @ApiProperty({ example: '7Hq2mZx9' }) keyId: string;
  @ApiProperty() name: string;
  @Integer('refused requests since then') count: number;
  @ApiProperty({ format: 'date-time' }) since: string;
  @OneOf(REFUSAL_REASONS, 'RefusalReason', 'of the last one') reason: RefusalReason;
}

/** A pause of the restaurant (O49). */
class PauseView {
  @ApiProperty({ format: 'date-time' }) since: string;
  @ApiProperty({ format: 'date-time', description: 'when it ends by itself' }) until: string;
  @ApiProperty({ maxLength: 200 }) reason: string;
  @ApiProperty({ description: 'the mail address of who paused it' }) by: string;
}

/** The current state of a restaurant's orders (R19). */
export class StateView {
  @Uuid() restaurantId: string;
  @Instant("the database's clock, to which all times refer") now: Date;

  @ApiProperty({ example: 'America/Sao_Paulo', description: "the restaurant's, of its business days" })
  timezone: string;

  @ApiProperty({ example: '04:00', description: 'when a business day of the restaurant ends, on the next morning' })
  dayClosesAt: string;

  @ApiProperty() today: TodayView;
  @ApiProperty({ type: PauseView, nullable: true, description: 'while nothing is sent' }) pause: PauseView | null;
  @NullableInstant('after a pause: when the last of the orders that waited is due') resumingUntil: Date | null;
  @ApiProperty() waiting: WaitingView;
  @ApiProperty() parked: ParkedView;

  @Integer(
    'sales of the last 24 hours that were refused because another one is stored under their key; no order was made of them',
  )
  refusedSales: number;

  @ListOf(NeedView, 29, 'everything that needs somebody, an entry for each cause, the worst first')
  needs: NeedView[];
  @ListOf(RefusedKeyView, 10, 'sender keys with which requests were refused within 15 minutes, the last first')
  refusedKeys: RefusedKeyView[];
}
