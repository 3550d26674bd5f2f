import { Log } from '../../src/platform/telemetry/log.js';
import { Metrics } from '../../src/platform/telemetry/metrics.js';
import { lookForSecrets, violations } from '../runner/verdict.js';
import { PARTNER } from './environment.js';
import { Scenario } from './scenario.js';
import { leakIn, MARK, marked, secretsIn } from './secrets.js';

const SECRET = `${marked('a "secret"')}\n&%ü`;
const each = (write: (byte: number) => string) => [...Buffer.from(SECRET)].map(write).join('');
const code = (character: string) => character.charCodeAt(0);

/** Texts that contain a secret in an encoding. */
const ENCODED: Record<string, string> = {
  'as it is': `HTTP 400: bad secret ${SECRET}`,
  'in small letters': SECRET.toLowerCase(),
  'a part of it': `... ${MARK} ...`,
  ...Object.fromEntries(
    ['', 'u', 'u:'].flatMap((before) =>
      (['base64', 'base64url', 'hex'] as const).map((encoding) => [
        `in ${encoding}, after ${before.length} bytes`,
        Buffer.from(before + SECRET).toString(encoding),
      ]),
    ),
  ),
  'in hex, in capitals': Buffer.from(SECRET).toString('hex').toUpperCase(),
  'as a part of a URL': encodeURIComponent(SECRET),
  'as a part of a URL, every character escaped': each((byte) => `%${byte.toString(16).padStart(2, '0')}`),
  'as a part of a URL, escaped twice': encodeURIComponent(each((byte) => `%${byte.toString(16).padStart(2, '0')}`)),
  'in base64, in a URL': encodeURIComponent(Buffer.from(SECRET).toString('base64')),
  'in JSON': JSON.stringify({ SECRET }),
  'in JSON, every character escaped': [...SECRET].map((c) => `\\u${code(c).toString(16).padStart(4, '0')}`).join(''),
  'in JSON in JSON': JSON.stringify(
    JSON.stringify([...SECRET].map((c) => `\\u${code(c).toString(16).padStart(4, '0')}`)),
  ).replaceAll(/"|,/g, ''),
  'in HTML, every character escaped': each((byte) => `&#${byte};`),
  'as a Buffer in JSON': JSON.stringify(Buffer.from(SECRET)),
};

describe('the search for secrets in logs, errors and answers (H10)', () => {
  test.each(Object.entries(ENCODED))('finds one %s', (_, text) => {
    expect(secretsIn(`before ${text} after`)).not.toEqual([]);
  });

  test('finds a JWT, a password hash and an encrypted secret', () => {
    const part = 'a'.repeat(43);
    expect(secretsIn(`Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.${part}`)).toEqual(['a JWT']);
    expect(secretsIn(`$2b$12$${'a'.repeat(53)}`)).toEqual(['a password hash']);
    expect(secretsIn(`v1.0a1b2c3d.${'a'.repeat(16)}.${part}`)).toEqual(['an encrypted secret']);
  });

  test('accepts other texts', () => {
    for (const text of [
      '',
      'HTTP 400: secret is wrong',
      '%zz \\u00zz &#x; 100 %',
      Buffer.from('another').toString('hex'),
    ])
      expect(secretsIn(text)).toEqual([]);
  });

  test('accepts a JWT in the answer of a login only, and no password there', () => {
    const jwt = `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.${'a'.repeat(43)}`;
    expect(leakIn('POST /auth/login', jwt)).toBeUndefined();
    expect(leakIn('GET /auth/me', jwt)).toMatch(/^a secret \(a JWT\) in GET \/auth\/me/);
    expect(leakIn('POST /auth/login', marked('password'))).toMatch(/plain/);
  });
});

test('accepts an invitation token in the answer of its creation only', () => {
  const token = `inv_${'a'.repeat(43)}`;
  expect(leakIn('POST /restaurants/7f3b1c1e-0000-4000-8000-000000000000/invitations', token)).toBeUndefined();
  expect(leakIn('GET /restaurants/7f3b1c1e-0000-4000-8000-000000000000/invitations', token)).toMatch(/an invitation/);
  expect(leakIn('the log', token)).toMatch(/an invitation/);
});

describe('the search covers all output of a relay', () => {
  const scenario = Scenario.ofSuite();

  /** The violations so far, removed so that this test does not fail. */
  const found = () => violations.splice(0);
  const ours = PARTNER.secret;

  test('log lines', () => {
    scenario.relay.get(Log).info({ event: 'any', deep: { error: `refused ${ours}` } });
    expect(found()).toEqual([expect.stringMatching(/^a secret \(plain\) in the log/)]);
  });

  test('metrics, at the end', async () => {
    const relay = await scenario.start();
    relay.get(Metrics).signIns.inc({ result: ours });
    await relay.close();
    expect(found()).toEqual([expect.stringMatching(/^a secret \(plain\) in the metrics/)]);
  });

  test('answers and their headers', async () => {
    await scenario.relay.http.get('/health').set('X-Request-Id', MARK);
    expect(found()).toEqual([expect.stringMatching(/^a secret \(plain\) in GET \/health/)]);
  });

  test('the documentation page', async () => {
    for (const path of ['/docs', '/docs-json', '/docs/swagger-ui-init.js']) {
      const { text } = await scenario.relay.http.get(path).redirects(1).expect(200);
      lookForSecrets(path, text);
    }
    expect(found()).toEqual([]);
  });

  test('all tables of its database, at the end of the suite', async () => {
    const leaking = await Scenario.open();
    const { id, sell } = await leaking.restaurant('STORE-9');
    await sell();
    await leaking.database.query(`UPDATE outbox_jobs SET last_error = $1`, [Buffer.from(ours).toString('base64')]);
    await leaking.database.query('UPDATE restaurants SET pos_secret = $1 WHERE id = $2', [ours, id]);
    await expect(leaking.close()).rejects.toThrow(
      /\(base64 .* in table outbox_jobs: .*\n.*\(plain\) in table restaurants: /,
    );
  });
});
