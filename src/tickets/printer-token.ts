import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const PREFIX = 'prn_';
const SECRET_BYTES = 32;
const CHECKSUM_BYTES = 4;
const TOKEN = /^prn_[\w-]{48}$/;

/** A new token of a printer: 32 random bytes and their CRC-32, with a prefix that secret scanners can recognize. */
export function newPrinterToken(): string {
  const secret = randomBytes(SECRET_BYTES);
  return PREFIX + Buffer.concat([secret, checksumOf(secret)]).toString('base64url');
}

/**
 * Whether a text may be a token. The checksum keeps texts that were made up from the database (K3); it is no protection by itself, which
 * the 256 random bits are.
 */
export function isPrinterToken(text: string): boolean {
  if (!TOKEN.test(text)) return false;
  const bytes = Buffer.from(text.slice(PREFIX.length), 'base64url');
  return bytes.subarray(SECRET_BYTES).equals(checksumOf(bytes.subarray(0, SECRET_BYTES)));
}

/** The stored form of a token: an unsalted digest, which can be indexed. It is safe because a token has 256 bits of entropy. */
export function digestOfPrinterToken(token: string): string {
  return hash('sha256', token, 'hex');
}

function checksumOf(secret: Uint8Array): Buffer {
  const checksum = Buffer.alloc(CHECKSUM_BYTES);
  checksum.writeUInt32BE(crc32(secret));
  return checksum;
}
