import { ApiProperty, ApiPropertyOptional, IntersectionType } from '@nestjs/swagger';
import { POS_STATES, type PosState } from '../domain/acceptance.js';
import { JOB_ACTIONS, JOB_STATUSES, type JobAction, type JobStatus } from '../domain/job.js';
import { ORDER_STATES, type OrderState } from '../domain/order-state.js';
import { MAX_WARNINGS } from '../domain/warnings.js';
import {
  AttemptView,
  FailureView,
  JobStateView,
  KEY_LENGTH,
  MAX_ATTEMPTS,
  SubjectProperty,
} from '../outbox/job.views.js';
import { SALE_KINDS, type SaleKind } from '../outbox/sale-kind.sql.js';
import { CursorPageDto } from '../platform/http/fields/cursor-page.js';
import {
  Instant,
  Integer,
  ListOf,
  NullableInstant,
  NullableInteger,
  NullableText,
  OneOf,
  Uuid,
} from '../platform/http/fields/fields.js';
import { MessageWith } from '../platform/http/fields/message.view.js';
import { QueryEnum } from '../platform/http/fields/query-enum.js';
import { QueryBoolean, QueryText } from '../platform/http/fields/query-fields.js';
import { QueryTime } from '../platform/http/fields/query-time.js';

export const ORDER_SORTS = ['-receivedAt', 'receivedAt'] as const;

const STATE_TEXT =
  'what became of the order: waiting: on its way to the POS; parked: it or its cancel was given up; resolved: it was parked or waiting, and ' +
  'somebody settled it by hand; cancelled: its cancel was requested and is not parked; delivered: the POS has it; refund: it is a refund, which ' +
  'is sent nowhere';

export class QueryOrdersDto extends CursorPageDto {
  @QueryEnum(JOB_STATUSES, 'JobStatus', { description: 'DLQ: parked orders only, not the withdrawn' })
  status?: JobStatus;

  @QueryEnum(ORDER_STATES, 'OrderState', { description: STATE_TEXT })
  state?: OrderState;

  @QueryEnum(JOB_ACTIONS, 'JobAction', {
    default: 'CREATE',
    description: 'CREATE: orders, the default; CANCEL: their cancels',
  })
  action: JobAction = 'CREATE';

  @QueryTime('received at or after')
  from?: Date;

  @QueryTime('received before')
  to?: Date;

  @QueryText(300, 'a transactionKey, as sent or as stored, or a transactionNumber')
  search?: string;

  @QueryText(
    100,
    'what a person types: the beginning of a transactionKey or transactionNumber, an amount with its cents (42,50 or 42.50), a part of ' +
      "an item's name, its code, or a part of the label; of the last seven days, and of any day a whole key or number",
  )
  q?: string;

  @QueryBoolean('true: only test transactions; false: only real ones')
  test?: boolean;

  @QueryBoolean('true: only orders whose cancel was requested, whatever became of it; false: only the others')
  cancelled?: boolean;

  @QueryEnum(ORDER_SORTS, 'OrderSort', {
    default: '-receivedAt',
    description: 'default: -receivedAt, the newest first',
  })
  sort: (typeof ORDER_SORTS)[number] = '-receivedAt';
}

/** The most warnings of an order in a list; the order itself shows all warnings. */
export const LISTED_WARNINGS = 10;

/** What the list of orders and the order itself say of a sale and its order. */
class OrderOfSaleView {
  @NullableText('what the sale has at SALE_LABEL_FIELD, such as a table; null where there is none', { maxLength: 60 })
  label: string | null;

  @ApiProperty() test: boolean;
  @Instant() receivedAt: Date;

  @NullableInstant('when the sale was made, by the terminal; null without a valid date')
  transactionDate: Date | null;

  @ApiProperty({
    description:
      'whether the business day of `transactionDate` is another than that of `receivedAt`; false without a date',
  })
  receivedOnAnotherDay: boolean;

  @OneOf(
    SALE_KINDS,
    'SaleKind',
    'REFUND: the terminal reported that money was paid back; it is recorded, and never sent to the POS',
  )
  kind: SaleKind;

  @Integer('what it adds to the takings: what was paid; of a refund what was paid back, below zero')
  netCents: number;

  @NullableText('of the restaurant and its amounts, ISO 4217; null: not set', { example: 'BRL' })
  currency: string | null;

  @OneOf(ORDER_STATES, 'OrderState', STATE_TEXT) state: OrderState;

  @ApiProperty({
    anyOf: [{ $ref: '#/components/schemas/JobStatus' }, { type: 'null' }],
    description:
      'the status of its CANCEL job; null when no cancel was requested. SENT: cancelled. DLQ: parked, not cancelled',
  })
  cancellation: JobStatus | null;

  @NullableInstant(
    'when somebody settled the parked order by hand, or the relay a refund, so that it is in no list of parked orders',
  )
  resolvedAt: Date | null;

  @NullableInstant('when somebody entered the sale, or the refund, in the till by hand (R65)') enteredAt: Date | null;
  @NullableText('the name of this user; null while A30 hides it') enteredBy: string | null;
  @NullableText('what this user noted', { maxLength: 200 }) enteredNote: string | null;
}

export class OrderView extends IntersectionType(OrderOfSaleView, FailureView) {
  @SubjectProperty() subject: string | null;

