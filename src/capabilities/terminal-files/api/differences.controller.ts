import { Body, Controller, Get, HttpCode, Param, Post, Query, StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiProduces, ApiTags } from '@nestjs/swagger';
import { MANAGING_ROLES } from '../../../domain/role.js';
import { ClientGone } from '../../../platform/http/client-gone.js';
import { UuidParam } from '../../../platform/http/fields/uuid.pipe.js';
import { InShare } from '../../../platform/http/limits/shares.js';
import { Refuses } from '../../../platform/http/openapi/errors.js';
import { CallerLink, ForPermission, ForRoles, type Link } from '../../../user-links/restaurant.guard.js';
import { FILE_CODES } from '../error-codes.js';
import { Decisions } from '../matching/decisions.js';
import {
  CheckedRowDto,
  DifferencesPageView,
  EnteredRowDto,
  QueryDifferencesDto,
  QueryDifferencesFileDto,
  RowDecidedView,
  SuggestedSaleDto,
} from './differences.dto.js';
import { DifferencesExport } from './differences-export.js';
import { DifferencesReader } from './differences-reader.js';
import { LinePipe } from './line.pipe.js';

const LineParam = () => ApiParam({ name: 'line', schema: { type: 'integer', minimum: 1 } });

/** What differs between a file and the sales, and what people decide about it (J10 to J13). */
@ApiTags("terminal's file")
@Controller('restaurants/:restaurantId/terminal-files/:fileId')
export class DifferencesController {
  constructor(
    private readonly differences: DifferencesReader,
    private readonly exports: DifferencesExport,
    private readonly decisions: Decisions,
  ) {}

  @Get('differences')
  @InShare('reports')
  @ForPermission('view_reports')
  @ApiOperation({
    summary: 'Lists what differs between a file and the sales',
    description: 'Sales that arrived since the last comparison are compared first.',
  })
  @ApiOkResponse({ type: DifferencesPageView, description: 'the file with its summary, and a page of rows' })
  @Refuses(FILE_CODES.FILE_NOT_CONFIRMED)
  listDifferences(
    @CallerLink() caller: Link,
    @UuidParam('fileId') fileId: string,
    @Query() query: QueryDifferencesDto,
    @ClientGone() gone: AbortSignal,
  ): Promise<DifferencesPageView> {
    return this.differences.list(caller, fileId, query, gone);
  }

  @Get('differences.csv')
  @InShare('reports')
  @ForPermission('view_reports')
  @ApiOperation({
    summary: 'Returns what differs between a file and the sales, as CSV',
    description:
      'UTF-8 with a byte order mark, lines end in CR LF. Text that a spreadsheet would take for a formula begins with an apostrophe. A ' +
      'file that breaks off ends with the connection.',
  })
  @ApiProduces('text/csv')
  @ApiOkResponse({ schema: { type: 'string' }, description: 'the file, as an attachment' })
  @Refuses(FILE_CODES.FILE_NOT_CONFIRMED)
  async getDifferencesFile(
    @CallerLink() caller: Link,
    @UuidParam('fileId') fileId: string,
    @Query() { separator }: QueryDifferencesFileDto,
  ): Promise<StreamableFile> {
    const { name, content } = await this.exports.open(caller, fileId, separator === 'semicolon' ? ';' : ',');
    const disposition = `attachment; filename="${name}"`;
    return new StreamableFile(content, { type: 'text/csv; charset=utf-8', disposition });
  }

  @Post('rows/:line/accept')
  @HttpCode(200)
  @ForRoles(...MANAGING_ROLES)
  @LineParam()
  @ApiOperation({ summary: 'Accepts the sale that was suggested for a row', description: 'It is audited.' })
  @ApiOkResponse({ type: RowDecidedView, description: 'the row with its new answer' })
  @Refuses(FILE_CODES.FILE_NOT_CONFIRMED, FILE_CODES.ROW_NOT_OPEN)
  async acceptSuggestion(
    @CallerLink() caller: Link,
    @UuidParam('fileId') fileId: string,
    @Param('line', LinePipe) line: number,
    @Body() { transactionKey }: SuggestedSaleDto,
  ): Promise<RowDecidedView> {
    const data = await this.decisions.accept(caller, fileId, line, transactionKey);
    return { message: 'the row has its sale', data };
  }

