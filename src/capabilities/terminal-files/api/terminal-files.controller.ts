import { Body, Controller, Delete, Get, HttpCode, Post, Query, Req, Res, UseInterceptors } from '@nestjs/common';
import {
  ApiBody,
  ApiConsumes,
  ApiCreatedResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
  ApiUnsupportedMediaTypeResponse,
} from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { MANAGING_ROLES } from '../../../domain/role.js';
import { ReadsOwnBody } from '../../../platform/http/body/own-body.js';
import { ClientGone, clientGone } from '../../../platform/http/client-gone.js';
import { MessageView } from '../../../platform/http/fields/message.view.js';
import { UuidParam } from '../../../platform/http/fields/uuid.pipe.js';
import { InShare, TakesNoTurn } from '../../../platform/http/limits/shares.js';
import { Refuses } from '../../../platform/http/openapi/errors.js';
import { CallerLink, ForPermission, ForRoles, type Link } from '../../../user-links/restaurant.guard.js';
import { FILE_CODES } from '../error-codes.js';
import { Confirmations } from '../matching/confirmations.js';
import { TakeBack } from '../matching/take-back.js';
import { Uploads } from '../reading/uploads.js';
import { FilesReader } from './files-reader.js';
import { MappingBodyInterceptor } from './mapping-body.interceptor.js';
import {
  ConfirmTerminalFileDto,
  FilePreviewAnswerView,
  PreviewTerminalFileDto,
  QueryTerminalFilesDto,
  TerminalFileAnswerView,
  TerminalFileDoneView,
  TerminalFilesPageView,
  UploadQueryDto,
} from './terminal-files.dto.js';

/** What work with files that has to wait may be answered (J16). */
const BUSY = [FILE_CODES.TOO_MANY_UPLOADS, FILE_CODES.TOO_MUCH_FILE_WORK] as const;

/** The files of the acquirer that are compared with the sales (J). */
@ApiTags("terminal's file")
@Controller('restaurants/:restaurantId/terminal-files')
export class TerminalFilesController {
  constructor(
    private readonly uploads: Uploads,
    private readonly files: FilesReader,
    private readonly confirmations: Confirmations,
    private readonly takeBack: TakeBack,
  ) {}