  @ApiProperty({ maxLength: KEY_LENGTH, description: 'as stored, which is the order_id at the POS' })
  transactionKey: string;

  @NullableText('its first 255 characters', { maxLength: 255 }) transactionNumber: string | null;
  @Integer('sum of the valid payments') paidCents: number;

  @ListOf(
    String,
    LISTED_WARNINGS,
    'the first of what its webhook was answered as warnings: parked, or suspicious, and why',
  )
  warnings: string[];

  @OneOf(JOB_ACTIONS, 'JobAction') action: JobAction;
  @OneOf(JOB_STATUSES, 'JobStatus') status: JobStatus;
  @ApiProperty({ description: 'cancelled before it was sent' }) withdrawn: boolean;
  @Integer() attempts: number;
  @NullableInstant() nextRunAt: Date | null;
}

/** What a POS said of an order: the newest (L22). */
export const MAX_ACCEPTANCES = 100;

const TICKET_STATES = ['WAITING', 'OFFERED', 'PRINTED', 'FAILED', 'EXPIRED'] as const;

/** The ticket of an order that waited or was parked (K8). */
class TicketView {
  @OneOf(
    TICKET_STATES,
    'TicketState',
    'EXPIRED: the POS took the order, or the business day ended, before it was printed',
  )
  state: (typeof TICKET_STATES)[number];

  @NullableText('the printer that it was last offered to') printer: string | null;
  @NullableInstant() printedAt: Date | null;

  @NullableText(
    'why it is FAILED: `paper`, `cover`, `unconfirmed` (the printer never answered), or a code of the printer',
  )
  failure: string | null;
}

/** What the POS said of an order that it has (Q15). */
class AcceptanceView {
  @OneOf(
    POS_STATES,
    'PosState',
    'ACCEPTED or REFUSED, and how far the order is. After a refusal it can be sent again, and accepted. CANCELLED: the POS has done its cancel',
  )
  state: PosState;

  @Instant() at: Date;
  @NullableText('ACCEPTED: the number of the order at the POS', { maxLength: 100 }) number: string | null;
  @NullableText('as the POS said it', { maxLength: 500 }) reason: string | null;
  @NullableText('REFUSED: a code of the POS', { maxLength: 100 }) code: string | null;
  @NullableInteger('ACCEPTED: how long the preparation takes') preparationMinutes: number | null;
}

/** When and by whom the content of a sale was erased (W40). */
export class ErasureView {
  @Instant() at: Date;
  @ApiProperty({
    description: 'the email of an OWNER (the id, while A30 hides it), or `operator` and a role of the database',
  })
  by: string;
}

/** A job of an order, with its attempts. */
class JobOfOrderView extends JobStateView {
  @ListOf(AttemptView, MAX_ATTEMPTS, 'the newest, oldest first') history: AttemptView[];
}

export class OrderDetailView extends OrderOfSaleView {
  @ApiProperty({ maxLength: KEY_LENGTH }) transactionKey: string;
  @ApiProperty({ maxLength: KEY_LENGTH, description: 'the key as the terminal sent it' }) sourceKey: string;

  @ApiProperty({
    type: String,
    nullable: true,
    pattern: '^[0-9a-f]{32}$',
    description:
      'the id of its trace: from the `traceparent` of its webhook, else made by the relay; null: stored before traces were kept',
  })
  traceId: string | null;

  @NullableInteger('totalAmount of the terminal minus the amount paid; null when they agree or cannot be compared')
  amountMismatchCents: number | null;

  @ListOf(String, MAX_WARNINGS, 'what its webhook was answered as warnings: parked, or suspicious, and why')
  warnings: string[];

  @ApiProperty({
    type: ErasureView,
    nullable: true,
    description: 'null: it has its content; else `event` has the amounts only, and `order` is null',
  })
  erased: ErasureView | null;

  @ApiProperty({ type: 'object', additionalProperties: true, description: 'the event as received' })
  event: Record<string, unknown>;

  @ListOf(String, 50, 'the fields of `event`, as dot paths, that only OWNERs see (PAYLOAD_HIDE); others get `[hidden]`')
  hidden: string[];

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description:
      'the order as it was last sent to the POS; before that, as it would be sent; null when it cannot be mapped',
  })
  order: Record<string, unknown> | null;

  @ApiProperty({
    description:
      'true: `order` is what was sent; false: nothing is known to have been sent, and `order` is what would be',
  })
  sent: boolean;

  @NullableText('why the event cannot be mapped: the field, or the setting that the restaurant lacks')
  unmappable: string | null;

  @ApiProperty({ type: TicketView, nullable: true, description: 'null: it has none' }) ticket: TicketView | null;
  @ListOf(AcceptanceView, MAX_ACCEPTANCES, 'what the POS has said of it, the newest, oldest first; not every POS can')
  acceptances: AcceptanceView[];

  @ListOf(JobOfOrderView, 2, 'the CREATE, and the CANCEL if there is one') jobs: JobOfOrderView[];
}

/** Body of `POST /restaurants/:restaurantId/orders/:transactionKey/cancel`; it may be absent. */
export class CancelOrderDto {
  @ApiPropertyOptional({
    description: 'true: although somebody has entered the order in the till by hand, where it was voided by hand',
  })
  entered?: boolean;
}

class CancelJobView {
  @Uuid() jobId: string;
}

export class CancelRequestedView extends MessageWith(CancelJobView) {}
