import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isUnreadable, type KnownKey, KnownKeys } from '../../auth/sender-keys/known-keys.js';
import { maySend } from '../../auth/sender-keys/scopes.js';
import { isSigned, readSignedHeaders, secondsAhead, TOLERANCE_SECONDS } from '../../auth/sender-keys/signature.js';
import { hasDigest, isKeyId, keyIdOf } from '../../auth/sender-keys/token.js';
import { forgetBody, readBytes } from '../../platform/http/body/body.js';
import { problem } from '../../platform/http/problem.js';
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
  constructor(private readonly keys: KnownKeys) {}

  /** @throws 401 UNAUTHENTICATED; NotWrittenError when too many key ids wait to be read (V6) */
  async byToken(token: string): Promise<Sender> {
    const keyId = keyIdOf(token);
    const key = keyId === undefined ? undefined : await this.keys.find(keyId);
    if (!key || key.tokenHash === null || !hasDigest(token, key.tokenHash)) throw WRONG_TOKEN;
    return { kind: 'key', key };
  }

  /**
   * Authenticates a request to `/webhooks/terminal/<key id>` (V8). Reads the body unless key id or headers are wrong.
   * @throws 401 UNAUTHENTICATED; 503 SECRET_UNREADABLE when no key decrypts the secret, or TOO_MANY_BODIES (W43); ClientGoneError;
   * NotWrittenError when too many key ids wait to be read (V6)
   */
  async bySignature(keyId: string, request: FastifyRequest, reply: FastifyReply): Promise<Sender> {
    const key = isKeyId(keyId) ? await this.keys.find(keyId) : undefined;
    if (!key || key.tokenHash !== null) throw WRONG_KEY_ID;
    const signed = readSignedHeaders(request.headers);
    if (typeof signed === 'string') throw unauthenticated(signed);
    const body = await readBytes(request, reply);
    // one answer for a wrong signature and for a body that is too long to be read (W1)
    if (isUnreadable(key)) {
      forgetBody(request);
      throw problem('SECRET_UNREADABLE', UNREADABLE, RETRY_AFTER_SECONDS);
    }
    if (!body || !key.secret || !isSigned(signed, body, key.secret)) {
      forgetBody(request);
      throw WRONG_SIGNATURE;
    }
    const ahead = secondsAhead(signed, Date.now());
    if (Math.abs(ahead) > TOLERANCE_SECONDS)
      throw unauthenticated(
        `the signature is right, but webhook-timestamp is ${Math.abs(ahead)} s ${ahead > 0 ? 'ahead of' : 'behind'} the clock of the ` +
          `relay; at most ${TOLERANCE_SECONDS} s are allowed`,
      );
    return { kind: 'key', key };
  }

  /**
   * Checks in the database that the key works now, before an answer says anything about the body (W1, V5).
   * @throws 401 UNAUTHENTICATED
   */
  async confirm({ keyId, tokenHash }: KnownKey): Promise<void> {
    if (!(await this.keys.read(keyId))) throw tokenHash === null ? WRONG_KEY_ID : WRONG_TOKEN;
  }

  /** Why the statement refused a sale of this key. @throws 401 UNAUTHENTICATED, 403 MISSING_SCOPE; returns when it is not for the key */
  async refuse(key: KnownKey, testMode: boolean): Promise<void> {
    await this.confirm(key);
    if (maySend(key.scopes, testMode)) return;
    const needed = testMode ? 'sales:write or sales:test' : 'sales:write';
    throw problem('MISSING_SCOPE', `this sale needs a key with the scope ${needed}`);
  }
}

function unauthenticated(message: string) {
  return problem('UNAUTHENTICATED', message);
}
