import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { REFUSAL_REASONS, type RefusalReason } from '../domain/refusal-reason.js';
import { CauseProperty } from '../outbox/job.views.js';
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
import { LANGUAGES, type Language } from '../platform/http/fields/languages.js';

/** Query of the incidents. */
export class QueryIncidentsDto {
  @ApiProperty({ required: false, enum: LANGUAGES, enumName: 'Language', default: 'en', description: 'of `help`' })
  @IsOptional()
  @IsIn(LANGUAGES)
  language: Language = 'en';
}

/** In the order of the answer. POS_REFUSES: what VENDOR_DOWN and SIGN_IN do not have. */
export const INCIDENT_KINDS = [
  'NOTHING_SENT',
  'VENDOR_DOWN',
  'BACKLOG',
  'DATABASE_SLOW',
  'SIGN_IN',
  'POS_REFUSES',
  'SENDER_REFUSED',
] as const;
export type IncidentKind = (typeof INCIDENT_KINDS)[number];
/** The most restaurants of an incident in an answer. */
export const AFFECTED = 20;

export class AffectedView {
  @Uuid() restaurantId: string;
  @ApiProperty() name: string;
  @Integer('that wait, counted up to 1,000') orders: number;
  @Instant('since when its POS takes nothing; of a backlog, since when its oldest order has been due') since: Date;

  @ApiProperty({ type: String, format: 'uuid', nullable: true, description: 'the job of its oldest waiting order' })
  jobId: string | null;
}

class IncidentKeyView {
  @ApiProperty({ example: '7Hq2mZx9' }) keyId: string;
  @ApiProperty() name: string;
  @Integer('refused keys of this founder, or of the platform; this is the newest') keys: number;
  @Integer('refused requests, of all of them') count: number;
  @OneOf(REFUSAL_REASONS, 'RefusalReason', 'of the last one') reason: RefusalReason;
}

/** What needs the operator, for all restaurants that it concerns (R60). */
export class IncidentView {
  @OneOf(INCIDENT_KINDS, 'IncidentKind', 'POS_REFUSES: what VENDOR_DOWN and SIGN_IN do not have') kind: IncidentKind;
  @NullableText('what the POS answers, with # in place of numbers and ids') answer: string | null;
  @CauseProperty('of the orders') cause: string | null;
  @NullableText('NOTHING_SENT: what holds, as the messages about it say; null: no message says it') title:
    | string
    | null;
  @NullableText('what helps, as the messages about it say, in the language of the request; null: no message says it')
  help: string | null;
  @Integer('restaurants that it concerns; NOTHING_SENT, DATABASE_SLOW: 0') restaurants: number;
  @Integer('orders that wait') orders: number;
  @NullableInstant('null: unknown') since: Date | null;
  @NullableInstant('receipt of the oldest of these orders; BACKLOG: since when it has been due') oldest: Date | null;
  @NullableInteger('BACKLOG: minutes until it is sent, by the pace of the last 5; null: nothing is sent')
  minutes: number | null;
  @NullableInteger('DATABASE_SLOW: how long the last check took, in ms') databaseMs: number | null;
  @ApiProperty({ type: IncidentKeyView, nullable: true, description: 'SENDER_REFUSED' }) key: IncidentKeyView | null;
  @ListOf(AffectedView, AFFECTED, 'those with most orders first') affected: AffectedView[];
  @Integer('restaurants that are not in `affected`') more: number;
}

/** Response of `GET /admin/incidents`. */
export class IncidentsView {
  @ListOf(IncidentView, 500, 'the kinds in the order of the enumeration; of each, those with most restaurants first')
  data: IncidentView[];
}
