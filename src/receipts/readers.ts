import { HttpStatus, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { problem } from '../http/problem.js';
import { LastUsed } from '../sender-keys/last-used.js';
import { KeyAuthentication } from '../webhook/authentication/key.authentication.js';
import type { Sender } from '../webhook/authentication/sender.js';
import { TerminalAuthentication } from '../webhook/authentication/terminal.authentication.js';
import type { Reader } from './receipts-reader.js';

/** Who asks for receipts: the senders of sales, by their own credentials (V20). */
@Injectable()
export class Readers {
  constructor(
    private readonly authentication: TerminalAuthentication,
    private readonly keys: KeyAuthentication,
    private readonly lastUsed: LastUsed,
  ) {}

  /** @throws 401, 403 MISSING_SCOPE, 429; 503 as for a sale */
  async byCredentials(request: FastifyRequest, reply: FastifyReply): Promise<Reader> {
    return this.readerOf(await this.authentication.authenticate(request, reply));
  }

  /** By the signature of a request without a body (V23). @throws 401, 403 MISSING_SCOPE */
  async bySignature(keyId: string, request: FastifyRequest, reply: FastifyReply): Promise<Reader> {
    return this.readerOf(await this.keys.bySignature(keyId, request, reply));
  }

  private async readerOf(sender: Sender): Promise<Reader> {
    if (sender.kind === 'terminal') return { id: 'platform', restaurantIds: null };
    if (sender.kind === 'user')
      return { id: sender.owner.id, restaurantIds: sender.owner.restaurants.map(({ id }) => id) };
    const { key } = sender;
    // a key is known for a time: whether it still works is read, as the statement of a sale would
    await this.keys.confirm(key);
    if (!key.scopes.includes('receipts:read'))
      throw problem(HttpStatus.FORBIDDEN, 'MISSING_SCOPE', 'receipts need a key with the scope receipts:read');
    this.lastUsed.note(key.id);
    return { id: key.id, restaurantIds: key.restaurantId === null ? null : [key.restaurantId] };
  }
}
