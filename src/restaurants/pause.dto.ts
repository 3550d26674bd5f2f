import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsInt, Max, Min } from 'class-validator';
import { PER_MINUTE } from '../outbox/store/pause.js';
import { Instant, Integer, NullableInstant } from '../platform/http/fields/fields.js';
import { IfGiven } from '../platform/http/fields/if-given.js';
import { IsName } from '../platform/http/fields/is-name.js';
import { MessageWith } from '../platform/http/fields/message.view.js';
import { IsTime } from '../platform/http/fields/query-time.js';

/** The quickest pace after a pause, in orders a minute (L244). */
const MOST_PER_MINUTE = 600;
/** The longest reason of a pause, in UTF-16 units (L243). */
export const REASON_LENGTH = 200;

/** Body of `POST /restaurants/:restaurantId/pause`. */
export class PauseDto {
  @ApiPropertyOptional({
    type: String,
    format: 'date-time',
    description: 'when it ends by itself, within 24 h; default: in 24 h',
  })
  @IfGiven()
  @IsTime()
  until?: Date;

  @ApiProperty({
    minLength: 1,
    maxLength: REASON_LENGTH,
    example: 'the kitchen has too much to do',
    description: 'for colleagues; Tonight and the audit show it',
  })
  @IsName(REASON_LENGTH)
  reason: string;
}

/** Body of `POST /restaurants/:restaurantId/resume`. */
export class ResumeDto {
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: MOST_PER_MINUTE,
    default: PER_MINUTE,
    example: PER_MINUTE,
    description:
      'the most orders that waited which become due in a minute; more of them if they would need longer than 12 h',
  })
  @IfGiven()
  @IsInt()
  @Min(1)
  @Max(MOST_PER_MINUTE)
  perMinute = PER_MINUTE;
}

class PausedView {
  @Instant('when it ends by itself') until: Date;
}

/** Response of `POST /restaurants/:restaurantId/pause`. */
export class RestaurantPausedView extends MessageWith(PausedView) {}

class ResumedView {
  @Integer('orders and cancels that waited') orders: number;
  @NullableInstant('when the last of them is due; null: none waited') until: Date | null;
}

/** Response of `POST /restaurants/:restaurantId/resume`. */
export class RestaurantResumedView extends MessageWith(ResumedView) {}
