import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, ArrayUnique, IsArray, IsIn, IsInt, Max, Min } from 'class-validator';
import { REFUSAL_REASONS, type RefusalReason } from '../../domain/refusal-reason.js';
import { Instant, Integer, NullableInstant, Uuid } from '../../platform/http/fields/fields.js';
import { IfGiven } from '../../platform/http/fields/if-given.js';
import { IsName } from '../../platform/http/fields/is-name.js';
import { MessageView } from '../../platform/http/fields/message.view.js';
import { IsTime } from '../../platform/http/fields/query-time.js';
import { PERSONAL_PROOFS, type PersonalProof } from './last-used.js';
import { KEY_KINDS, type KeyKind, SCOPES, type Scope } from './scopes.js';

/** The most keys of a restaurant, or of the platform, that work at the same time (L60). */
export const MAX_LIVE_KEYS = 5;
/** The most keys in a list. */
export const MAX_LISTED = 100;
const MAX_NAME = 60;
/** How long a replaced key still works, in hours (L61). */
const OVERLAP_HOURS = { default: 24, most: 720 } as const;

/** Body of `POST /restaurants/:restaurantId/sender-keys` and `POST /admin/sender-keys`. */
export class CreateSenderKeyDto {
  @ApiProperty({ example: 'Terminals of the bar', minLength: 1, maxLength: MAX_NAME })
  @IsName(MAX_NAME)
  name: string;

  @ApiProperty({
    enum: KEY_KINDS,
    enumName: 'SenderKeyKind',
    description: 'TOKEN: a Bearer token; SIGNING: a secret that signs each sale',
  })
  @IsIn(KEY_KINDS, { message: `kind must be one of: ${KEY_KINDS.join(', ')}` })
  kind: KeyKind;

  @ApiPropertyOptional({
    enum: SCOPES,
    enumName: 'SenderKeyScope',
    isArray: true,
    minItems: 1,
    maxItems: SCOPES.length,
    default: ['sales:write'],
    description: 'sales:write: all sales; sales:test: only test sales; receipts:read: the receipts of its own sales',
  })
  @IfGiven()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(SCOPES.length)
  @ArrayUnique()
  @IsIn(SCOPES, { each: true, message: `each of scopes must be one of: ${SCOPES.join(', ')}` })
  scopes: Scope[] = ['sales:write'];

  @ApiPropertyOptional({ type: String, format: 'date-time', description: 'in the future; absent: it does not expire' })
  @IfGiven()
  @IsTime()
  expiresAt?: Date;
}

/** Body of `POST …/sender-keys/:id/rotate`. */
export class RotateSenderKeyDto {
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 0,
    maximum: OVERLAP_HOURS.most,
    default: OVERLAP_HOURS.default,
    description: 'how long the old key still works, in hours',
  })
  @IfGiven()
  @IsInt()
  @Min(0)
  @Max(OVERLAP_HOURS.most)
  overlapHours: number = OVERLAP_HOURS.default;

  @ApiPropertyOptional({
    type: String,
    format: 'date-time',
    description: 'expiry of the new key, in the future; absent: it lives as long as the old one was given',
  })
  @IfGiven()
  @IsTime()
  expiresAt?: Date;
}

/** A key of a sender, without its token or secret. */
export class SenderKeyView {
  @Uuid() id: string;

  @ApiProperty({ example: '7Hq2mZx9', description: 'in the token, or in the address of signed sales; not secret' })
  keyId: string;

  @ApiProperty() name: string;
  @ApiProperty({ enum: KEY_KINDS, enumName: 'SenderKeyKind' }) kind: KeyKind;

  @ApiProperty({ enum: SCOPES, enumName: 'SenderKeyScope', isArray: true, maxItems: SCOPES.length })
  scopes: Scope[];

  @ApiProperty({ description: 'whether it works now' }) live: boolean;
  @Instant() createdAt: Date;
  @NullableInstant('to within a minute; null: never') lastUsedAt: Date | null;
  @NullableInstant(
    'when a sale of it last named another store or restaurant than its own, to within a minute; null: never',
  )
  foreignStoreAt: Date | null;
  @NullableInstant('null: it does not expire') expiresAt: Date | null;
  @NullableInstant() revokedAt: Date | null;

  @ApiProperty({ type: String, format: 'uuid', nullable: true, description: 'the id of the key that replaces it' })
  replacedBy: string | null;

  @NullableInstant('when a request with it was last refused, to within seconds; null: none was') refusedAt: Date | null;
  @NullableInstant('the first refusal of the series that refusedCount counts') refusedSince: Date | null;
  @Integer('refused requests without an hour between two of them') refusedCount: number;

  @ApiProperty({
    enum: REFUSAL_REASONS,
    enumName: 'RefusalReason',
    nullable: true,
    description: 'why the last one was refused; null: none was',
  })
  refusedReason: RefusalReason | null;
}

/** A new key, as returned once. */
class NewSenderKeyView extends SenderKeyView {
  @ApiPropertyOptional({
    description: 'TOKEN: the Bearer token; not shown again, and only its digest is stored',
    example: 'rly_7Hq2mZx9_…',
  })
  token?: string;

  @ApiPropertyOptional({
    description: 'SIGNING: the secret for Standard Webhooks; not shown again, and stored encrypted',
    example: 'whsec_…',
  })
  secret?: string;

  @ApiPropertyOptional({ description: 'SIGNING: where signed sales go', example: '/webhooks/terminal/7Hq2mZx9' })
  path?: string;
}

/** Response of a request that makes a key. */
export class SenderKeyCreatedView extends MessageView {
  @ApiProperty() data: NewSenderKeyView;
}

/** A person with whose password or token terminals send sales (V14). */
export class SellingPersonView {
  @Uuid() userId: string;
  @ApiProperty({ type: String, nullable: true, description: 'null: hidden until the person accepts the link' })
  email: string | null;
  @ApiProperty({
    enum: PERSONAL_PROOFS,
    enumName: 'PersonalProof',
    description: 'password: Basic credentials, or in the body; token: the JWT of a sign-in',
  })
  by: PersonalProof;
  @Instant('of the last sale, to within an hour') at: Date;
}

/** Response of `GET …/sender-keys`. */
export class SenderKeysView {
  @ApiProperty({ type: [SenderKeyView], maxItems: MAX_LISTED, description: 'live keys first, then the newest' })
  data: SenderKeyView[];
}

/** The most persons in an answer. */
export const MAX_PERSONS = 20;

/** Response of `GET /restaurants/:restaurantId/sender-keys`. */
export class RestaurantSenderKeysView extends SenderKeysView {
  @ApiProperty({
    type: [SellingPersonView],
    maxItems: MAX_PERSONS,
    description:
      'with whose password or token sales came within a week, the last first: they stop when the password is changed',
  })
  persons: SellingPersonView[];
}
