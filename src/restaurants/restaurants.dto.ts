import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsOptional, IsString, Length, Matches } from 'class-validator';

const SLUG = /^[a-z0-9]+(-[a-z0-9]+)*$/;
/** what may become an HTTP header as it is */
const PRINTABLE = /^[\x21-\x7e]{1,256}$/;
const PRINTABLE_MESSAGE = '$property must be 1 to 256 printable ASCII characters without spaces';

const Trimmed = () => Transform(({ value }) => (typeof value === 'string' ? value.trim() : value));

export class CreateRestaurantDto {
  @ApiProperty({ example: 'Pizzeria Roma' })
  @Trimmed()
  @IsString()
  @Length(1, 200)
  name: string;

  @ApiPropertyOptional({ example: 'pizzeria-roma', description: 'made from the name when absent' })
  @IsOptional()
  @Length(3, 63)
  @Matches(SLUG, { message: 'slug must be lower case letters, digits and single hyphens' })
  slug?: string;

  @ApiPropertyOptional({ example: 'Via Appia 1' })
  @IsOptional()
  @Trimmed()
  @IsString()
  @Length(1, 500)
  address?: string;

  @ApiPropertyOptional({ example: 'STORE-1', description: "the terminal's storeCode" })
  @IsOptional()
  @Trimmed()
  @IsString()
  @Length(1, 100)
  codeStoreTerminal?: string;

  @ApiPropertyOptional({ example: '1001', description: 'sent to the POS as cod_store' })
  @IsOptional()
  @Trimmed()
  @IsString()
  @Length(1, 100)
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
