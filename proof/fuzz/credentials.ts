import { createHmac } from 'node:crypto';
import type { Random } from '../random.js';
import { hostileText } from './texts.js';

const HEADERS = [
  { alg: 'none', typ: 'JWT' },
  { alg: 'None' },
  { alg: 'HS256', typ: 'JWT' },
  { alg: 'HS384' },
  { alg: 'HS512' },
  { alg: 'RS256' },
  { alg: 'ES256' },
  { alg: '' },
  { alg: null },
  { alg: ['HS256'] },
  { alg: 'HS256', kid: '../../../../dev/null' },
  { alg: 'HS256', jku: 'http://127.0.0.1:1/' },
  { alg: 'HS256', crit: ['exp'] },
  { alg: 'HS256', b64: false },
  {},
] as const;
const KEYS = ['', 'secret', 'changeme', '\0'.repeat(32), 'a secret of somebody else, long enough for HS256'];

/** Values of the header `Authorization` that authenticate no user: invalid tokens and other texts. */
const NONSENSE: readonly ((random: Random, token: string) => string)[] = [
  (random) => `Bearer ${forged(random)}`,
  (random) => `Bearer ${forged(random)}`,
  // a good one, cut, lengthened, or with another character
  (random, token) => `Bearer ${token.slice(0, random.below(token.length))}`,
  (random, token) => `Bearer ${token}${random.pick(['.', '=', 'A', '.a.b'])}`,
  (random, token) => `Bearer ${altered(token, random)}`,
  (_, token) => `Bearer ${token.split('.').slice(0, 2).join('.')}.`,
  (_, token) => `Bearer ${token}, Bearer ${token}`,
  (_, token) => `Basic ${token}`,
  (_, token) => `Token ${token}x`,
  () => 'Bearer',
  () => 'Bearer ..',
  () => 'Bearer a.b.c',
  (random) => `Bearer ${headerText(hostileText(random))}`,
  (random) => headerText(hostileText(random)),
  (random) => `Digest username="${headerText(hostileText(random))}"`,
  (random) => `Bearer ${'A'.repeat(2 ** random.below(13))}`,
];

/** @param token a JWT that is valid, to be spoiled */
export function nonsenseAuthorization(random: Random, token: string): string {
  return random.pick(NONSENSE)(random, token);
}

/** `Basic` credentials of no user; most cannot be decoded, and cost no password check. */
export function nonsenseBasic(random: Random): string {
  const text = random.pick([
    '',
    ':',
    'nobody',
    ':password',
    'a@b.example:',
    hostileText(random),
    `a@b.example\0:${hostileText(random)}`,
  ]);
  return `Basic ${random.chance(0.7) ? Buffer.from(text).toString('base64') : headerText(text)}`;
}

function forged(random: Random): string {
  const claims = {
    sub: random.pick(['00000000-0000-0000-0000-000000000000', 1, null, {}, [], hostileText(random)]),
    email: hostileText(random),
    role: random.pick(['ADMIN', 'USER', 1, ['ADMIN'], null]),
    ver: random.pick([0, 1, -1, 'x', null, 1e308]),
    exp: random.pick([0, -1, 1e308, 'never', null, 4_102_444_800, undefined]),
    nbf: random.pick([undefined, 4_102_444_800, 'x']),
  };
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const header = random.chance(0.9)
    ? part(random.pick(HEADERS))
    : Buffer.from(hostileText(random)).toString('base64url');
  const payload = random.chance(0.9) ? part(claims) : Buffer.from(hostileText(random)).toString('base64url');
  const signature = createHmac('sha256', random.pick(KEYS)).update(`${header}.${payload}`).digest('base64url');
  return `${header}.${payload}.${random.pick([signature, '', signature.slice(1), 'x'.repeat(300)])}`;
}

/** With one character of its first two parts replaced: the last of a signature may hold no bit that counts. */
function altered(token: string, random: Random): string {
  const at = random.below(token.lastIndexOf('.'));
  return `${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`;
}

/** What can stand in a header, so that the request itself stays readable. */
export function headerText(text: string): string {
  return text.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '?').trim();
}