  @Post('rows/:line/refuse')
  @HttpCode(200)
  @ForRoles(...MANAGING_ROLES)
  @LineParam()
  @ApiOperation({
    summary: 'Refuses the sale that was suggested for a row',
    description:
      'The sale is not suggested for this row again: without another one the row is MISSING_HERE. It is audited.',
  })
  @ApiOkResponse({ type: RowDecidedView, description: 'the row with its new answer' })
  @Refuses(
    FILE_CODES.FILE_NOT_CONFIRMED,
    FILE_CODES.ROW_NOT_OPEN,
    FILE_CODES.TOO_MANY_UPLOADS,
    FILE_CODES.TOO_MUCH_FILE_WORK,
  )
  async refuseSuggestion(
    @CallerLink() caller: Link,
    @UuidParam('fileId') fileId: string,
    @Param('line', LinePipe) line: number,
    @Body() { transactionKey }: SuggestedSaleDto,
    @ClientGone() gone: AbortSignal,
  ): Promise<RowDecidedView> {
    const data = await this.decisions.refuse(caller, fileId, line, transactionKey, gone);
    return { message: 'the sale is not suggested for this row again', data };
  }

  @Post('rows/:line/enter')
  @HttpCode(200)
  @ForRoles(...MANAGING_ROLES)
  @LineParam()
  @ApiOperation({
    summary: 'Says that a person has entered a missing sale in the POS',
    description: 'Of a row that is MISSING_HERE. Nothing is sent to the POS. It is audited, with the note.',
  })
  @ApiOkResponse({ type: RowDecidedView, description: 'the row, ENTERED' })
  @Refuses(FILE_CODES.FILE_NOT_CONFIRMED, FILE_CODES.ROW_NOT_OPEN)
  async enterMissingRow(
    @CallerLink() caller: Link,
    @UuidParam('fileId') fileId: string,
    @Param('line', LinePipe) line: number,
    @Body() { note }: EnteredRowDto,
  ): Promise<RowDecidedView> {
    return { message: 'the sale is entered by hand', data: await this.decisions.enter(caller, fileId, line, note) };
  }

  @Post('rows/:line/check')
  @HttpCode(200)
  @ForRoles(...MANAGING_ROLES)
  @LineParam()
  @ApiOperation({
    summary: 'Says that a person has looked at a row, and that it needs nobody any more',
    description:
      'Of a row that is AMOUNT_DIFFERS or DUPLICATE, or ENTERED with a sale that arrived later; its answer stays. It is audited, with the note.',
  })
  @ApiOkResponse({ type: RowDecidedView, description: 'the row, with who checked it' })
  @Refuses(FILE_CODES.FILE_NOT_CONFIRMED, FILE_CODES.ROW_NOT_OPEN)
  async checkRow(
    @CallerLink() caller: Link,
    @UuidParam('fileId') fileId: string,
    @Param('line', LinePipe) line: number,
    @Body() { note }: CheckedRowDto,
  ): Promise<RowDecidedView> {
    const data = await this.decisions.check(caller, fileId, line, note ?? null);
    return { message: 'the row needs nobody any more', data };
  }

  @Post('rows/:line/undo')
  @HttpCode(200)
  @ForRoles(...MANAGING_ROLES)
  @LineParam()
  @ApiOperation({
    summary: 'Undoes what was decided about a row',
    description:
      'What was entered, accepted or checked; if nothing was, the sales that were refused are suggested again. The row is compared again. ' +
      'It is audited.',
  })
  @ApiOkResponse({ type: RowDecidedView, description: 'the row with its new answer' })
  @Refuses(
    FILE_CODES.FILE_NOT_CONFIRMED,
    FILE_CODES.ROW_NOT_OPEN,
    FILE_CODES.TOO_MANY_UPLOADS,
    FILE_CODES.TOO_MUCH_FILE_WORK,
    'QUOTA_REACHED',
  )
  async undoDecision(
    @CallerLink() caller: Link,
    @UuidParam('fileId') fileId: string,
    @Param('line', LinePipe) line: number,
    @ClientGone() gone: AbortSignal,
  ): Promise<RowDecidedView> {
    const data = await this.decisions.undo(caller, fileId, line, gone);
    return { message: 'the decision is undone', data };
  }
}
