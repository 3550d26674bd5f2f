import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { QueryStatisticsDto } from './statistics.dto.js';

export const CSV_SEPARATORS = ['comma', 'semicolon'] as const;

/** Query parameters of `GET /restaurants/:restaurantId/takings.csv`: a span of at most 31 days. */
export class QueryTakingsDto extends QueryStatisticsDto {
  @ApiPropertyOptional({
    enum: CSV_SEPARATORS,
    enumName: 'CsvSeparator',
    default: 'comma',
    description:
      'what separates the cells; `semicolon`, with decimals after a comma, is what spreadsheets in Brazil and Germany expect; default: comma',
  })
  @IsOptional()
  @IsIn(CSV_SEPARATORS, { message: `separator must be one of: ${CSV_SEPARATORS.join(', ')}` })
  separator: (typeof CSV_SEPARATORS)[number] = 'comma';
}
