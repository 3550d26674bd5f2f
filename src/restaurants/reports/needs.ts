import { ApiProperty } from '@nestjs/swagger';
import type { Cause } from '../../domain/cause.js';
import { CauseProperty, KEY_LENGTH, SubjectProperty } from '../../outbox/job.views.js';
import {
  Instant,
  Integer,
  ListOf,
  NullableInstant,
  NullableInteger,
  NullableText,
  OneOf,
} from '../../platform/http/fields/fields.js';
import { NAMED, type NeededOrder } from './needs.sql.js';
import type { StateRow } from './state.sql.js';

/** What a restaurant may need somebody for, the worst first (R67). Those that alert have the name of their alert. */
export const NEED_KINDS = [
  'ORDER_PARKED',
  'CANCEL_PARKED',
  'POS_REFUSES',
  'ORDER_LATE',
  'KEY_REUSED',
  'REFUND_TO_ENTER',
  'EARLIER_PARKED',
] as const;
export type NeedKind = (typeof NEED_KINDS)[number];

/** An order that needs somebody. */
export class NeededOrderView implements NeededOrder {
  @ApiProperty({ maxLength: KEY_LENGTH }) transactionKey: string;
  @NullableText(undefined, { maxLength: 255 }) transactionNumber: string | null;
  @NullableText('SALE_LABEL_FIELD, such as a table', { maxLength: 60 }) label: string | null;
  @Integer('what was paid; of a refund what was paid back, below zero') cents: number;
  @Instant() receivedAt: string;
  @NullableText('what the POS said', { maxLength: 1_000 }) lastError: string | null;
  @NullableInstant('it was sent again at this time, and parked again') triedAgainAt: string | null;
}

/** Something of a restaurant that needs somebody, for one cause. */
export class NeedView {
  @OneOf(
    NEED_KINDS,
    'NeedKind',
    'ORDER_PARKED, CANCEL_PARKED: of today; EARLIER_PARKED: of earlier days; POS_REFUSES: every attempt fails; KEY_REUSED: sales that were ' +
      'refused; REFUND_TO_ENTER: refunds of 14 days that nobody has entered in the till',
  )
  kind: NeedKind;

  @CauseProperty('of all of them') cause: string | null;
  @SubjectProperty() subject: string | null;
  @Integer('orders, cancels, sales or refunds; up to 1,000 are examined') count: number;
  @NullableInteger('their sum; null: not read') cents: number | null;
  @NullableInstant('receipt of the oldest, or since when it lasts') oldestAt: string | null;
  @NullableInstant('the newest') newestAt: string | null;
  @ListOf(NeededOrderView, NAMED, 'the newest') orders: NeededOrderView[];
}

const KIND_OF = { CREATE: 'ORDER_PARKED', CANCEL: 'CANCEL_PARKED', REFUND: 'REFUND_TO_ENTER' } as const;

const plain = (kind: NeedKind, count: number, parts: Partial<NeedView> = {}): NeedView => ({
  ...{ kind, cause: null, subject: null, count, cents: null, oldestAt: null, newestAt: null, orders: [] },
  ...parts,
});

/** Everything of a restaurant that needs somebody, one entry for each cause, the worst first (R67). */
export function needsOf(row: StateRow): NeedView[] {
  const {
    needs,
    waiting,
    waitingCents,
    failingSince,
    lastFailure,
    backAt,
    recovering,
    parked,
    refused,
    oldestReceivedAt,
  } = row;
  const found: NeedView[] = needs.map(({ kind, ...need }) => ({
    ...need,
    kind: KIND_OF[kind],
    orders: [...(need.orders ?? [])],
  }));
  const oldestAt = oldestReceivedAt?.toISOString() ?? null;
  const isFailing = waiting.orders > 0 && failingSince !== null && lastFailure !== null;
  if (isFailing) {
    const cause = lastFailure.cause as Cause | null;
    found.push(
      plain('POS_REFUSES', waiting.orders, { cause, cents: waitingCents, oldestAt: failingSince.toISOString() }),
    );
  } else if (waiting.late > 0 && !(backAt && recovering > 0))
    found.push(plain('ORDER_LATE', waiting.late, { oldestAt }));
  if (refused > 0) found.push(plain('KEY_REUSED', refused));
  const earlier = parked.earlier.orders + parked.earlier.cancels;
  if (earlier > 0) found.push(plain('EARLIER_PARKED', earlier));
  return found.toSorted((a, b) => NEED_KINDS.indexOf(a.kind) - NEED_KINDS.indexOf(b.kind));
}
