import { createCipheriv, createECDH, createPublicKey, hkdfSync, randomBytes } from 'node:crypto';

const CURVE = 'prime256v1';
/** Bytes of an uncompressed point of P-256, of a device's secret, and of the salt. */
const POINT_BYTES = 65;
const AUTH_BYTES = 16;
const SALT_BYTES = 16;
/** A message is one record. */
const RECORD_BYTES = 4_096;
/** Marks the last record (RFC 8188, 2). */
const LAST_RECORD = Buffer.of(2);

/** The keys of a device, as `PushSubscription.toJSON()` gives them: base64url. */
export interface DeviceKeys {
  /** an uncompressed point of P-256 */
  readonly p256dh: string;
  /** 16 bytes */
  readonly auth: string;
}

/** The random values of one message; tests pass those of the RFC. */
export interface Randomness {
  readonly salt: Buffer;
  /** private key of P-256 */
  readonly privateKey: Buffer;
}

/** Whether a message can be encrypted for these keys: a point of the curve, and a secret of 16 bytes. */
export function areDeviceKeys({ p256dh, auth }: DeviceKeys): boolean {
  const point = bytesOf(p256dh);
  if (point?.length !== POINT_BYTES || point[0] !== 4 || bytesOf(auth)?.length !== AUTH_BYTES) return false;
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString('base64url'));
  try {
    createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y } as never, format: 'jwk' });
    return true;
  } catch {
    return false;
  }
}

/** The bytes of base64url, with or without padding; undefined when the text is something else. */
function bytesOf(text: string): Buffer | undefined {
  return /^[\w-]+={0,2}$/.test(text) ? Buffer.from(text, 'base64url') : undefined;
}

/**
 * Encrypts a message for a device (RFC 8291), with `Content-Encoding: aes128gcm` (RFC 8188).
 * @param text at most 3,993 bytes
 * @param keys see {@link areDeviceKeys}
 */
export function encryptForDevice(text: string, keys: DeviceKeys, random: Randomness = newRandomness()): Buffer {
  const sender = createECDH(CURVE);
  sender.setPrivateKey(random.privateKey);
  const publicKey = sender.getPublicKey();
  const ofDevice = Buffer.from(keys.p256dh, 'base64url');
  const derive = (secret: Buffer, salt: Buffer, info: Buffer, length: number) =>
    Buffer.from(hkdfSync('sha256', secret, salt, info, length));
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), ofDevice, publicKey]);
  const secret = derive(sender.computeSecret(ofDevice), Buffer.from(keys.auth, 'base64url'), info, 32);
  const key = derive(secret, random.salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
  const nonce = derive(secret, random.salt, Buffer.from('Content-Encoding: nonce\0'), 12);
  const cipher = createCipheriv('aes-128-gcm', key, nonce);
  const record = [cipher.update(Buffer.concat([Buffer.from(text), LAST_RECORD])), cipher.final(), cipher.getAuthTag()];
  const header = Buffer.alloc(SALT_BYTES + 5);
  random.salt.copy(header);
  header.writeUInt32BE(RECORD_BYTES, SALT_BYTES);
  header.writeUInt8(publicKey.length, SALT_BYTES + 4);
  return Buffer.concat([header, publicKey, ...record]);
}

function newRandomness(): Randomness {
  const pair = createECDH(CURVE);
  pair.generateKeys();
  return { salt: randomBytes(SALT_BYTES), privateKey: pair.getPrivateKey() };
}
