import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';

const VERSION = 'v1';
const KEY_NAME = /^[0-9a-f]{8}$/;
/** The most results in each cache. All orders need the same few results. */
const CACHED = 1_000;

/**
 * Encrypts secrets for the database with AES-256-GCM (S14). A sealed text names its key, so that keys can be rotated:
 * SECRETS_KEY seals, SECRETS_KEY and SECRETS_KEY_PREVIOUS open. `context` is the associated data that binds a sealed text to
 * its row: a text that was copied to another row does not open.
 */
@Injectable()
export class SecretBox {
  private readonly keys: ReadonlyMap<string, Buffer>;
  /** The name of SECRETS_KEY in what it encrypts; not secret. */
  readonly current: string;
  private readonly opened = new Map<string, string>();
  private readonly fingerprints = new Map<string, string>();

  constructor(private readonly config: Config) {
    const keys = [config.secretsKey, ...(config.secretsKeyPrevious ? [config.secretsKeyPrevious] : [])];
    this.keys = new Map(keys.map((key) => [keyName(key), key]));
    this.current = keyName(config.secretsKey);
  }

  /** The names of the keys with which this process decrypts. */
  get keyNames(): string[] {
    return [...this.keys.keys()];
  }

  /** Encrypts `plain` to `v1.<key name>.<iv>.<ciphertext and tag>`, iv and ciphertext in base64url. */
  seal(plain: string, context: string): string {
    const iv = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', this.config.secretsKey, iv).setAAD(Buffer.from(context));
    const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return [VERSION, this.current, iv.toString('base64url'), sealed.toString('base64url')].join('.');
  }

  /** Whether the text was sealed with SECRETS_KEY, not with the previous key. */
  isCurrent(sealedText: string): boolean {
    return sealedText.startsWith(`${VERSION}.${this.current}.`);
  }

  /** Decrypts a sealed text; undefined when its key is not configured, its context differs, or it was tampered with. */
  open(sealedText: string, context: string): string | undefined {
    // a sealed text has no line break, so the key is unique
    return cached(this.opened, `${sealedText}\n${context}`, () => this.decrypt(sealedText, context));
  }

  private decrypt(sealedText: string, context: string): string | undefined {
    const [version, name = '', iv = '', sealed = ''] = sealedText.split('.');
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

  /**
   * Signs a text that the relay gives away and gets back, by a key that is derived from SECRETS_KEY for this purpose.
   * @returns `<key name>.<HMAC-SHA256>`, the HMAC in base64url
   */
  sign(text: string, purpose: string): string {
    return `${this.current}.${macOf(this.config.secretsKey, purpose, text).toString('base64url')}`;
  }

  /** @param signature of {@link sign}; by SECRETS_KEY or SECRETS_KEY_PREVIOUS, else the key is unknown to this instance */
  verify(text: string, purpose: string, signature: string): 'right' | 'wrong' | 'unknown key' {
    const [name = '', mac = ''] = signature.split('.');
    const key = this.keys.get(name);
    if (!key) return KEY_NAME.test(name) ? 'unknown key' : 'wrong';
    const [given, right] = [Buffer.from(mac), Buffer.from(macOf(key, purpose, text).toString('base64url'))];
    return given.length === right.length && timingSafeEqual(given, right) ? 'right' : 'wrong';
  }

  /** The HMAC-SHA256 of a secret under SECRETS_KEY, in base64url: an identifier that does not reveal the secret. */
  fingerprint(secret: string): string {
    return cached(this.fingerprints, secret, () =>
      createHmac('sha256', this.config.secretsKey).update(secret).digest('base64url'),
    );
  }
}

/** The result of `compute` for this key, from the cache if possible; a full cache is emptied. */
function cached<Result extends string | undefined>(known: Map<string, string>, key: string, compute: () => Result) {
  const before = known.get(key);
  if (before !== undefined) return before as Result;
  const result = compute();
  if (known.size >= CACHED) known.clear();
  if (result !== undefined) known.set(key, result);
  return result;
}

function macOf(secretsKey: Buffer, purpose: string, text: string): Buffer {
  const key = createHmac('sha256', secretsKey).update(`key of ${purpose}`).digest();
  return createHmac('sha256', key).update(text).digest();
}

function keyName(key: Buffer): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 8);
}
