import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsBoolean, IsIn, ValidateNested } from 'class-validator';
import { CODE_LENGTH } from '../../domain/pos-codes.js';
import { Integer, ListOf, NullableText, Uuid } from '../../platform/http/fields/fields.js';
import { IfGiven } from '../../platform/http/fields/if-given.js';
import { IsName } from '../../platform/http/fields/is-name.js';
import { MessageWith } from '../../platform/http/fields/message.view.js';
import { IsTerminalCode } from './code-params.js';

/** The most codes of one call (L234). */
export const MAX_MAPPED = 50;
/** The most lines of an order in the answer (L234). */
export const MAX_LINES = 200;

/** An item of a refused order, and what the POS calls it. */
export class MappedItemDto {
  @ApiProperty({ example: 'A-7', minLength: 1, maxLength: CODE_LENGTH, description: 'an `itemCode` of the order' })
  @IsTerminalCode()
  terminalCode: string;

  @ApiProperty({ example: '10042', minLength: 1, maxLength: CODE_LENGTH, description: 'what the POS calls it' })
  @IsName(CODE_LENGTH)
  posCode: string;

  @ApiPropertyOptional({ minLength: 1, maxLength: CODE_LENGTH, description: "sent in place of the terminal's name" })
  @IfGiven()
  @IsName(CODE_LENGTH)
  name?: string;
}

/** Body of `POST /restaurants/:restaurantId/orders/:transactionKey/map`. */
export class MapOrderDto {
  @ApiProperty({
    type: [MappedItemDto],
    minItems: 1,
    maxItems: MAX_MAPPED,
    example: [{ terminalCode: 'A-7', posCode: '10042' }],
  })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_MAPPED)
  @ValidateNested({ each: true })
  @Type(() => MappedItemDto)
  items: MappedItemDto[];

  @ApiPropertyOptional({ type: Boolean, enum: [true], description: 'the codes are always kept for the restaurant' })
  @IfGiven()
  @IsIn([true], {
    message: '$property must be true: the codes are kept for the restaurant; leave it out, or send true',
  })
  remember?: true;

  @ApiPropertyOptional({ description: 'true: although somebody has entered the order in the till by hand' })
  @IfGiven()
  @IsBoolean()
  entered?: boolean;
}

class OrderMappedDataView {
  @Uuid('the job that delivers the order') jobId: string;
  @Integer('codes that were set or changed; the others were so before') saved: number;
  @Integer('other parked orders with one of these codes; `POST /restaurants/:id/resend` with `itemCodes` sends them')
  others: number;
}

/** Response of `POST /restaurants/:restaurantId/orders/:transactionKey/map`. */
export class OrderMappedView extends MessageWith(OrderMappedDataView) {}

/** A product of a refused order. */
export class MappableItemView {
  @ApiProperty({ maxLength: CODE_LENGTH, description: 'the `itemCode` of the terminal' }) terminalCode: string;
  @NullableText('the `itemName` of the terminal', { maxLength: CODE_LENGTH }) name: string | null;
  @NullableText('what the POS calls it; null: not set, so the code of the terminal is sent') posCode: string | null;
  @NullableText('the name that is sent in place of that of the terminal') posName: string | null;
  @ApiProperty({ description: 'the POS named it when it refused the order' }) refused: boolean;
}

class MappableOrderView {
  @ApiProperty({
    description: 'whether `POST` maps it now: the POS has refused it, it is parked, and RESEND allows it',
  })
  mayMap: boolean;
  @NullableText('what the POS said', { maxLength: 1_000 }) lastError: string | null;
  @ListOf(MappableItemView, MAX_LINES, 'each code once, those that the POS named first') items: MappableItemView[];
  @Integer('items without a code: the default item code of the restaurant is sent for them') withoutCode: number;
}

/** Response of `GET /restaurants/:restaurantId/orders/:transactionKey/map`. */
export class MappableOrderAnswerView {
  @ApiProperty() data: MappableOrderView;
}
