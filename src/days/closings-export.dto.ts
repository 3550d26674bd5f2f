import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { IsDay } from '../http/is-day.js';
import { QueryEnum } from '../http/query-enum.js';

const SEPARATORS = ['comma', 'semicolon'] as const;

/** Query parameters of the export of closings: business days. */
export class QueryClosingsDto {
  @ApiPropertyOptional({
    type: String,
    format: 'date',
    description: 'the first business day; default: the first that was closed',
  })
  @IsOptional()
  @IsDay()
  from?: string;

  @ApiPropertyOptional({
    type: String,
    format: 'date',
    description: 'the last business day, which is included; default: the last that was closed',
  })
  @IsOptional()
  @IsDay()
  to?: string;

  @QueryEnum(SEPARATORS, 'CsvSeparator', {
    default: 'comma',
    description: 'what separates the cells of CSV; with `semicolon` decimals stand after a comma; default: comma',
  })
  separator: (typeof SEPARATORS)[number] = 'comma';
}
