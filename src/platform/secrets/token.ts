import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const BYTES = 32;
const CHECKSUM_BYTES = 4;

/** A new token: 32 random bytes in base64url. @param prefix lets secret scanners recognize it, such as `inv_` */
export function newToken(prefix = ''): string {
  return prefix + randomBytes(BYTES).toString('base64url');
}

/** As {@link newToken}, with a CRC-32 of the bytes, so that texts that were made up cost no query. */
export function newCheckedToken(prefix: string): string {
  const secret = randomBytes(BYTES);
  return prefix + Buffer.concat([secret, checksumOf(secret)]).toString('base64url');
}

/** Whether a text may be a token of {@link newCheckedToken}. The checksum is no protection by itself, which the 256 random bits are. */
export function isCheckedToken(prefix: string, text: string): boolean {
  const encoded = text.slice(prefix.length);
  if (!text.startsWith(prefix) || !/^[\w-]{48}$/.test(encoded)) return false;
  const bytes = Buffer.from(encoded, 'base64url');
  return bytes.subarray(BYTES).equals(checksumOf(bytes.subarray(0, BYTES)));
}

/** Whether a text may be a token of {@link newToken} without a prefix. It has no checksum. */
export function isPlainToken(text: string): boolean {
  return /^[\w-]{43}$/.test(text);
}

/** The stored form of a token: SHA-256 in hex, unsalted, so that it can be indexed. It is safe because a token has 178 random bits or more. */
export function digestOf(token: string): string {
  return hash('sha256', token, 'hex');
}

export const SIGNING_SECRET_PREFIX = 'whsec_';

/** A new secret of Standard Webhooks: `whsec_` and the base64 of 32 random bytes. */
export function newSigningSecret(): string {
  return `${SIGNING_SECRET_PREFIX}${randomBytes(BYTES).toString('base64')}`;
}

function checksumOf(secret: Uint8Array): Buffer {
  const checksum = Buffer.alloc(CHECKSUM_BYTES);
  checksum.writeUInt32BE(crc32(secret));
  return checksum;
}
