import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Config } from './config.js';

const VERSION = 'v1';

/**
 * Encrypts what must not lie readable in the database (AES-256-GCM). A box names the key it was closed with, so that keys
 * can be rotated: SECRETS_KEY closes, SECRETS_KEY_PREVIOUS still opens. `context` ties a box to its row: one copied to
 * another row does not open.
 */
@Injectable()
export class SecretBox {
  private readonly keys: ReadonlyMap<string, Buffer>;
  private readonly current: string;

  constructor(private readonly config: Config) {
    const keys = [config.secretsKey, ...(config.secretsKeyPrevious ? [config.secretsKeyPrevious] : [])];
    this.keys = new Map(keys.map((key) => [keyName(key), key]));
    this.current = keyName(config.secretsKey);
  }

  close(plain: string, context: string): string {
    const iv = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', this.config.secretsKey, iv).setAAD(Buffer.from(context));
    const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return [VERSION, this.current, iv.toString('base64url'), sealed.toString('base64url')].join('.');
  }

  /** Whether SECRETS_KEY itself closed this box. */
  isCurrent(box: string): boolean {
    return box.startsWith(`${VERSION}.${this.current}.`);
  }

  /** undefined when no key of ours opens it: the key was lost, or the row was tampered with. */
  open(box: string, context: string): string | undefined {
    const [version, name = '', iv = '', sealed = ''] = box.split('.');
    const key = this.keys.get(name);
    if (version !== VERSION || !key) return undefined;
    const bytes = Buffer.from(sealed, 'base64url');
    try {
      const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(iv, 'base64url'), { authTagLength: 16 });
      decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(-16));
      return Buffer.concat([decipher.update(bytes.subarray(0, -16)), decipher.final()]).toString('utf8');
    } catch {
      return undefined;
    }
  }

  /** A name for a secret that does not let anyone guess it. */
  fingerprint(secret: string): string {
    return createHmac('sha256', this.config.secretsKey).update(secret).digest('base64url');
  }
}

function keyName(key: Buffer): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 8);
}
