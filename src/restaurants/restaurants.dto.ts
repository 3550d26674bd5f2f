import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import { IsIn, IsInt, IsOptional, IsString, Length, Matches, Max, Min, ValidateBy } from 'class-validator';
import { CLOSING_TIME, isTimeZone } from '../domain/business-day.js';
import { CURRENCIES } from '../domain/currency.js';
import { CODE_LENGTH } from '../domain/pos-codes.js';
import { RESTAURANT_ROLES, type RestaurantRole } from '../domain/role.js';
import { PRINTABLE } from '../domain/text.js';
import { VENDOR_NAMES, type VendorName } from '../domain/vendor.js';
import { IfGiven } from '../platform/http/fields/if-given.js';
import { IsName } from '../platform/http/fields/is-name.js';
import { QueryEnum } from '../platform/http/fields/query-enum.js';
import { QueryInteger, QueryText } from '../platform/http/fields/query-fields.js';

const SLUG = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const PRINTABLE_MESSAGE = '$property must be 1 to 256 printable ASCII characters without spaces';

/** A trimmed single line of text without control characters; Postgres cannot store NUL. A name is {@link IsName}. */
const IsSingleLine = (maxLength: number) =>
  applyDecorators(
    Transform(({ value }) => (typeof value === 'string' ? value.trim() : value)),
    IsString(),
    Length(1, maxLength),
    Matches(/^\P{Cc}*$/u, { message: '$property must not contain control characters' }),
  );

const CLOSES =
  'HH:MM before noon: the end of a business day on the next morning; sales between midnight and this time count to that day';
const CLOSING_TIME_MESSAGE =
  '$property must be a time from 00:00 to 11:59, for example 04:00: when the business day ends, on the next morning; ' +
  '00:00 when it ends at midnight or before';

const TIME_ZONE = 'IANA name of the time zone of its business days';
const IsTimeZone = () =>
  applyDecorators(
    IfGiven(),
    ValidateBy({
      name: 'isTimeZone',
      validator: {
        validate: (value) => typeof value === 'string' && isTimeZone(value),
        defaultMessage: () => '$property must be the IANA name of a time zone, for example America/Sao_Paulo, or UTC',
      },
    }),
  );

const IsCurrency = () =>
  applyDecorators(
    IsOptional(),
    ValidateBy({
      name: 'isCurrency',
      validator: {
        validate: (value) => typeof value === 'string' && CURRENCIES.has(value),
        defaultMessage: () =>
          '$property must be a code of ISO 4217 in capitals whose minor unit is a hundredth, for example BRL; one without cents (JPY) or ' +
          'with thousandths (KWD) cannot be set: send null',
      },
    }),
  );

const IsSlug = () =>
  applyDecorators(
    IfGiven(),
    Length(3, 63),
    Matches(SLUG, { message: 'slug must be lower case letters, digits and single hyphens' }),
  );
const IsClosingTime = () => applyDecorators(IfGiven(), Matches(CLOSING_TIME, { message: CLOSING_TIME_MESSAGE }));

/** The fields that are nullable in both POST and PATCH: null clears a field. */
class RestaurantSettingsDto {
  @ApiPropertyOptional({ type: String, nullable: true, example: 'Via Appia 1' })
  @IsOptional()
  @IsSingleLine(500)
  address?: string | null;

  @ApiPropertyOptional({ type: String, nullable: true, example: 'STORE-1', description: "the terminal's storeCode" })
  @IsOptional()
  @IsSingleLine(100)
  codeStoreTerminal?: string | null;

