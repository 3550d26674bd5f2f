import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { SIGNING_SECRET_PREFIX } from '../../platform/secrets/token.js';

// Standard Webhooks 1.0.0, as a receiver. By hand: the library reads `1700000000abc` as a time and accepts a secret of one byte
// (decisions/055).

/** The most difference between the sender's clock and the relay's, in s, in both directions (L64). */
export const TOLERANCE_SECONDS = 300;
/** The most signatures of a request (L64). */
export const MAX_SIGNATURES = 10;

// An id may contain a dot: what is shifted between id, time and body is then not a JSON object.
const ID = /^[\x21-\x7e]{1,255}$/;
const SECONDS = /^\d{1,11}$/;
/** 32 bytes in base64. Other versions than v1 are skipped. */
const SIGNATURE = /^v1,([0-9A-Za-z+/]{43}=)$/;

/** The signature of a request, as sent. */
export interface SignedHeaders {
  readonly id: string;
  /** seconds since 1970, as sent: the text is signed */
  readonly timestamp: string;
  /** base64, of version v1 */
  readonly signatures: readonly string[];
}

/**
 * The bytes of a secret: `whsec_` and base64 of 24 to 64 bytes (V8).
 * @throws Error when the text is no such secret
 */
export function secretBytes(secret: string): Buffer {
  const text = secret.slice(SIGNING_SECRET_PREFIX.length);
  const bytes = Buffer.from(text, 'base64');
  if (
    !secret.startsWith(SIGNING_SECRET_PREFIX) ||
    bytes.toString('base64') !== text ||
    bytes.length < 24 ||
    bytes.length > 64
  )
    throw new Error('a secret of Standard Webhooks is whsec_ and base64 of 24 to 64 bytes');
  return bytes;
}

/** Reads the three headers (V8). @returns what is wrong with them as text; it depends on the headers alone */
export function readSignedHeaders(headers: IncomingHttpHeaders): SignedHeaders | string {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature } = headers;
  if (typeof id !== 'string' || !ID.test(id)) return 'webhook-id must have 1 to 255 printable ASCII characters';
  if (typeof timestamp !== 'string' || !SECONDS.test(timestamp))
    return 'webhook-timestamp must be an integer of seconds';
  const sent = typeof signature === 'string' ? signature.split(' ') : [];
  if (sent.length > MAX_SIGNATURES) return `webhook-signature must have at most ${MAX_SIGNATURES} signatures`;
  const signatures = sent.map((one) => SIGNATURE.exec(one)?.[1]).filter((one) => one !== undefined);
  if (signatures.length === 0) return 'webhook-signature must be v1, a comma and the base64 of 32 bytes';
  return { id, timestamp, signatures };
}

/** Whether one of the signatures is the HMAC-SHA256 of `id.timestamp.body`; compared in constant time. @param body the bytes as received */
export function isSigned({ id, timestamp, signatures }: SignedHeaders, body: Uint8Array, secret: Uint8Array): boolean {
  const expected = createHmac('sha256', secret).update(`${id}.${timestamp}.`).update(body).digest();
  return signatures.filter((one) => timingSafeEqual(Buffer.from(one, 'base64'), expected)).length > 0;
}

/** By how many seconds the sender's clock is ahead of the relay's; negative: behind. @param now ms since 1970 */
export function secondsAhead({ timestamp }: SignedHeaders, now: number): number {
  return Number(timestamp) - Math.floor(now / 1_000);
}
