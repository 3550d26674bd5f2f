import { randomInt, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { digestOf } from '../../platform/secrets/token.js';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const KEY_ID_LENGTH = 8;
const SECRET_LENGTH = 30;
const CHECKSUM_LENGTH = 6;
const KEY_ID = /^[0-9A-Za-z]{8}$/;
const TOKEN = /^rly_([0-9A-Za-z]{8})_[0-9A-Za-z]{36}$/;

/** A new key id: 8 random characters of base62. It is no secret (V1). */
export function newKeyId(): string {
  return randomDigits(KEY_ID_LENGTH);
}

/** Whether a text has the shape of a key id. */
export function isKeyId(text: string): boolean {
  return KEY_ID.test(text);
}

/** A new token of a key (V2): 30 random characters of base62 (178 bits) and a checksum, with a prefix for secret scanners. */
export function newKeyToken(keyId: string): string {
  const text = `rly_${keyId}_${randomDigits(SECRET_LENGTH)}`;
  return text + checksumOf(text);
}

/** Whether a text has the shape of a token. Its checksum may be wrong. */
export function isTokenShaped(text: string): boolean {
  return TOKEN.test(text);
}

/**
 * The key id of a token.
 * @returns undefined when the text is not a token, or its checksum is wrong: it then costs no query (V2). The checksum is no protection by
 *   itself, which the random characters are.
 */
export function keyIdOf(token: string): string | undefined {
  const [, keyId] = TOKEN.exec(token) ?? [];
  const end = token.length - CHECKSUM_LENGTH;
  return keyId !== undefined && checksumOf(token.slice(0, end)) === token.slice(end) ? keyId : undefined;
}

/** Whether the token has this digest; takes the same time for every token. */
export function hasDigest(token: string, digest: string): boolean {
  const [sent, stored] = [Buffer.from(digestOf(token)), Buffer.from(digest)];
  return sent.length === stored.length && timingSafeEqual(sent, stored);
}

/** CRC-32 of the text in base62: it covers the key id too, so that most typing errors cost no query. */
function checksumOf(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    digits = DIGITS[rest % DIGITS.length] + digits;
    rest = Math.floor(rest / DIGITS.length);
  }
  return digits;
}

function randomDigits(length: number): string {
  return Array.from({ length }, () => DIGITS[randomInt(DIGITS.length)]).join('');
}
