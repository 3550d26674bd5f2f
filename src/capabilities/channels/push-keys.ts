import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { PrismaService } from '../../platform/database/prisma.service.js';
import { platformKeyContext } from '../../platform/secrets/contexts.js';
import { SecretBox } from '../../platform/secrets/secret-box.js';

const NAME = 'push';
/** Validity of a signature: push services allow 24 h at most (RFC 8292, 2); seconds. */
const VALID_SECONDS = 12 * 3_600;

/** The key pair with which all instances sign for push services (G23). */
export interface PushKey {
  /** an uncompressed point of P-256 in base64url: `applicationServerKey` of the browsers */
  readonly publicKey: string;
  /** undefined: SECRETS_KEY does not decrypt it */
  readonly privateKey: KeyObject | undefined;
}

/** Makes and reads the {@link PushKey}. */
@Injectable()
export class PushKeys {
  private known: PushKey | undefined;

  constructor(
    private readonly prisma: PrismaService,
    private readonly box: SecretBox,
  ) {}

  /** The key pair; the first call of the platform makes it. @throws the database's error */
  async read(): Promise<PushKey> {
    if (this.known?.privateKey) return this.known;
    const found = (await this.find()) ?? (await this.make());
    const sealed = this.box.open(found.privateKey, platformKeyContext(NAME));
    this.known = {
      publicKey: found.publicKey,
      privateKey: sealed === undefined ? undefined : createPrivateKey({ key: JSON.parse(sealed), format: 'jwk' }),
    };
    return this.known;
  }

  private find() {
    return this.prisma.platformKey.findUnique({ where: { name: NAME } });
  }

  /** Of instances that make a pair at the same time, one stores its own; all read this one. */
  private async make() {
    const jwk = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });
    const [x = '', y = ''] = [jwk.x, jwk.y];
    const point = Buffer.concat([Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
    const privateKey = this.box.seal(JSON.stringify(jwk), platformKeyContext(NAME));
    const data = { name: NAME, publicKey: point.toString('base64url'), privateKey };
    await this.prisma.platformKey.createMany({ data: [data], skipDuplicates: true });
    return this.prisma.platformKey.findUniqueOrThrow({ where: { name: NAME } });
  }
}

/**
 * The header `Authorization` for a push service (RFC 8292).
 * @param origin of the push service
 * @param contact ALERT_CONTACT
 * @param now epoch ms
 */
export function pushAuthorization(
  { publicKey, privateKey }: { readonly publicKey: string; readonly privateKey: KeyObject },
  origin: string,
  contact: string,
  now: number,
): string {
  const claims = { aud: origin, exp: Math.floor(now / 1_000) + VALID_SECONDS, sub: contact };
  const signed = [{ typ: 'JWT', alg: 'ES256' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  const signature = sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `vapid t=${signed}.${signature.toString('base64url')}, k=${publicKey}`;
}
