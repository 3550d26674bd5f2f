import { createDecipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto';

/** The browser's side of web push: a subscription, and the decryption of RFC 8291 as its section 3 has it. */
export class Browser {
  private readonly pair = createECDH('prime256v1');
  private readonly secret = randomBytes(16);

  constructor(readonly endpoint: string) {
    this.pair.generateKeys();
  }

  /** `PushSubscription.toJSON()` */
  get subscription() {
    const keys = { p256dh: this.pair.getPublicKey('base64url'), auth: this.secret.toString('base64url') };
    return { endpoint: this.endpoint, keys };
  }

  /** The text of one record of `aes128gcm`. @throws when it was not encrypted for this browser */
  decrypt(message: Buffer): string {
    const salt = message.subarray(0, 16);
    const recordSize = message.readUInt32BE(16);
    const sender = message.subarray(21, 21 + message.readUInt8(20));
    const record = message.subarray(21 + sender.length);
    if (record.length > recordSize) throw new Error('more than one record');
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), this.pair.getPublicKey(), sender]);
    const shared = hkdfSync('sha256', this.pair.computeSecret(sender), this.secret, info, 32);
    const derive = (name: string, length: number) =>
      Buffer.from(hkdfSync('sha256', Buffer.from(shared), salt, `Content-Encoding: ${name}\0`, length));
    const decipher = createDecipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12));
    decipher.setAuthTag(record.subarray(-16));
    const plain = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()]);
    const end = plain.lastIndexOf(2);
    if (plain.subarray(end + 1).some((byte) => byte !== 0)) throw new Error('wrong padding');
    return plain.subarray(0, end).toString('utf8');
  }
}
