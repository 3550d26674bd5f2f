import { Body, Controller, HttpCode, Post, Req, UseGuards } from '@nestjs/common';
import {
  ApiBasicAuth,
  ApiBearerAuth,
  ApiBody,
  ApiOkResponse,
  ApiOperation,
  ApiResponse,
  ApiTags,
} from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { type Principal, Public } from '../auth/principal.js';
import { type Accepted, IntakeService } from './intake.service.js';
import { Sender, TerminalGuard } from './terminal.guard.js';
import { AcceptedView, TerminalEventBody } from './webhook.docs.js';

@ApiTags('webhook')
@Controller('webhooks')
export class WebhookController {
  constructor(private readonly intake: IntakeService) {}

  @Public()
  @UseGuards(TerminalGuard)
  @Post('terminal')
  @HttpCode(200)
  @ApiBearerAuth()
  @ApiBasicAuth()
  @ApiOperation({ summary: 'A terminal reports a transaction; it is stored before the answer' })
  @ApiBody({ type: TerminalEventBody })
  @ApiOkResponse({ type: AcceptedView })
  @ApiResponse({
    status: 400,
    description: 'INVALID_TRANSACTION, DUPLICATE_TRANSACTION, NO_OWNER_LINK, UNKNOWN_STORE or INVALID_JSON',
  })
  @ApiResponse({ status: 429, description: 'TOO_MANY_REQUESTS: see LOGIN_ATTEMPTS_PER_MINUTE' })
  receive(@Sender() sender: Principal, @Body() body: unknown, @Req() request: FastifyRequest): Promise<Accepted> {
    return this.intake.receive(sender, body, request.id);
  }
}