  @ApiPropertyOptional({ type: String, nullable: true, example: '1001', description: 'sent to the POS as cod_store' })
  @IsOptional()
  @IsSingleLine(100)
  codeStorePos?: string | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    example: 'BRL',
    description: 'of its amounts: ISO 4217, with a minor unit of a hundredth; null: not set',
  })
  @IsCurrency()
  currency?: string | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    example: 'MISC',
    description: 'sent to the POS as the code of items that have none; null: they are sent without one',
  })
  @IsOptional()
  @IsSingleLine(CODE_LENGTH)
  defaultItemCode?: string | null;

  @ApiPropertyOptional({
    enum: VENDOR_NAMES,
    enumName: 'PosVendor',
    nullable: true,
    example: 'open-delivery',
    description:
      "the kind of its POS: partner: the relay sends orders to it; open-delivery: it reads them at the relay; null: the deployment's",
  })
  @IsOptional()
  @IsIn(VENDOR_NAMES, { message: `posVendor must be one of: ${VENDOR_NAMES.join(', ')}, or null` })
  posVendor?: VendorName | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    example: 'https://pos.example/relay',
    description:
      'only with open-delivery: the relay posts events to `/v1/newEvent` below this public https address; null: the POS polls. Another posVendor ' +
      'clears it',
  })
  @IsOptional()
  @IsSingleLine(2_000)
  posBaseUrl?: string | null;

  @ApiPropertyOptional({ type: String, nullable: true, example: 'partner-1' })
  @IsOptional()
  @Matches(PRINTABLE, { message: PRINTABLE_MESSAGE })
  posIdPartner?: string | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    example: 'a-secret',
    description: 'stored encrypted, never returned',
  })
  @IsOptional()
  @Matches(PRINTABLE, { message: PRINTABLE_MESSAGE })
  posSecret?: string | null;
}

/** Body of `POST /restaurants` (A19); null counts as absent. */
export class CreateRestaurantDto extends RestaurantSettingsDto {
  @ApiProperty({ example: 'Pizzeria Roma' })
  @IsName(200)
  name: string;

  @ApiPropertyOptional({ example: 'pizzeria-roma', description: 'derived from the name when absent' })
  @IsSlug()
  slug?: string;

  @ApiPropertyOptional({ example: 'America/Sao_Paulo', default: 'UTC', description: TIME_ZONE })
  @IsTimeZone()
  timezone?: string;

  @ApiPropertyOptional({ example: '04:00', default: '00:00', description: CLOSES })
  @IsClosingTime()
  dayClosesAt?: string;
}

/** Body of `PATCH /restaurants/:restaurantId`: absent fields stay unchanged, null clears an optional field. */
export class UpdateRestaurantDto extends RestaurantSettingsDto {
  @ApiPropertyOptional({ example: 'Pizzeria Roma' })
  @IfGiven()
  @IsName(200)
  name?: string;

  @ApiPropertyOptional({ example: 'pizzeria-roma' })
  @IsSlug()
  slug?: string;

  @ApiPropertyOptional({ example: 'America/Sao_Paulo', description: TIME_ZONE })
  @IsTimeZone()
  timezone?: string;

  @ApiPropertyOptional({ example: '04:00', description: CLOSES })
  @IsClosingTime()
  dayClosesAt?: string;
}

/** The examples in the OpenAPI document. This restaurant uses the configured POS credentials, and a slug derived from its name. */
export const NEW_RESTAURANT_EXAMPLES = {
  restaurant: {
    summary: 'a restaurant with the configured POS credentials',
    value: { name: 'Pizzeria Roma', address: 'Via Appia 1', codeStoreTerminal: 'STORE-1', codeStorePos: '1001' },
  },
};
export const CHANGED_RESTAURANT_EXAMPLES = {
  address: { summary: 'another address', value: { address: 'Via Appia 2' } },
  credentials: {
    summary: 'POS credentials of its own',
    value: { posIdPartner: 'demo-partner', posSecret: 'demo-secret' },
  },
};

/** Query parameters of `DELETE /restaurants/:restaurantId` (A21). */
export class DeleteRestaurantDto {
  @ApiPropertyOptional({ enum: ['abandon'], description: 'abandon: delete the restaurant although orders are parked' })
  @IsOptional()
  @IsIn(['abandon'], { message: 'parked must be abandon' })
  parked?: 'abandon';
}

export const RESTAURANT_SORTS = ['name', '-name', 'slug', '-slug', 'createdAt', '-createdAt'] as const;

/** Query parameters of `GET /restaurants` (A22). */
export class QueryRestaurantDto {
  @ApiPropertyOptional({ type: 'integer', default: 1, minimum: 1 })
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(1_000_000)
  page = 1;

  @QueryInteger({ default: 20, minimum: 1, maximum: 100 })
  limit = 20;

  @QueryText(200, 'substring of the name or slug, in any case')
  search?: string;

  @QueryEnum(RESTAURANT_ROLES, 'RestaurantRole', { description: 'only restaurants in which the caller has this role' })
  role?: RestaurantRole;

  @QueryEnum(RESTAURANT_SORTS, 'RestaurantSort', {
    default: 'name',
    description: 'a leading hyphen sorts in descending order; default: name',
  })
  sort: (typeof RESTAURANT_SORTS)[number] = 'name';
}