  @Post()
  @ForRoles(...MANAGING_ROLES)
  @ReadsOwnBody('text/csv')
  @ApiOperation({
    summary: "Uploads a terminal's file, as CSV",
    description:
      'At most 5 MB and 50,000 rows. UTF-8 with or without a byte order mark, UTF-16 with one, or else windows-1252; separated by commas, ' +
      'semicolons, tabs or bars; the names of the columns in one of the first 20 lines. Nothing counts before it is confirmed: the answer ' +
      'shows how the file is read with the mapping that the restaurant last confirmed for such columns, or else with a guess. The same ' +
      'file again is a 200 with the earlier one.',
  })
  @ApiConsumes('text/csv')
  @ApiBody({ required: true, schema: { type: 'string' } })
  @ApiCreatedResponse({ type: TerminalFileDoneView, description: 'the file with its preview' })
  @ApiOkResponse({ type: TerminalFileDoneView, description: 'the restaurant has this file already: the earlier one' })
  @ApiUnsupportedMediaTypeResponse({
    description: 'UNSUPPORTED_MEDIA_TYPE: the body is not uncompressed text/csv',
  })
  @Refuses(FILE_CODES.FILE_REFUSED, FILE_CODES.TOO_MANY_FILES, ...BUSY)
  async uploadTerminalFile(
    @CallerLink() caller: Link,
    @Query() { name }: UploadQueryDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<TerminalFileDoneView> {
    const { file, isNew } = await this.uploads.upload(caller, name, request, clientGone(reply));
    if (!isNew) reply.status(200);
    const message = isNew ? 'check how the file is read, then confirm it' : 'this file was uploaded before';
    return { message, data: file };
  }

  @Get()
  @ForPermission('view_reports')
  @ApiOperation({ summary: "Lists the terminal's files of a restaurant", description: 'The latest first.' })
  @ApiOkResponse({ type: TerminalFilesPageView, description: 'a page of files' })
  listTerminalFiles(
    @CallerLink() { restaurantId }: Link,
    @Query() query: QueryTerminalFilesDto,
  ): Promise<TerminalFilesPageView> {
    return this.files.list(restaurantId, query);
  }

  @Get(':fileId')
  @InShare('reports')
  @TakesNoTurn()
  @ForPermission('view_reports')
  @ApiOperation({ summary: "Returns a terminal's file", description: 'With its preview, until it is confirmed.' })
  @ApiOkResponse({ type: TerminalFileAnswerView, description: 'the file' })
  @Refuses(...BUSY)
  async getTerminalFile(
    @CallerLink() caller: Link,
    @UuidParam('fileId') fileId: string,
    @ClientGone() gone: AbortSignal,
  ): Promise<TerminalFileAnswerView> {
    return { data: await this.files.one(caller, fileId, gone) };
  }

  @Delete(':fileId')
  @ForRoles(...MANAGING_ROLES)
  @ApiOperation({
    summary: "Removes a terminal's file; takes a confirmed one back",
    description:
      'Its rows count as nothing any more, its alert closes, and the file can be uploaded again. What people decided about its rows stays ' +
      'for the next file with the same payment. It is audited.',
  })
  @ApiOkResponse({ type: MessageView, description: 'it is removed' })
  @Refuses(FILE_CODES.FILE_CONFIRMED, 'QUOTA_REACHED', ...BUSY)
  async removeTerminalFile(
    @CallerLink() caller: Link,
    @UuidParam('fileId') fileId: string,
    @ClientGone() gone: AbortSignal,
  ): Promise<MessageView> {
    await this.takeBack.remove(caller, fileId, gone);
    return { message: 'the file is removed' };
  }

  @Post(':fileId/preview')
  @UseInterceptors(MappingBodyInterceptor)
  @InShare('reports')
  @TakesNoTurn()
  @HttpCode(200)
  @ForRoles(...MANAGING_ROLES)
  @ApiOperation({
    summary: 'Shows how a file is read with another mapping',
    description:
      'It changes nothing; also of a confirmed file whose cells are kept. The body may also be `{"mapping": {…}}`.',
  })
  @ApiOkResponse({ type: FilePreviewAnswerView, description: 'the first rows, and the counts of all' })
  @Refuses(FILE_CODES.FILE_CONFIRMED, FILE_CODES.FILE_REFUSED, ...BUSY)
  async previewTerminalFile(
    @CallerLink() caller: Link,
    @UuidParam('fileId') fileId: string,
    @Body() mapping: PreviewTerminalFileDto,
    @ClientGone() gone: AbortSignal,
  ): Promise<FilePreviewAnswerView> {
    return { data: await this.files.preview(caller, fileId, mapping, gone) };
  }

  @Post(':fileId/confirm')
  @UseInterceptors(MappingBodyInterceptor)
  @InShare('reports')
  @TakesNoTurn()
  @HttpCode(200)
  @ForRoles(...MANAGING_ROLES)
  @ApiOperation({
    summary: 'Confirms a file with a mapping',
    description:
      'Compares its rows with the sales, and keeps the mapping for later files of the restaurant. It is audited. Nothing is sent to the POS. ' +
      'The body may also be `{"mapping": {…}}`, with the other fields beside it. With `again` a confirmed file is read again, as long as ' +
      'its cells are kept (`isKept`): its rows are replaced, and what people decided stays with them. With `claim`: false it ' +
      'asks when fewer than 90 % of the payments are found: 409 FEW_SALES_FOUND.',
  })
  @ApiOkResponse({ type: TerminalFileDoneView, description: 'the file with its summary' })
  @Refuses(FILE_CODES.FILE_CONFIRMED, FILE_CODES.FEW_SALES_FOUND, FILE_CODES.FILE_REFUSED, 'QUOTA_REACHED', ...BUSY)
  async confirmTerminalFile(
    @CallerLink() caller: Link,
    @UuidParam('fileId') fileId: string,
    @Body() { from, to, claim = true, again = false, ...mapping }: ConfirmTerminalFileDto,
    @ClientGone() gone: AbortSignal,
  ): Promise<TerminalFileDoneView> {
    await this.confirmations.confirm(caller, fileId, { mapping, named: { from, to }, claim, again }, gone);
    const file = await this.files.plain(caller.restaurantId, fileId);
    return { message: 'the file counts now', data: { ...file, preview: null } };
  }
}
