import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Length,
  Max,
  Min,
  ValidateBy,
  ValidateNested,
} from 'class-validator';
import { isTimeZone } from '../../../domain/business-day.js';
import { DECIMALS, type DecimalSign } from '../../../platform/files/rules/csv.js';
import { Integer } from '../../../platform/http/fields/fields.js';
import { IfGiven } from '../../../platform/http/fields/if-given.js';
import { DATE_ORDERS, type DateOrder, ROW_KINDS, type RowKind } from '../rules/terminal-file.js';

const LAST_COLUMN = 199;
/** The most values of the column `kind` that a mapping names (L91). */
export const MAX_KINDS = 50;

const Place = () => applyDecorators(IsInt(), Min(0), Max(LAST_COLUMN));
/** The place of a column that a file need not have. */
const Column = (description: string) =>
  applyDecorators(
    ApiPropertyOptional({
      type: 'integer',
      nullable: true,
      minimum: 0,
      maximum: LAST_COLUMN,
      default: null,
      description,
    }),
    IsOptional(),
    Place(),
  );
const RequiredColumn = (description: string) =>
  applyDecorators(ApiProperty({ type: 'integer', minimum: 0, maximum: LAST_COLUMN, description }), Place());
const OneOf = (values: readonly string[], enumName: string, description: string) =>
  applyDecorators(
    ApiProperty({ enum: [...values], enumName, description }),
    IsIn(values, { message: `$property must be one of: ${values.join(', ')}` }),
  );

class KindOfValueDto {
  @ApiProperty({ minLength: 1, maxLength: 100, description: 'as the file has it; upper and lower case do not matter' })
  @IsString()
  @Length(1, 100)
  value: string;

  @OneOf(ROW_KINDS, 'FileRowKind', 'what it means')
  kind: RowKind;
}

class MeaningOfStatusDto {
  @ApiProperty({ minLength: 1, maxLength: 100, description: 'as the file has it; upper and lower case do not matter' })
  @IsString()
  @Length(1, 100)
  value: string;

  @ApiProperty({ description: 'whether the payment came about; a row whose payment did not is IGNORED' })
  @IsBoolean()
  counts: boolean;
}

/** How the rows of a file are read (J5): the place of each column among `columns`, from 0. */
export class MappingDto {
  @Column('the key or the number of the sale') reference: number | null = null;
  @Column('the authorisation code of the payment') authorisation: number | null = null;
  @Column('the id of the terminal') terminal: number | null = null;
  @Column('which instalment of the sale it is') instalment: number | null = null;
  @RequiredColumn('the date, or date and time') date: number;
  @Column('the time, where the date has none') time: number | null = null;
  @RequiredColumn('the amount; below zero: money back') amount: number;
  @Column('amounts of money back, where they have a column of their own') debit: number | null = null;
  @Column('what the row is; `kinds` says what its values mean') kind: number | null = null;
  @Column('whether the payment came about; `statuses` says what its values mean') status: number | null = null;
  @Column('how it was paid') tender: number | null = null;
  @Column('the currency; a row in another than that of the restaurant cannot be read') currency: number | null = null;

  @OneOf(DECIMALS, 'FileDecimal', 'decides amounts such as 1.234 and 1,234')
  decimal: DecimalSign;

  @OneOf(DATE_ORDERS, 'FileDateOrder', 'decides dates such as 03/04/2026')
  dateOrder: DateOrder;

  @ApiProperty({ example: 'America/Sao_Paulo', description: 'the clock of dates without an offset' })
  @ValidateBy({
    name: 'isTimeZone',
    validator: {
      validate: (value) => typeof value === 'string' && isTimeZone(value),
      defaultMessage: () => '$property must be the name of a time zone, such as America/Sao_Paulo, or UTC',
    },
  })
  zone: string;

  @ApiPropertyOptional({
    type: [KindOfValueDto],
    maxItems: MAX_KINDS,
    default: [],
    description: 'what the values of the column `kind` mean; a row with another value cannot be read',
  })
  @IfGiven()
  @IsArray()
  @ArrayMaxSize(MAX_KINDS)
  @ValidateNested({ each: true })
  @Type(() => KindOfValueDto)
  kinds: KindOfValueDto[] = [];

  @ApiPropertyOptional({
    type: [MeaningOfStatusDto],
    maxItems: MAX_KINDS,
    default: [],
    description: 'what the values of the column `status` mean; a row with another value cannot be read',
  })
  @IfGiven()
  @IsArray()
  @ArrayMaxSize(MAX_KINDS)
  @ValidateNested({ each: true })
  @Type(() => MeaningOfStatusDto)
  statuses: MeaningOfStatusDto[] = [];
}

const NullablePlace = (description?: string) =>
  ApiProperty({ type: 'integer', nullable: true, ...(description && { description }) });

/** What a value of the column `kind` means. */
export class KindOfValueView {
  @ApiProperty() value: string;
  @ApiProperty({ enum: [...ROW_KINDS], enumName: 'FileRowKind' }) kind: RowKind;
}

/** What a value of the column `status` means. */
export class StatusMeaningView {
  @ApiProperty() value: string;
  @ApiProperty({ description: 'whether the payment came about' }) counts: boolean;
}

/** A mapping, as it can be sent back. */
export class MappingView {
  @NullablePlace('null: the file has no such column') reference: number | null;
  @NullablePlace() authorisation: number | null;
  @NullablePlace() terminal: number | null;
  @NullablePlace() instalment: number | null;
  @Integer() date: number;
  @NullablePlace() time: number | null;
  @Integer() amount: number;
  @NullablePlace() debit: number | null;
  @NullablePlace() kind: number | null;
  @NullablePlace() status: number | null;
  @NullablePlace() tender: number | null;
  @NullablePlace() currency: number | null;
  @ApiProperty({ enum: [...DECIMALS], enumName: 'FileDecimal' }) decimal: DecimalSign;
  @ApiProperty({ enum: [...DATE_ORDERS], enumName: 'FileDateOrder' }) dateOrder: DateOrder;
  @ApiProperty() zone: string;
  @ApiProperty({ type: [KindOfValueView], maxItems: MAX_KINDS }) kinds: KindOfValueView[];
  @ApiProperty({ type: [StatusMeaningView], maxItems: MAX_KINDS }) statuses: StatusMeaningView[];
}
