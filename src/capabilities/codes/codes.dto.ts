import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { CODE_KINDS, CODE_LENGTH } from '../../domain/pos-codes.js';
import { Instant, ListOf, NullableText, OneOf } from '../../platform/http/fields/fields.js';
import { IfGiven } from '../../platform/http/fields/if-given.js';
import { IsName } from '../../platform/http/fields/is-name.js';
import { MessageWith } from '../../platform/http/fields/message.view.js';
import { QueryEnum } from '../../platform/http/fields/query-enum.js';

/** The most codes of each kind that a restaurant has (L230). */
export const MAX_CODES = 5_000;

/** Body of `PUT /restaurants/:restaurantId/codes/:kind/:terminalCode`. */
export class SetCodeDto {
  @ApiProperty({ example: '10042', minLength: 1, maxLength: CODE_LENGTH, description: 'what the POS calls it' })
  @IsName(CODE_LENGTH)
  posCode: string;

  @ApiPropertyOptional({
    example: 'Espresso',
    minLength: 1,
    maxLength: CODE_LENGTH,
    description: "of an item: sent in place of the terminal's name; absent: the terminal's name is sent",
  })
  @IfGiven()
  @IsName(CODE_LENGTH)
  name?: string;
}

/** Query parameters of `GET /restaurants/:restaurantId/codes`. */
export class QueryCodesDto {
  @QueryEnum(CODE_KINDS, 'CodeKind', { description: 'only codes of this kind' })
  kind?: (typeof CODE_KINDS)[number];
}

/** A code of a restaurant at its POS. */
export class CodeView {
  @OneOf(CODE_KINDS, 'CodeKind') kind: string;
  @ApiProperty({ maxLength: CODE_LENGTH, description: 'as the terminal sends it' }) terminalCode: string;
  @ApiProperty({ maxLength: CODE_LENGTH, description: 'what the POS calls it' }) posCode: string;
  @NullableText("of an item: sent in place of the terminal's name") name: string | null;
  @NullableText('who set it; null: nobody whom the people of the restaurant see') changedBy: string | null;
  @Instant() changedAt: Date;
}

/** Response of `PUT /restaurants/:restaurantId/codes/:kind/:terminalCode`. */
export class CodeSetView extends MessageWith(CodeView) {}

/** Response of `GET /restaurants/:restaurantId/codes`. */
export class CodesView {
  @ListOf(CodeView, CODE_KINDS.length * MAX_CODES, 'by kind and code of the terminal') data: CodeView[];
}
