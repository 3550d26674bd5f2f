import { type HttpException, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type EndedKey, isUnreadable, type KnownKey, KnownKeys } from '../../auth/sender-keys/known-keys.js';
import { RefusedKeys } from '../../auth/sender-keys/refused-keys.js';
import { maySend } from '../../auth/sender-keys/scopes.js';
import { isSigned, readSignedHeaders, secondsAhead, TOLERANCE_SECONDS } from '../../auth/sender-keys/signature.js';
import { hasDigest, isKeyId, keyIdOf } from '../../auth/sender-keys/token.js';
import type { RefusalReason } from '../../domain/refusal-reason.js';
import { forgetBody, readBytes } from '../../platform/http/body/body.js';
import { problem, withLogFields } from '../../platform/http/problem.js';
import type { Sender } from './sender.js';

// one exception for all requests: making the stack of each cost a tenth of a refusal (decisions/064)
const WRONG_TOKEN = unauthenticated('the token of the sender key is wrong, revoked or expired');
const WRONG_KEY_ID = unauthenticated('no signing key of this id works');
const WRONG_SIGNATURE = unauthenticated('no signature is that of this body and key, or the body is too large');

const UNREADABLE = 'this instance cannot decrypt the secret of the key: this was not stored; send it again';
/** A load balancer leads the repetition to another instance. */
const RETRY_AFTER_SECONDS = 2;

/** Authenticates senders by their keys (V): by a token, or by the signature of a sale. */
@Injectable()
export class KeyAuthentication {
  constructor(
    private readonly keys: KnownKeys,
    private readonly refused: RefusedKeys,
  ) {}

  /** @throws 401 UNAUTHENTICATED; NotWrittenError when too many key ids wait to be read (V6) */
  async byToken(token: string): Promise<Sender> {
    const keyId = keyIdOf(token);
    const key = keyId === undefined ? undefined : await this.keys.find(keyId);
    if (key?.tokenHash != null && hasDigest(token, key.tokenHash)) return { kind: 'key', key };
    const named = key ?? (keyId === undefined ? undefined : this.keys.ended(keyId));
    // of an ended key only who has its token is its sender
    const isOfSender = named && 'reason' in named && named.tokenHash !== null && hasDigest(token, named.tokenHash);
    throw this.refusal(WRONG_TOKEN, named, isOfSender ? named.reason : 'wrong_token');
  }

  /**
   * Authenticates a request to `/webhooks/terminal/<key id>` (V8). Reads the body unless key id or headers are wrong.
   * @param begin is awaited before the body is read, with the party of the key; null: the platform's, or of an ended key
   * @throws 401 UNAUTHENTICATED; 503 SECRET_UNREADABLE when no key decrypts the secret, or TOO_MANY_BODIES (W43); ClientGoneError;
   * NotWrittenError when too many key ids wait to be read (V6)
   */
  async bySignature(
    keyId: string,
    request: FastifyRequest,
    reply: FastifyReply,
    begin: (party: string | null) => Promise<void> = async () => {},
  ): Promise<Sender> {
    const key = isKeyId(keyId) ? await this.keys.find(keyId) : undefined;
    if (!key) {
      const ended = this.keys.ended(keyId);
      if (ended?.secret != null) await begin(null);
      const isOfSender = ended?.secret != null && (await this.isSignedBy(ended.secret, request, reply));
      throw this.refusal(WRONG_KEY_ID, ended, isOfSender ? ended.reason : 'wrong_signature');
    }
    if (key.tokenHash !== null) throw this.refusal(WRONG_KEY_ID, key, 'wrong_signature');
    const signed = readSignedHeaders(request.headers);
    if (typeof signed === 'string') throw this.refusal(unauthenticated(signed), key, 'wrong_signature');
    await begin(key.party);
    const body = await readBytes(request, reply);
    // one answer for a wrong signature and for a body that is too long to be read (W1)
    if (isUnreadable(key)) {
      forgetBody(request);
      throw problem('SECRET_UNREADABLE', UNREADABLE, RETRY_AFTER_SECONDS);
    }
    if (!body || !key.secret || !isSigned(signed, body, key.secret)) {
      forgetBody(request);
      throw this.refusal(WRONG_SIGNATURE, key, 'wrong_signature');
    }
    const ahead = secondsAhead(signed, Date.now());
    if (Math.abs(ahead) > TOLERANCE_SECONDS) {
      const wrongClock = unauthenticated(
        `the signature is right, but webhook-timestamp is ${Math.abs(ahead)} s ${ahead > 0 ? 'ahead of' : 'behind'} the clock of the ` +
          `relay; at most ${TOLERANCE_SECONDS} s are allowed`,
      );
      throw this.refusal(wrongClock, key, 'wrong_clock');
    }
    return { kind: 'key', key };
  }

  /** Whether who sends this has the secret of an ended key; reads the body unless the headers are wrong. At whatever time it was signed. */
  private async isSignedBy(secret: Uint8Array, request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
    const signed = readSignedHeaders(request.headers);
    if (typeof signed === 'string') return false;
    const body = await readBytes(request, reply);
    forgetBody(request);
    return body !== undefined && isSigned(signed, body, secret);
  }

  /**
   * Checks in the database that the key works now, before an answer says anything about the body (W1, V5).
   * @throws 401 UNAUTHENTICATED
   */
  async confirm({ keyId, tokenHash }: KnownKey): Promise<void> {
    if (await this.keys.read(keyId)) return;
    const named = this.keys.ended(keyId);
    throw this.refusal(tokenHash === null ? WRONG_KEY_ID : WRONG_TOKEN, named, named?.reason ?? 'revoked');
  }

  /** Why the statement refused a sale of this key. @throws 401 UNAUTHENTICATED, 403 MISSING_SCOPE; returns when it is not for the key */
  async refuse(key: KnownKey, testMode: boolean): Promise<void> {
    await this.confirm(key);
    if (maySend(key.scopes, testMode)) return;
    const needed = testMode ? 'sales:write or sales:test' : 'sales:write';
    throw problem('MISSING_SCOPE', `this sale needs a key with the scope ${needed}`);
  }

  /** Counts the refusal of a known key (V40), whose public id and restaurant then stand in the log line; the answer says nothing of either. */
  private refusal(error: HttpException, key: KnownKey | EndedKey | undefined, reason: RefusalReason): HttpException {
    if (!key) return error;
    this.refused.note(key.id, reason);
    return withLogFields(error, { keyId: key.keyId, restaurantId: key.restaurantId, reason });
  }
}

function unauthenticated(message: string) {
  return problem('UNAUTHENTICATED', message);
}
