import { QueryEnum } from '../http/query-enum.js';
import { QueryDay } from '../http/query-fields.js';

const SEPARATORS = ['comma', 'semicolon'] as const;

/** Query parameters of the export of closings: business days. */
export class QueryClosingsDto {
  @QueryDay('the first business day; default: the first that was closed')
  from?: string;

  @QueryDay('the last business day, which is included; default: the last that was closed')
  to?: string;

  @QueryEnum(SEPARATORS, 'CsvSeparator', {
    default: 'comma',
    description: 'what separates the cells of CSV; with `semicolon` decimals stand after a comma; default: comma',
  })
  separator: (typeof SEPARATORS)[number] = 'comma';
}
