import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsString, Length } from 'class-validator';
import { DryRun } from '../../platform/http/fields/dry-run.js';
import { Integer } from '../../platform/http/fields/fields.js';
import { IfGiven } from '../../platform/http/fields/if-given.js';
import { IsDay } from '../../platform/http/fields/is-day.js';
import { MessageWith } from '../../platform/http/fields/message.view.js';

/** Body of `POST /restaurants/:restaurantId/parked/resolve`. */
export class ResolveDto {
  @ApiProperty({ minLength: 1, maxLength: 200, description: 'what was done about them; the audit keeps it' })
  @IsString()
  @Length(1, 200)
  reason: string;

  @ApiPropertyOptional({
    type: String,
    format: 'date',
    description:
      'a business day: only orders received before it. Without it, or when it is later: those received before the current business day',
  })
  @IfGiven()
  @IsDay()
  before?: string;

  @ApiPropertyOptional({
    description:
      'only orders with this cause: a word of `Cause`, or a text of `parked.causes` of `GET /restaurants/:id/state`',
  })
  @IfGiven()
  @IsString()
  @Length(1, 1_000)
  cause?: string;

  @DryRun()
  dryRun = false;
}

class ResolvedCountView {
  @Integer('parked orders and cancels that match') matched: number;
  @Integer('those that this call settled; fewer than `matched` beyond 10,000, or when another session has locked one')
  resolved: number;
}

/** Response of `POST /restaurants/:restaurantId/parked/resolve`. */
export class ResolvedView extends MessageWith(ResolvedCountView) {}
