import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

/** Minimal X.509 certificates in DER: Node can read certificates but not create them. */

export interface Certificate {
  readonly cert: string;
  readonly key: string;
}
export interface Authority {
  readonly name: string;
  readonly key: KeyObject;
  readonly cert: string;
}
interface Options {
  /** an IP address of four parts, or a name */
  readonly host?: string;
  readonly from?: Date;
  readonly to?: Date;
}

const DAY_MS = 86_400_000;
const ECDSA_SHA256 = seq(oid('2a8648ce3d040302'));

export function authority(name: string): Authority {
  const { privateKey, publicKey } = keys();
  const isAuthority = extension('551d13', seq(der(0x01, Buffer.from([0xff]))));
  return { name, key: privateKey, cert: certificate(name, publicKey, { name, key: privateKey }, isAuthority, {}) };
}

/** @param by undefined: signed by its own key */
export function serverCertificate(
  by: Authority | undefined,
  { host = '127.0.0.1', ...options }: Options = {},
): Certificate {
  const { privateKey, publicKey } = keys();
  const isAddress = /^\d+\.\d+\.\d+\.\d+$/.test(host);
  const name = isAddress ? der(0x87, Buffer.from(host.split('.').map(Number))) : der(0x82, Buffer.from(host));
  const issuer = by ?? { name: 'itself', key: privateKey };
  const cert = certificate(by ? 'the POS' : 'itself', publicKey, issuer, extension('551d11', seq(name)), options);
  return { cert, key: String(privateKey.export({ type: 'pkcs8', format: 'pem' })) };
}

function certificate(
  subject: string,
  publicKey: KeyObject,
  issuer: { readonly name: string; readonly key: KeyObject },
  extensions: Buffer,
  { from = new Date(Date.now() - DAY_MS), to = new Date(Date.now() + DAY_MS) }: Options,
): string {
  const body = seq(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1 + Math.floor(Math.random() * 126)])),
    ECDSA_SHA256,
    named(issuer.name),
    seq(time(from), time(to)),
    named(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, seq(extensions)),
  );
  const signature = der(0x03, Buffer.concat([Buffer.from([0]), sign('sha256', body, issuer.key)]));
  const base64 = seq(body, ECDSA_SHA256, signature).toString('base64');
  return `-----BEGIN CERTIFICATE-----\n${base64.replaceAll(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`;
}

const keys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });

function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function seq(...parts: Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts));
}

function oid(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, 'hex'));
}

/** commonName */
function named(text: string): Buffer {
  return seq(der(0x31, seq(oid('550403'), der(0x0c, Buffer.from(text)))));
}

function time(at: Date): Buffer {
  return der(0x17, Buffer.from(`${at.toISOString().slice(2, 19).replaceAll(/[-:T]/g, '')}Z`));
}

function extension(id: string, value: Buffer): Buffer {
  return seq(oid(id), der(0x04, value));
}
