import { HttpException, Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isSmall } from '../domain/sale-size.js';
import { within } from '../platform/database/deadline.js';
import { acceptedBody, limitBody, proveSender, type TurnOf } from '../platform/http/body/body.js';
import { ClientGoneError } from '../platform/http/client-gone.js';
import { networkOf } from '../platform/http/limits/network.js';
import { PartyTurns, sizeOf } from '../platform/http/limits/party-turns.js';
import { Tracing } from '../platform/tracing/tracing.js';
import { KeyAuthentication } from './authentication/key.authentication.js';
import { knownSinceOf, nameOf, type Sender } from './authentication/sender.js';
import { TerminalAuthentication } from './authentication/terminal.authentication.js';
import { SaleTurns } from './sale-turns.js';
import type { AcceptedView } from './webhook.dto.js';
import { WebhookService } from './webhook.service.js';

export const WEBHOOK_PATH = '/webhooks/terminal';
/** Where signed sales go (V8), as an OpenAPI path. */
export const SIGNED_WEBHOOK_PATH = `${WEBHOOK_PATH}/{keyId}`;

type SignedRequest = FastifyRequest<{ Params: { keyId: string } }>;

/** The path of a request target, which may be an absolute address (RFC 9112, 3.2.2). */
function pathOf(target: string): string {
  const [path = ''] = target.split('?', 1);
  return path.startsWith('/') ? path : path.replace(/^[^/]*\/\/[^/]*/, '');
}

/**
 * `POST /webhooks/terminal`, and `POST /webhooks/terminal/<key id>` for signed sales: authenticates the sender, reads the body, stores the
 * transaction. Plain Fastify routes: Nest's
 * layers around a controller cost as much as parsing and mapping (decisions/029). webhook.openapi.ts describes it.
 */
@Injectable()
export class WebhookRoute implements OnModuleInit {
  /** Limit of placement and storing, in ms; with the authentication's statement an answer takes at most 10 s (W25). */
  private readonly storeLimitMs: number = 5_000;

  constructor(
    private readonly server: HttpAdapterHost<FastifyAdapter>,
    private readonly authentication: TerminalAuthentication,
    private readonly keys: KeyAuthentication,
    private readonly webhooks: WebhookService,
    private readonly turns: SaleTurns,
    private readonly parties: PartyTurns,
    private readonly tracing: Tracing,
  ) {}

  onModuleInit(): void {
    const fastify = this.server.httpAdapter.getInstance();
    fastify.post(WEBHOOK_PATH, async (request, reply) => {
      const startedAt = performance.now();
      limitBody(request, this.authentication.bodyLimits);
      return this.receive(await this.authentication.authenticate(request, reply), request, reply, startedAt);
    });
    fastify.post(`${WEBHOOK_PATH}/:keyId`, async (request: SignedRequest, reply) => {
      const startedAt = performance.now();
      limitBody(request, this.authentication.bodyLimits);
      const begin = (party: string | null) => this.beginUnproven(request, reply, party);
      const sender = await this.keys.bySignature(request.params.keyId, request, reply, begin);
      return this.receive(sender, request, reply, startedAt);
    });
  }

  /**
   * Waits before the body of a signed sale is read, which shows who has sent it: by its founder where the last sender of the connection was the same; else, if the body may be
   * large, by the network (H31). Nobody waits for requests that only pretend to be of its key.
   * @param party of the key
   */
  private async beginUnproven(request: FastifyRequest, reply: FastifyReply, party: string | null): Promise<void> {
    const { sender } = request.server.connections.senderOf(request.raw.socket) ?? {};
    if (sender !== undefined && sender === party) await this.parties.begin(request, reply, sender);
    else if (sizeOf(request) !== 'small') await this.parties.begin(request, reply, `network ${networkOf(request.ip)}`);
  }

  /** @param startedAt when the request arrived, by performance.now(), ms */
  private async receive(
    sender: Sender,
    request: FastifyRequest,
    reply: FastifyReply,
    startedAt: number,
  ): Promise<AcceptedView> {
    const name = nameOf(sender);
    proveSender(request, name);
    await this.parties.begin(request, reply, name);
    let leave: (() => void) | undefined;
    const turnOf: TurnOf = (bytes) =>
      isSmall(bytes)
        ? undefined
        : async (left) => {
            leave = await this.turns.enter(bytes, name, left);
          };
    try {
      return await this.store(sender, request, reply, { startedAt, turnOf });
    } finally {
      leave?.();
    }
  }

  private async store(
    sender: Sender,
    request: FastifyRequest,
    reply: FastifyReply,
    { startedAt, turnOf }: { readonly startedAt: number; readonly turnOf: TurnOf },
  ): Promise<AcceptedView> {
    const knownSince = knownSinceOf(sender, startedAt);
    // at once, or it would not be the work of the turn
    const sale = this.webhooks.read(await this.bodyOf(sender, request, reply, turnOf));
    const current = await this.authentication.current(sender, request, knownSince);
    const unwanted = new AbortController();
    const leave = () => unwanted.abort(new ClientGoneError());
    reply.raw.once('close', leave);
    const received = {
      ...{ id: request.id, trace: this.tracing.begin(request.headers.traceparent), startedAt },
      current: () => this.authentication.current(sender, request),
    };
    const receipt = this.webhooks.receive(current, sale, received, unwanted.signal);
    // a sent answer closes the reply too; an abort then would cost the time of parsing a sale
    const ended = within(this.storeLimitMs, receipt, unwanted).finally(() => reply.raw.off('close', leave));
    const { jobId, traceId, warnings } = await ended;
    const path = pathOf(request.url);
    const answer = { success: true, jobId, traceId, receipt: `${path}/receipts/${jobId}` } as const;
    return warnings.length > 0 ? { ...answer, warnings: [...warnings] } : answer;
  }

  /** As acceptedBody. A sender whose key has ended learns nothing about the body (W1). */
  private async bodyOf(sender: Sender, request: FastifyRequest, reply: FastifyReply, turnOf: TurnOf): Promise<unknown> {
    if (sender.kind !== 'key') return acceptedBody(request, reply, turnOf);
    try {
      return await acceptedBody(request, reply, turnOf);
    } catch (error) {
      if (error instanceof HttpException) await this.keys.confirm(sender.key);
      throw error;
    }
  }
}
