import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsInt, Max, Min } from 'class-validator';
import { Instant, NullableInstant, Uuid } from '../../platform/http/fields/fields.js';
import { IfGiven } from '../../platform/http/fields/if-given.js';
import { IsName } from '../../platform/http/fields/is-name.js';
import { MessageView } from '../../platform/http/fields/message.view.js';

/** The most credentials of a restaurant that work at the same time (L260). */
export const MAX_LIVE = 5;
/** The most in a list. */
export const MAX_LISTED = 100;
const MAX_NAME = 60;
/** How long replaced credentials still work, in hours (L260). */
const OVERLAP_HOURS = { default: 24, most: 720 } as const;

/** Body of `POST …/pos-credentials`. */
export class CreatePosCredentialDto {
  @ApiProperty({ example: 'POS of the bar', minLength: 1, maxLength: MAX_NAME })
  @IsName(MAX_NAME)
  name: string;
}

/** Body of `POST …/pos-credentials/:id/rotate`. */
export class RotatePosCredentialDto {
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 0,
    maximum: OVERLAP_HOURS.most,
    default: OVERLAP_HOURS.default,
    description: 'how long the old credentials still work, in hours',
  })
  @IfGiven()
  @IsInt()
  @Min(0)
  @Max(OVERLAP_HOURS.most)
  overlapHours: number = OVERLAP_HOURS.default;
}

/** Credentials of a POS, without their secret. */
export class PosCredentialView {
  @Uuid('also the `client_id`') id: string;
  @ApiProperty() name: string;
  @ApiProperty({ description: 'whether they work now' }) live: boolean;
  @Instant() createdAt: Date;
  @NullableInstant('the last poll with them, to within a minute; null: none') polledAt: Date | null;
  @NullableInstant('null: they do not expire') expiresAt: Date | null;
  @NullableInstant() revokedAt: Date | null;

  @ApiProperty({ type: String, format: 'uuid', nullable: true, description: 'the credentials that replace them' })
  replacedBy: string | null;

  @ApiProperty({
    type: [String],
    maxItems: 2,
    example: [],
    description: 'events of orders that the last poll did not ask for: CREATED, CANCELLED',
  })
  leftOut: string[];
}

/** New credentials, as returned once. */
class NewPosCredentialView extends PosCredentialView {
  @Uuid('as `id`') clientId: string;

  @ApiProperty({ description: 'not shown again: only its digest is stored', example: 'pos_…' })
  clientSecret: string;
}

/** Response of a request that makes credentials. */
export class PosCredentialCreatedView extends MessageView {
  @ApiProperty() data: NewPosCredentialView;
}

/** Response of `GET …/pos-credentials`. */
export class PosCredentialsView {
  @ApiProperty({
    type: [PosCredentialView],
    maxItems: MAX_LISTED,
    description: 'those that work first, then the newest',
  })
  data: PosCredentialView[];
}
