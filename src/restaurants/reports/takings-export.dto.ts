import { QueryEnum } from '../../platform/http/fields/query-enum.js';
import { QueryStatisticsDto } from './statistics.dto.js';

export const CSV_SEPARATORS = ['comma', 'semicolon'] as const;

/** Query parameters of `GET /restaurants/:restaurantId/takings.csv`: a span of at most 31 days. */
export class QueryTakingsDto extends QueryStatisticsDto {
  @QueryEnum(CSV_SEPARATORS, 'CsvSeparator', {
    default: 'comma',
    description:
      'what separates the cells; `semicolon`, with decimals after a comma, is what spreadsheets in Brazil and Germany expect; default: comma',
  })
  separator: (typeof CSV_SEPARATORS)[number] = 'comma';
}
