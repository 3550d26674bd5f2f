import { Controller, HttpCode, Ip, Post, Req, Res, UseFilters } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '../../auth/principal.js';
import { limitBody, readBytes } from '../../platform/http/body/body.js';
import { ReadsOwnBody } from '../../platform/http/body/own-body.js';
import { ClientGone } from '../../platform/http/client-gone.js';
import { Does } from '../../platform/http/does.js';
import { Refuses } from '../../platform/http/openapi/errors.js';
import { problem } from '../../platform/http/problem.js';
import { TokenView } from './open-delivery.dto.js';
import { PosTokens, TOKEN_SECONDS } from './pos-tokens.js';
import { StandardErrors } from './standard-errors.filter.js';

const FORM = 'application/x-www-form-urlencoded';
const MAX_BYTES = 4_096;

/** The sign-in of a POS that pulls (Q3). */
@Public()
@UseFilters(StandardErrors)
@ApiTags('open delivery')
@Controller('oauth')
export class OauthController {
  constructor(private readonly tokens: PosTokens) {}

  @Post('token')
  @HttpCode(200)
  @ReadsOwnBody(FORM)
  @ApiConsumes(FORM)
  @ApiBody({
    schema: {
      type: 'object',
      required: ['grant_type', 'client_id', 'client_secret'],
      properties: {
        grant_type: { type: 'string', enum: ['client_credentials'] },
        client_id: { type: 'string' },
        client_secret: { type: 'string' },
      },
    },
  })
  @Refuses('UNAUTHENTICATED', 'TOO_MANY_AT_ONCE', 'TOO_MANY_BODIES')
  @Does('A POS signs in', 'Open Delivery: the credentials that the set-up of the restaurant made.')
  @ApiOkResponse({ type: TokenView, description: 'a token; it ends with its credentials' })
  async issueToken(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Ip() address: string,
    @ClientGone() gone: AbortSignal,
  ): Promise<TokenView> {
    limitBody(request, {
      bytes: MAX_BYTES,
      depth: 1,
      keys: 1,
      values: 1,
      keepsUnknown: false,
      code: 'VALIDATION_FAILED',
    });
    const bytes = await readBytes(request, reply);
    if (!bytes) throw problem('PAYLOAD_TOO_LARGE', `the form is longer than ${MAX_BYTES} bytes`);
    const form = new URLSearchParams(bytes.toString('utf8'));
    const fieldOf = (name: string) => form.get(name) ?? '';
    if (fieldOf('grant_type') !== 'client_credentials')
      throw problem('VALIDATION_FAILED', ['grant_type must be client_credentials']);
    reply.header('Cache-Control', 'no-store');
    return {
      access_token: await this.tokens.issue(fieldOf('client_id'), fieldOf('client_secret'), { address, gone }),
      token_type: 'bearer',
      expires_in: TOKEN_SECONDS,
    };
  }
}
