// Tokens of sender keys, as the specification describes them (V2).
import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const CHECKSUM_LENGTH = 6;

/** Random characters. */
export const base62 = (length) => Array.from(randomBytes(length), (byte) => DIGITS[byte % DIGITS.length]).join('');

/** A new token of this key id, with a right checksum. */
export function tokenOf(keyId) {
  const text = `rly_${keyId}_${base62(30)}`;
  let rest = crc32(text);
  let checksum = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    checksum = DIGITS[rest % DIGITS.length] + checksum;
    rest = Math.floor(rest / DIGITS.length);
  }
  return text + checksum;
}

/** The form in which the relay stores a token. */
export const digestOf = (token) => hash('sha256', token, 'hex');
