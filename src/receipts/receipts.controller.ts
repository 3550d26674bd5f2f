import { createHash } from 'node:crypto';
import { applyDecorators, Controller, Get, Header, HttpStatus, Query, Req, Res, UseGuards } from '@nestjs/common';
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
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '../auth/principal.js';
import { clientGone } from '../http/client-gone.js';
import { Refuses } from '../http/openapi-errors.js';
import { UuidParam } from '../http/uuid.pipe.js';
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
  );
const Answers = (type: typeof ReceiptsView | typeof ReceiptAnswerView, description: string) =>
  applyDecorators(
    Header('Cache-Control', 'no-store'),
    ApiOkResponse({ type, description }),
    ApiResponse({ status: 304, description: '`If-None-Match` has the `ETag`: nothing new' }),
    Refuses('UNAUTHENTICATED', 'MISSING_SCOPE'),
  );
const ListAnswers = () =>
  applyDecorators(Answers(ReceiptsView, 'the receipts after the cursor, 100 at most'), Refuses('TOO_MANY_POLLS'));
const OneAnswers = () => Answers(ReceiptAnswerView, 'the receipt');
const Credentials = () =>
  applyDecorators(ApiBasicAuth(), ApiBearerAuth(), Refuses('TOO_MANY_REQUESTS', 'TOO_MANY_PASSWORD_CHECKS'));

/** What became of the sales of a sender (V20 to V26). */
@Public()
@UseGuards(ReaderGuard)
@ApiTags('webhook')
@Controller('webhooks/terminal')
export class ReceiptsController {
  constructor(private readonly receipts: ReceiptsService) {}

  @Get('receipts')
  @Credentials()
  @ListAnswers()
  @ApiOperation({ summary: 'Lists receipts', description: LIST })
  listReceipts(
    @CallingReader() reader: Reader,
    @Query() query: ReceiptsQueryDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ReceiptsView | undefined> {
    return this.list(reader, query, request, reply);
  }

  @Get('receipts/:jobId')
  @Credentials()
  @OneAnswers()
  @ApiOperation({ summary: 'Reads the receipt of a sale', description: ONE })
  readReceipt(
    @CallingReader() reader: Reader,
    @UuidParam('jobId') jobId: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ReceiptAnswerView | undefined> {
    return this.one(reader, jobId, request, reply);
  }

  @Get(':keyId/receipts')
  @ApiKeyId()
  @ListAnswers()
  @ApiOperation({ summary: 'Lists receipts, signed', description: LIST + SIGNED })
  listSignedReceipts(
    @CallingReader() reader: Reader,
    @Query() query: ReceiptsQueryDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ReceiptsView | undefined> {
    return this.list(reader, query, request, reply);
  }

  @Get(':keyId/receipts/:jobId')
  @ApiKeyId()
  @OneAnswers()
  @ApiOperation({ summary: 'Reads the receipt of a sale, signed', description: ONE + SIGNED })
  readSignedReceipt(
    @CallingReader() reader: Reader,
    @UuidParam('jobId') jobId: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ReceiptAnswerView | undefined> {
    return this.one(reader, jobId, request, reply);
  }

  private async list(reader: Reader, query: ReceiptsQueryDto, request: FastifyRequest, reply: FastifyReply) {
    const page = await this.receipts.list(reader, query, clientGone(reply));
    return unlessKnown(page, page.data, request, reply);
  }

  private async one(reader: Reader, jobId: string, request: FastifyRequest, reply: FastifyReply) {
    const data = await this.receipts.one(reader, jobId);
    return unlessKnown({ data }, data, request, reply);
  }
}

/**
 * The answer with its `ETag`, or a 304 when the sender has it (V25). The tag is weak and of the receipts alone: a sender who gets a 304
 * keeps its cursor, which is as good as a new one.
 */
function unlessKnown<Answer>(
  answer: Answer,
  receipts: unknown,
  { headers }: FastifyRequest,
  reply: FastifyReply,
): Answer | undefined {
  const tag = `W/"${createHash('sha256').update(JSON.stringify(receipts)).digest('base64url').slice(0, 27)}"`;
  reply.header('ETag', tag);
  const known = headers['if-none-match']?.split(',').map((each) => each.trim());
  if (!known?.some((each) => each === '*' || each === tag || `W/${each}` === tag)) return answer;
  reply.status(HttpStatus.NOT_MODIFIED);
  return undefined;
}
