import { applyDecorators, Controller, Get, Query, UseGuards, UseInterceptors } from '@nestjs/common';
import {
  ApiBasicAuth,
  ApiBearerAuth,
  ApiHeader,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiResponse,
  ApiTags,
} from '@nestjs/swagger';
import { Public } from '../../auth/principal.js';
import { ClientGone } from '../../platform/http/client-gone.js';
import { UuidParam } from '../../platform/http/fields/uuid.pipe.js';
import { Refuses } from '../../platform/http/openapi/errors.js';
import { RECEIPT_CODES } from './error-codes.js';
import { EtagInterceptor } from './etag.interceptor.js';
import { CallingReader, ReaderGuard } from './reader.guard.js';
import { ReceiptAnswerView, ReceiptsQueryDto, ReceiptsView } from './receipts.dto.js';
import { ReceiptsService } from './receipts.service.js';
import type { Reader } from './receipts-reader.js';

const LIST =
  'What became of the sales of this sender, the oldest change first. With `wait` the answer waits until there is something new. Ask again ' +
  'with the `cursor` of the answer: no receipt is skipped. `ETag` and `If-None-Match` work.';
const ONE = 'What became of one sale. `jobId` is in the answer of the webhook, and in a `DUPLICATE_TRANSACTION`.';
const SIGNED = ' For a sender key of kind SIGNING: the signature is that of an empty body.';

const ApiKeyId = () =>
  applyDecorators(
    ApiParam({ name: 'keyId', type: String, description: 'the `keyId` of a sender key' }),
    ...['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => ApiHeader({ name, required: true })),
    Refuses('SECRET_UNREADABLE'),
  );
const Answers = (type: typeof ReceiptsView | typeof ReceiptAnswerView, description: string) =>
  applyDecorators(
    ApiOkResponse({ type, description }),
    ApiResponse({ status: 304, description: '`If-None-Match` has the `ETag`: nothing new' }),
    Refuses('UNAUTHENTICATED', 'MISSING_SCOPE', 'TOO_MANY_BODIES', 'TOO_MANY_AT_ONCE'),
  );
const ListAnswers = () =>
  applyDecorators(
    Answers(ReceiptsView, 'the receipts after the cursor, 100 at most'),
    Refuses(RECEIPT_CODES.TOO_MANY_POLLS),
  );
const OneAnswers = () => Answers(ReceiptAnswerView, 'the receipt');
const Credentials = () =>
  applyDecorators(ApiBasicAuth(), ApiBearerAuth(), Refuses('TOO_MANY_REQUESTS', 'TOO_MANY_PASSWORD_CHECKS'));

/** What became of the sales of a sender (V20 to V26). */
@Public()
@UseGuards(ReaderGuard)
@UseInterceptors(EtagInterceptor)
@ApiTags('webhook')
@Controller('webhooks/terminal')
export class ReceiptsController {
  constructor(private readonly receipts: ReceiptsService) {}

  @Get('receipts')
  @Credentials()
  @ListAnswers()
  @ApiOperation({ summary: 'Lists receipts', description: LIST })
  listReceipts(@CallingReader() reader: Reader, @Query() query: ReceiptsQueryDto, @ClientGone() gone: AbortSignal) {
    return this.receipts.list(reader, query, gone);
  }

  @Get('receipts/:jobId')
  @Credentials()
  @OneAnswers()
  @ApiOperation({ summary: 'Reads the receipt of a sale', description: ONE })
  async readReceipt(@CallingReader() reader: Reader, @UuidParam('jobId') jobId: string) {
    return { data: await this.receipts.one(reader, jobId) };
  }

  @Get(':keyId/receipts')
  @ApiKeyId()
  @ListAnswers()
  @ApiOperation({ summary: 'Lists receipts, signed', description: LIST + SIGNED })
  listSignedReceipts(
    @CallingReader() reader: Reader,
    @Query() query: ReceiptsQueryDto,
    @ClientGone() gone: AbortSignal,
  ) {
    return this.receipts.list(reader, query, gone);
  }

  @Get(':keyId/receipts/:jobId')
  @ApiKeyId()
  @OneAnswers()
  @ApiOperation({ summary: 'Reads the receipt of a sale, signed', description: ONE + SIGNED })
  async readSignedReceipt(@CallingReader() reader: Reader, @UuidParam('jobId') jobId: string) {
    return { data: await this.receipts.one(reader, jobId) };
  }
}
