import { type CanActivate, createParamDecorator, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LastUsed } from '../../auth/sender-keys/last-used.js';
import { forgetBody, proveSender } from '../../platform/http/body/body.js';
import { PartyTurns } from '../../platform/http/limits/party-turns.js';
import { problem } from '../../platform/http/problem.js';
import { KeyAuthentication } from '../../webhook/authentication/key.authentication.js';
import { knownSinceOf, nameOf, type Sender } from '../../webhook/authentication/sender.js';
import { TerminalAuthentication } from '../../webhook/authentication/terminal.authentication.js';
import type { Reader } from './receipts-reader.js';

type ReceiptsRequest = FastifyRequest<{ Params: { keyId?: string } }> & { reader?: Reader };

/** Parameter decorator: the {@link Reader} of the request, set by ReaderGuard. */
export const CallingReader = createParamDecorator(
  (_: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<ReceiptsRequest>().reader,
);

/** Who asks for receipts: the senders of sales, by their own credentials, or with a key id in the path by a signature (V20, V23). */
@Injectable()
export class ReaderGuard implements CanActivate {
  constructor(
    private readonly authentication: TerminalAuthentication,
    private readonly keys: KeyAuthentication,
    private readonly lastUsed: LastUsed,
    private readonly turns: PartyTurns,
  ) {}

  /** @throws 401, 403 MISSING_SCOPE, 429; 503 as for a sale */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<ReceiptsRequest>();
    const reply = http.getResponse<FastifyReply>();
    const { keyId } = request.params;
    const startedAt = performance.now();
    const authenticated =
      keyId === undefined
        ? await this.authentication.authenticate(request, reply)
        : await this.keys.bySignature(keyId, request, reply);
    const knownSince = knownSinceOf(authenticated, startedAt);
    const name = nameOf(authenticated);
    // a poll may wait long
    forgetBody(request);
    await this.turns.begin(request, reply, name);
    const sender = await this.authentication.current(authenticated, request, knownSince);
    request.reader = { ...(await this.readerOf(sender, request)), rests: () => this.turns.rest(request) };
    proveSender(request, name);
    return true;
  }

  private async readerOf(sender: Sender, request: ReceiptsRequest): Promise<Reader> {
    if (sender.kind === 'terminal') return { id: 'platform', restaurantIds: null, isCurrent: async () => true };
    if (sender.kind === 'user') {
      const restaurantIds = ownedBy(sender);
      const isCurrent = async () => {
        const now = ownedBy(await this.authentication.current(sender, request));
        return restaurantIds.every((id) => now.includes(id));
      };
      return { id: sender.owner.id, restaurantIds, isCurrent };
    }
    const { key } = sender;
    // a key is known for a time: whether it still works is read, as the statement of a sale would
    await this.keys.confirm(key);
    if (!key.scopes.includes('receipts:read'))
      throw problem('MISSING_SCOPE', 'receipts need a key with the scope receipts:read');
    this.lastUsed.note(key.id);
    const isCurrent = () => this.keys.confirm(key).then(() => true);
    return { id: key.id, restaurantIds: key.restaurantId === null ? null : [key.restaurantId], isCurrent };
  }
}

/** The restaurants of which a user reads receipts: as for a sale, a link that others made says nothing about the person (W11). */
function ownedBy(sender: Sender): string[] {
  return sender.kind === 'user' ? sender.owner.restaurants.filter(({ own }) => own).map(({ id }) => id) : [];
}
