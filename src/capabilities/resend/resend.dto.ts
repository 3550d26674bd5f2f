import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsBoolean, IsIn, IsString, Length } from 'class-validator';
import { SUBJECTS, type Subject } from '../../domain/cause.js';
import { CODE_LENGTH } from '../../domain/pos-codes.js';
import { RESTAURANT_ROLES, type RestaurantRole } from '../../domain/role.js';
import { RESEND } from '../../platform/config/config.js';
import { DryRun } from '../../platform/http/fields/dry-run.js';
import { Integer, ListOf, NullableInstant, NullableText, OneOf, Uuid } from '../../platform/http/fields/fields.js';
import { IfGiven } from '../../platform/http/fields/if-given.js';
import { MessageView, MessageWith } from '../../platform/http/fields/message.view.js';
import { IsTime } from '../../platform/http/fields/query-time.js';

/** The most codes of one call (L234). */
const MAX_ITEM_CODES = 50;

/** Body of `POST /restaurants/:restaurantId/resend`. */
export class ResendDto {
  @ApiPropertyOptional({
    description:
      'only parked orders with this cause: a word of `Cause`, or a text of `parked.causes` of `GET /restaurants/:id/state`. Without it: ' +
      'parked orders and those that wait for a retry',
  })
  @IfGiven()
  @IsString()
  @Length(1, 1_000)
  cause?: string;

  @ApiPropertyOptional({ enum: SUBJECTS, enumName: 'Subject', description: 'only refusals about this' })
  @IfGiven()
  @IsIn(SUBJECTS, { message: `$property must be one of: ${SUBJECTS.join(', ')}` })
  subject?: Subject;

  @ApiPropertyOptional({
    type: [String],
    minItems: 1,
    maxItems: MAX_ITEM_CODES,
    description:
      'only parked orders that the POS refused, and that have an item with one of these codes of the terminal',
  })
  @IfGiven()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_ITEM_CODES)
  @IsString({ each: true })
  @Length(1, CODE_LENGTH, { each: true })
  itemCodes?: string[];

  @ApiPropertyOptional({ type: String, format: 'date-time', description: 'parked or failed at or after this time' })
  @IfGiven()
  @IsTime()
  since?: Date;

  @DryRun()
  dryRun = false;
}

/** Body of `POST /restaurants/:restaurantId/orders/:transactionKey/resend`; it may be absent. */
export class ResendOrderDto {
  @ApiPropertyOptional({ description: 'true: although somebody has entered the order in the till by hand' })
  @IfGiven()
  @IsBoolean()
  entered?: boolean;
}

class ResetCountView {
  @Integer('jobs that match the filters, before the reset') matched: number;

  @Integer(
    'jobs that this call reset; fewer than `matched` beyond `limit`, or when another session has claimed or locked a job',
  )
  reset: number;
}

class ResettableView {
  @NullableInstant('receipt of the oldest; null when none matches') oldestAt: Date | null;
  @Integer('sum of what was paid for the orders, in cents') paidCents: number;
  @Integer('of how many restaurants') restaurants: number;
  @ListOf(String, 3, '`lastError`: three different ones at most') errors: readonly string[];
}

/** Response of `POST /restaurants/:restaurantId/resend` and `POST /admin/jobs/reset`. */
export class ResetView extends MessageView {
  @ApiProperty() data: ResetCountView;
  @ApiPropertyOptional({ description: 'with `dryRun`: what would be sent again' }) meta?: ResettableView;
}

class ResentJobView {
  @Uuid('the job that delivers the order') jobId: string;
}

/** Response of `POST /restaurants/:restaurantId/orders/:transactionKey/resend`. */
export class OrderResentView extends MessageWith(ResentJobView) {}

class ResenderView {
  @NullableText() name: string | null;
  @OneOf(RESTAURANT_ROLES, 'RestaurantRole') role: RestaurantRole;
}

class MayResendView {
  @ApiProperty({ description: 'whether the caller may send orders of this restaurant again' }) allowed: boolean;
  @OneOf(RESEND, 'Resend', 'RESEND') resend: string;
  @ListOf(ResenderView, 20, 'who of this restaurant may; nobody unless RESEND=restaurants') people: ResenderView[];
  @NullableText('OPERATOR_CONTACT: how to reach the operator') operatorContact: string | null;
}

/** Response of `GET /restaurants/:restaurantId/resend`. */
export class MayResendAnswerView {
  @ApiProperty() data: MayResendView;
}
