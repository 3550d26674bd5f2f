import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { within } from '../database/deadline.js';
import { acceptedBody, limitBody } from '../http/body.js';
import { ClientGoneError } from '../http/client-gone.js';
import { TerminalAuthentication } from './authentication/terminal.authentication.js';
import type { AcceptedView } from './webhook.dto.js';
import { WebhookService } from './webhook.service.js';

/** With the statement of the authentication, which has its own deadline, the answer takes 10 s at most (W25), in ms. */
const STORE_LIMIT_MS = 5_000;

export const WEBHOOK_PATH = '/webhooks/terminal';

/**
 * `POST /webhooks/terminal`: authenticates the sender, reads the body, stores the transaction. A route of Fastify's own: the
 * layers in which Nest wraps a controller would take as long as all the rest. webhook.openapi.ts describes it; its errors are
 * answered by the error filter, as everywhere.
 */
@Injectable()
export class WebhookRoute implements OnModuleInit {
  constructor(
    private readonly server: HttpAdapterHost<FastifyAdapter>,
    private readonly authentication: TerminalAuthentication,
    private readonly webhooks: WebhookService,
  ) {}

  onModuleInit(): void {
    const fastify = this.server.httpAdapter.getInstance();
    fastify.post(WEBHOOK_PATH, (request, reply) => this.receive(request, reply));
  }

  private async receive(request: FastifyRequest, reply: FastifyReply): Promise<AcceptedView> {
    limitBody(request, this.authentication.bodyLimits);
    const sender = await this.authentication.authenticate(request, reply);
    const body = await acceptedBody(request, reply);
    const unwanted = new AbortController();
    const leave = () => unwanted.abort(new ClientGoneError());
    reply.raw.once('close', leave);
    const receipt = this.webhooks.receive(sender, body, request.id, unwanted.signal);
    // an answer that is sent closes it too: an abort for every sale would cost as much as its parsing
    const ended = within(STORE_LIMIT_MS, receipt, unwanted).finally(() => reply.raw.off('close', leave));
    const { jobId, warnings } = await ended;
    return warnings.length > 0 ? { success: true, jobId, warnings: [...warnings] } : { success: true, jobId };
  }
}
