import { Controller, Get, Query, StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
import { InShare } from '../../platform/http/limits/shares.js';
import { CallerLink, ForPermission, type Link } from '../../user-links/restaurant.guard.js';
import { ClosingsExportView, QueryClosingsDto, QueryClosingsFileDto } from './closings-export.dto.js';
import { ClosingsExport, type ClosingsFile } from './closings-export.js';

const BROKEN_OFF = 'Of any length: it is read in pages. A file that breaks off ends with the connection.';

/** The closings of a restaurant as files for an accountant (B10). */
@ApiTags('days')
@Controller('restaurants/:restaurantId')
export class ClosingsController {
  constructor(private readonly exports: ClosingsExport) {}

  @Get('closings.csv')
  @InShare('reports')
  @ForPermission('view_reports')
  @ApiOperation({
    summary: 'Returns closings with their lines and sales as CSV',
    description:
      '`record` says what a row is: closing, line, sale, payment or item; the rows of a closing follow it. Sales have discount and surcharge, ' +
      'payments the tender and its code at the POS. `format=days` has one row a day instead, for people: times with the offset of its clock, ' +
      'counts, what was taken, cancelled, refunded and the net, and the tenders by name (`lang`). UTF-8 with a byte order mark, lines end in CR LF. Text that a spreadsheet would take for a ' +
      `formula begins with an apostrophe. ${BROKEN_OFF}`,
  })
  @ApiProduces('text/csv')
  @ApiOkResponse({ schema: { type: 'string' }, description: 'the file, as an attachment' })
  async getClosingsFile(
    @CallerLink() { restaurantId }: Link,
    @Query() query: QueryClosingsFileDto,
  ): Promise<StreamableFile> {
    return streamed(await this.exports.openCsv(restaurantId, query), 'text/csv; charset=utf-8');
  }

  @Get('closings.json')
  @InShare('reports')
  @ForPermission('view_reports')
  @ApiOperation({
    summary: 'Returns closings with their lines and sales as JSON',
    description: `\`closing\` is the text that was hashed, so that the chain can be recomputed from the file. ${BROKEN_OFF}`,
  })
  @ApiOkResponse({ type: ClosingsExportView, description: 'the file, as an attachment' })
  async getClosingsJson(
    @CallerLink() { restaurantId }: Link,
    @Query() query: QueryClosingsDto,
  ): Promise<StreamableFile> {
    return streamed(await this.exports.openJson(restaurantId, query), 'application/json; charset=utf-8');
  }
}

function streamed({ name, content }: ClosingsFile, type: string): StreamableFile {
  return new StreamableFile(content, { type, disposition: `attachment; filename="${name}"` });
}
