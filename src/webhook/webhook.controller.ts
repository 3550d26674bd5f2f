import { Body, Controller, HttpCode, Post, Req } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { within } from '../database/deadline.js';
import type { Sender } from './authentication/sender.js';
import { ForTerminals, SentBy } from './authentication/terminal.guard.js';
import { AcceptedView, TerminalEventDto, TRANSACTION_EXAMPLES } from './webhook.dto.js';
import { WebhookService } from './webhook.service.js';

/** With the statement of the authentication, which has its own deadline, the answer takes 10 s at most (W25), in ms. */
const STORE_LIMIT_MS = 5_000;

@ApiTags('webhook')
@Controller('webhooks')
export class WebhookController {
  constructor(private readonly webhooks: WebhookService) {}

  @Post('terminal')
  @ForTerminals()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Receives a transaction of a terminal',
    description:
      'Stores the transaction and answers; the order is delivered to the POS afterwards.\n\nA caller ' +
      'authenticates by a JWT, the static terminal token (both Bearer), Basic credentials, or `email` ' +
      'and `password` in the body. The restaurant is the one whose `codeStoreTerminal` equals ' +
      '`storeCode`, or the one named by `restaurantId`.\n\nThe same `transactionKey` again is a 400 ' +
      '`DUPLICATE_TRANSACTION` that carries the `jobId` of the first; for a test transaction it is a ' +
      '200 with that `jobId`.',
  })
  @ApiBody({ type: TerminalEventDto, examples: TRANSACTION_EXAMPLES })
  @ApiOkResponse({ type: AcceptedView })
  @ApiResponse({
    status: 400,
    description: 'INVALID_TRANSACTION, DUPLICATE_TRANSACTION, NO_OWNER_LINK, UNKNOWN_STORE or INVALID_JSON',
  })
  @ApiResponse({ status: 429, description: 'TOO_MANY_REQUESTS: see LOGIN_ATTEMPTS_PER_MINUTE' })
  async receiveTransaction(
    @SentBy() sender: Sender,
    @Body() body: unknown,
    @Req() request: FastifyRequest,
  ): Promise<AcceptedView> {
    const { jobId, warnings } = await within(STORE_LIMIT_MS, this.webhooks.receive(sender, body, request.id));
    return { success: true, jobId, ...(warnings.length > 0 ? { warnings: [...warnings] } : {}) };
  }
}
