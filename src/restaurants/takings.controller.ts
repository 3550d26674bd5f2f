import { Controller, Get, Query, StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiProduces, ApiTags } from '@nestjs/swagger';
import { Does } from '../platform/http/does.js';
import { InShare } from '../platform/http/limits/shares.js';
import { CallerLink, ForPermission, type Link } from '../user-links/restaurant.guard.js';
import { QueryTakingsDto } from './reports/takings-export.dto.js';
import { TakingsExport } from './reports/takings-export.js';

/** The takings of a restaurant as a file for spreadsheets (R25). */
@ApiTags('restaurants')
@Controller('restaurants/:restaurantId')
export class TakingsController {
  constructor(private readonly takings: TakingsExport) {}

  @Get('takings.csv')
  @InShare('reports')
  @ForPermission('view_reports')
  @Does(
    "Returns a restaurant's sales as CSV",
    'One row for each order by its receipt, without test transactions: transactionKey, transactionNumber, receivedAt (ISO ' +
      "8601 with the offset of the restaurant's clock), businessDay, state (delivered, waiting, parked or cancelled, as in the " +
      'statistics; refund), tenders (`16=79.80 + 1=2.00`, the largest first) and their names, paidCents, paid (below zero for a refund), transactionDate, kind ' +
      '(SALE or REFUND), currency, receivedOnAnotherDay, tipCents, serviceFeeCents, tip, serviceFee (parts of paid; 0 without one). UTF-8 with a byte order mark, lines end in CR LF. Text that a spreadsheet would take for a formula begins with an apostrophe. Without a span, the ' +
      'last 30 days; 31 at most. A file that breaks off ends with the connection.',
  )
  @ApiProduces('text/csv')
  @ApiOkResponse({ schema: { type: 'string' }, description: 'the file, as an attachment' })
  async getTakingsFile(@CallerLink() { restaurantId }: Link, @Query() query: QueryTakingsDto): Promise<StreamableFile> {
    const { name, content } = await this.takings.open(restaurantId, query);
    return new StreamableFile(content, {
      type: 'text/csv; charset=utf-8',
      disposition: `attachment; filename="${name}"`,
    });
  }
}
