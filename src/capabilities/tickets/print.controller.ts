import { Body, Controller, Delete, Get, HttpCode, Ip, Param, Post, Query, Req, Res } from '@nestjs/common';
import {
  ApiBody,
  ApiOkResponse,
  ApiParam,
  ApiProduces,
  ApiQuery,
  ApiTags,
  ApiUnsupportedMediaTypeResponse,
} from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '../../auth/principal.js';
import { proveSender } from '../../platform/http/body/body.js';
import { ClientGone } from '../../platform/http/client-gone.js';
import { Does } from '../../platform/http/does.js';
import { MessageView } from '../../platform/http/fields/message.view.js';
import { Refuses } from '../../platform/http/openapi/errors.js';
import { problem } from '../../platform/http/problem.js';
import { readPoll } from './poll.js';
import { PrintService } from './print.service.js';
import { PollAnswerView } from './printers.dto.js';

const MEDIA_TYPE = 'text/plain';

/** A value of a query; undefined: it was not sent, or is empty. One that was sent twice is what no ticket has. */
const textOf = (value: unknown) => (value === undefined || value === '' ? undefined : String(value));

const ApiToken = () => ApiParam({ name: 'token', type: String, description: 'of the address of the printer' });
const ApiTicket = () =>
  ApiQuery({ name: 'token', required: false, type: String, description: 'the `jobToken`; default: the last one' });

/** Printers that fetch their tickets: Star CloudPRNT (K3 to K5). The token in the path is all that a printer can send. */
@Public()
@ApiTags('printers')
@Controller('print/:token')
export class PrintController {
  constructor(private readonly prints: PrintService) {}

  @Post()
  @HttpCode(200)
  @Does(
    'A printer asks for a ticket',
    'Star CloudPRNT: the poll of the printer. All fields are optional; unknown ones are ignored.',
  )
  @Refuses('TOO_MANY_AT_ONCE')
  @ApiToken()
  @ApiBody({ required: false, schema: { type: 'object', additionalProperties: true } })
  @ApiOkResponse({ type: PollAnswerView, description: 'whether there is a ticket to print' })
  async pollPrinter(
    @Req() request: FastifyRequest,
    @Param('token') token: string,
    @Body() body: unknown,
    @Ip() address: string,
    @ClientGone() gone: AbortSignal,
  ): Promise<PollAnswerView> {
    const { ticket, party } = await this.prints.poll(token, readPoll(body), { address, gone });
    // a printer begins with a poll, and polls again before long
    proveSender(request, party);
    return ticket === undefined ? { jobReady: false } : { jobReady: true, mediaTypes: [MEDIA_TYPE], jobToken: ticket };
  }

  @Get()
  @Does('A printer fetches the ticket', 'Star CloudPRNT. Changes nothing.')
  @Refuses('TOO_MANY_AT_ONCE')
  @ApiToken()
  @ApiTicket()
  @ApiQuery({ name: 'type', required: false, type: String, description: 'one of `mediaTypes`; default: the first' })
  @ApiProduces(MEDIA_TYPE)
  @ApiOkResponse({ schema: { type: 'string' }, description: 'the ticket' })
  @ApiUnsupportedMediaTypeResponse({ description: 'UNSUPPORTED_MEDIA_TYPE: `type` was not offered' })
  async readOfferedTicket(
    @Param('token') token: string,
    @Query() query: Record<string, unknown>,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Ip() address: string,
    @ClientGone() gone: AbortSignal,
  ): Promise<string> {
    const text = await this.prints.read(token, textOf(query.token), { address, gone });
    const [type = ''] = (textOf(query.type) ?? MEDIA_TYPE).split(';');
    if (type.trim().toLowerCase() !== MEDIA_TYPE)
      throw problem('UNSUPPORTED_MEDIA_TYPE', `type: a ticket is ${MEDIA_TYPE}`);
    // not before: an error is JSON
    reply.type(`${MEDIA_TYPE}; charset=utf-8`);
    return text;
  }

  @Delete()
  @HttpCode(200)
  @Does(
    'A printer reports the end of a print',
    'Star CloudPRNT: 2xx the ticket was printed; 520 the download timed out, and the ticket is offered again; 410 no paper, 420 cover ' +
      'open, and any other code: it was not printed.',
  )
  @Refuses('TOO_MANY_AT_ONCE')
  @ApiToken()
  @ApiTicket()
  @ApiQuery({ name: 'code', required: false, type: String, description: 'such as `200 OK`' })
  @ApiOkResponse({ type: MessageView, description: 'noted' })
  async endPrint(
    @Param('token') token: string,
    @Query() query: Record<string, unknown>,
    @Ip() address: string,
    @ClientGone() gone: AbortSignal,
  ): Promise<MessageView> {
    await this.prints.end(token, textOf(query.code), textOf(query.token), { address, gone });
    return { message: 'noted' };
  }
}
