import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import { IsIn, IsInt, IsOptional, IsString, Length, Matches, Max, MaxLength, Min, ValidateIf } from 'class-validator';
import { RESTAURANT_ROLES, type RestaurantRole } from '../domain/role.js';

const SLUG = /^[a-z0-9]+(-[a-z0-9]+)*$/;
/** what may become an HTTP header as it is */
const PRINTABLE = /^[\x21-\x7e]{1,256}$/;
const PRINTABLE_MESSAGE = '$property must be 1 to 256 printable ASCII characters without spaces';

/** A line of text for people; control characters have no place in it, and NUL none in Postgres. */
const IsLine = (maxLength: number) =>
  applyDecorators(
    Transform(({ value }) => (typeof value === 'string' ? value.trim() : value)),
    IsString(),
    Length(1, maxLength),
    Matches(/^\P{Cc}*$/u, { message: '$property must not contain control characters' }),
  );

export class CreateRestaurantDto {
  @ApiProperty({ example: 'Pizzeria Roma' })
  @IsLine(200)
  name: string;

  @ApiPropertyOptional({ example: 'pizzeria-roma', description: 'made from the name when absent' })
  @IsOptional()
  @Length(3, 63)
  @Matches(SLUG, { message: 'slug must be lower case letters, digits and single hyphens' })
  slug?: string;

  @ApiPropertyOptional({ example: 'Via Appia 1' })
  @IsOptional()
  @IsLine(500)
  address?: string;

  @ApiPropertyOptional({ example: 'STORE-1', description: "the terminal's storeCode" })
  @IsOptional()
  @IsLine(100)
  codeStoreTerminal?: string;

  @ApiPropertyOptional({ example: '1001', description: 'sent to the POS as cod_store' })
  @IsOptional()
  @IsLine(100)
  codeStorePos?: string;

  @ApiPropertyOptional({ example: 'partner-1' })
  @IsOptional()
  @Matches(PRINTABLE, { message: PRINTABLE_MESSAGE })
  posIdPartner?: string;

  @ApiPropertyOptional({ example: 'a-secret', description: 'stored encrypted, never answered' })
  @IsOptional()
  @Matches(PRINTABLE, { message: PRINTABLE_MESSAGE })
  posSecret?: string;
}

/** Absent: left as it is. null: cleared, where the field may be empty. */
const IfGiven = () => ValidateIf((_, value) => value !== undefined);
const IfNotCleared = () => ValidateIf((_, value) => value !== undefined && value !== null);

export class UpdateRestaurantDto {
  @ApiPropertyOptional({ example: 'Pizzeria Roma' })
  @IfGiven()
  @IsLine(200)
  name?: string;

  @ApiPropertyOptional({ example: 'pizzeria-roma' })
  @IfGiven()
  @Length(3, 63)
  @Matches(SLUG, { message: 'slug must be lower case letters, digits and single hyphens' })
  slug?: string;

  @ApiPropertyOptional({ type: String, nullable: true, example: 'Via Appia 1' })
  @IfNotCleared()
  @IsLine(500)
  address?: string | null;

  @ApiPropertyOptional({ type: String, nullable: true, example: 'STORE-1' })
  @IfNotCleared()
  @IsLine(100)
  codeStoreTerminal?: string | null;

  @ApiPropertyOptional({ type: String, nullable: true, example: '1001' })
  @IfNotCleared()
  @IsLine(100)
  codeStorePos?: string | null;

  @ApiPropertyOptional({ type: String, nullable: true, example: 'partner-1' })
  @IfNotCleared()
  @Matches(PRINTABLE, { message: PRINTABLE_MESSAGE })
  posIdPartner?: string | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    example: 'a-secret',
    description: 'stored encrypted, never answered',
  })
  @IfNotCleared()
  @Matches(PRINTABLE, { message: PRINTABLE_MESSAGE })
  posSecret?: string | null;
}

export const RESTAURANT_SORTS = ['name', '-name', 'slug', '-slug', 'createdAt', '-createdAt'] as const;

export class QueryRestaurantDto {
  @ApiPropertyOptional({ type: 'integer', default: 1, minimum: 1 })
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(1_000_000)
  page = 1;

  @ApiPropertyOptional({ type: 'integer', default: 20, minimum: 1, maximum: 100 })
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(100)
  limit = 20;

  @ApiPropertyOptional({ example: 'roma', description: 'part of the name or slug' })
  @IsOptional()
  @IsString()
  @MaxLength(200)
  search?: string;

  @ApiPropertyOptional({ enum: RESTAURANT_ROLES, description: "only where the caller's role is this one" })
  @IsOptional()
  @IsIn(RESTAURANT_ROLES, { message: `role must be one of: ${RESTAURANT_ROLES.join(', ')}` })
  role?: RestaurantRole;

  @ApiPropertyOptional({
    enum: RESTAURANT_SORTS,
    default: 'name',
    description: 'a leading hyphen turns the order round',
  })
  @IsOptional()
  @IsIn(RESTAURANT_SORTS, { message: `sort must be one of: ${RESTAURANT_SORTS.join(', ')}` })
  sort: (typeof RESTAURANT_SORTS)[number] = 'name';
}

/** A restaurant as it is shown; never with its posSecret. */
export class RestaurantView {
  @ApiProperty({ format: 'uuid' })
  id: string;

  @ApiProperty()
  name: string;

  @ApiProperty()
  slug: string;

  @ApiProperty({ type: String, nullable: true })
  address: string | null;

  @ApiProperty({ type: String, nullable: true })
  codeStoreTerminal: string | null;

  @ApiProperty({ type: String, nullable: true })
  codeStorePos: string | null;

  @ApiProperty({ type: String, nullable: true })
  posIdPartner: string | null;

  @ApiProperty()
  hasPosSecret: boolean;

  @ApiProperty({ type: String, format: 'date-time' })
  createdAt: Date;

  @ApiProperty({ type: String, format: 'date-time' })
  updatedAt: Date;
}

export class RestaurantAnswer {
  @ApiProperty()
  message: string;

  @ApiProperty()
  data: RestaurantView;
}

/** A restaurant in the caller's own list. */
export class OwnRestaurantView extends RestaurantView {
  @ApiProperty({ enum: RESTAURANT_ROLES, description: "the caller's role" })
  role: RestaurantRole;
}

class PageMeta {
  @ApiProperty({ type: 'integer' })
  page: number;

  @ApiProperty({ type: 'integer' })
  limit: number;

  @ApiProperty({ type: 'integer' })
  total: number;

  @ApiProperty({ type: 'integer' })
  pages: number;
}

export class RestaurantPage {
  @ApiProperty({ type: [OwnRestaurantView] })
  data: OwnRestaurantView[];

  @ApiProperty()
  meta: PageMeta;
}

export class OwnRestaurantsAnswer {
  @ApiProperty({ type: [OwnRestaurantView] })
  restaurants: OwnRestaurantView[];
}
