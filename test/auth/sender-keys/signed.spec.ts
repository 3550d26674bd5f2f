import { randomUUID } from 'node:crypto';
import { type IncomingMessage, request as rawRequest } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { newKeyId } from '../../../src/auth/sender-keys/token.js';
import { sale } from '../../support/client.js';
import type { TestRelay } from '../../support/relay.js';
import { Scenario } from '../../support/scenario.js';
import { markedKey } from '../../support/secrets.js';
import { keysOf, nowSeconds, type ShownKey, sendBy, signatureOf } from './keys.js';

const LIMIT = 4_096;

interface Sent {
  readonly id?: string;
  readonly at?: number | string;
  readonly secret?: string;
  readonly signature?: string;
  readonly type?: string;
  /** sent instead of the body that is signed */
  readonly body?: string;
  readonly relay?: TestRelay;
}

describe('V8: signed sales', () => {
  const scenario = Scenario.ofSuite({ BODY_LIMIT_BYTES: String(LIMIT) });
  let relay: TestRelay;
  let restaurantId: string;
  let owner: string;
  let key: ShownKey;

  beforeAll(async () => {
    relay = scenario.relay;
    ({ id: restaurantId, token: owner } = await scenario.restaurant());
    key = await keys().create({ kind: 'SIGNING' });
  });

  const keys = () => keysOf(relay, restaurantId, owner);
  const text = (fields: object = {}) => JSON.stringify(sale({ storeCode: undefined, ...fields }));

  /** Posts this text with its signature. */
  function send(signed: string, { keyId, secret }: Pick<ShownKey, 'keyId' | 'secret'> = key, sent: Sent = {}) {
    const { id = 'msg_1', at = nowSeconds(), type = 'application/json' } = sent;
    return (sent.relay ?? relay).http
      .post(`/webhooks/terminal/${keyId}`)
      .set('Content-Type', type)
      .set('webhook-id', id)
      .set('webhook-timestamp', String(at))
      .set('webhook-signature', sent.signature ?? signatureOf(sent.secret ?? secret, id, at, signed))
      .send(sent.body ?? signed);
  }
  const refused = async (call: ReturnType<typeof send>) => {
    const { body } = await call.expect(401);
    expect(body.code).toBe('UNAUTHENTICATED');
    return body.message as string;
  };

  test('a sale with the signature of the library is stored for the restaurant of the key (V7, V8)', async () => {
    const body = text();
    const signature = new Webhook(key.secret).sign('msg_9', new Date(nowSeconds() * 1_000), body);
    const { jobId } = (await send(body, key, { id: 'msg_9', signature }).expect(200)).body;
    const [job] = await scenario.database.query('SELECT restaurant_id FROM outbox_jobs WHERE id = $1', [jobId]);
    expect(job?.restaurant_id).toBe(restaurantId);
    expect(key.path).toBe(`/webhooks/terminal/${key.keyId}`);
  });

  test('the bytes as sent are signed: odd whitespace, escapes, other letters (V8)', async () => {
    const odd = (body: string) => `\r\n ${body.replaceAll(',', ' ,\t').replace('Pizza', '\\u0050izza')}\n\n`;
    await send(odd(text({ note: 'café ☕' }))).expect(200);
    const body = text();
    expect(await refused(send(body, key, { body: `${body} ` }))).toContain('no signature is that of this body');
    expect(await refused(send(body, key, { body: JSON.stringify(JSON.parse(body), null, 1) }))).toContain(
      'no signature',
    );
  });

  test('a byte order mark is part of what is signed (V8)', async () => {
    await send(`\ufeff${text()}`).expect(200);
  });

  test.each([
    ['another secret', { secret: `whsec_${Buffer.alloc(32, 7).toString('base64')}` }],
    ['a signature of another id', { id: 'msg_2', signature: signatureOf(markedKey('x'), 'msg_1', 0, '') }],
    [
      'eleven signatures',
      {
        signature: Array(11)
          .fill(`v1,${'A'.repeat(43)}=`)
          .join(' '),
      },
    ],
    ['no version', { signature: 'A'.repeat(44) }],
    ['text after the time', { at: `${nowSeconds()}abc` }],
    ['an empty id', { id: '' }],
  ])('%s: 401 (V8)', async (_, sent) => {
    await refused(send(text(), key, sent));
  });

  test('300 s are tolerated both ways; beyond, a right signature learns the difference, a wrong one does not (V9, L64)', async () => {
    await send(text(), key, { at: nowSeconds() - 295 }).expect(200);
    await send(text(), key, { at: nowSeconds() + 300 }).expect(200);
    const late = await refused(send(text(), key, { at: nowSeconds() - 412 }));
    expect(late).toMatch(/the signature is right, but webhook-timestamp is 41[23] s behind the clock of the relay/);
    expect(await refused(send(text(), key, { at: nowSeconds() + 3_600 }))).toMatch(/(3600|3599) s ahead of the clock/);
    expect(await refused(send(text(), key, { at: 0, secret: `whsec_${'A'.repeat(32)}` }))).not.toContain('clock');
  });

  test('with a wrong signature nothing is said about the body (W1, V9)', async () => {
    const wrong = { secret: `whsec_${'A'.repeat(32)}` };
    const bodies = [text(), '{', '', 'x'.repeat(LIMIT + 1), JSON.stringify({ transactionKey: 1 })];
    const messages = await Promise.all(bodies.map((body) => refused(send(body, key, wrong))));
    expect(new Set(messages).size).toBe(1);
    expect(await refused(send(text(), key, { ...wrong, type: 'text/plain' }))).toBe(messages[0]);
    // what is longer than the limit cannot be verified
    expect(await refused(send('x'.repeat(LIMIT + 1)))).toBe(messages[0]);
  });

  test('with a right signature a body is judged as at the other route (V8)', async () => {
    expect((await send('{').expect(400)).body.code).toBe('INVALID_JSON');
    expect((await send('').expect(400)).body.code).toBe('INVALID_TRANSACTION');
    expect((await send(text({ transactionKey: '' })).expect(400)).body.code).toBe('INVALID_TRANSACTION');
    expect((await send(text(), key, { type: 'text/plain' }).expect(415)).body.code).toBe('UNSUPPORTED_MEDIA_TYPE');
  });

  /** Sends headers, and of the body nothing. */
  function withoutBody(keyId: string, headers: Record<string, string> = {}): Promise<number | undefined> {
    return new Promise((resolve, reject) => {
      const call = rawRequest(`${relay.url}/webhooks/terminal/${keyId}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'content-length': '100', ...headers },
      });
      call.on('response', ({ statusCode }) => {
        resolve(statusCode);
        call.destroy();
      });
      call.on('error', reject);
      call.flushHeaders();
    });
  }

  test('an unknown key id, a revoked one and a malformed header are a 401 before the body arrives (W1, V9)', async () => {
    const revoked = await keys().create({ kind: 'SIGNING' });
    await send(text(), revoked).expect(200);
    await keys().revoke(revoked.id).expect(200);
    for (const id of [newKeyId(), revoked.keyId, 'short', 'x'.repeat(300), '%00%00%00%00', '..%2f..%2fab'])
      expect(await withoutBody(id)).toBe(401);
    expect(await withoutBody(key.keyId)).toBe(401);
  });

  test('a body that is too long in parts is a 401, and the connection is closed (V9)', async () => {
    const { statusCode, headers } = await new Promise<IncomingMessage>((resolve, reject) => {
      const call = rawRequest(`${relay.url}/webhooks/terminal/${key.keyId}`, {
        method: 'POST',
        headers: {
          ...{ 'content-type': 'application/json', 'webhook-id': 'a', 'webhook-timestamp': String(nowSeconds()) },
          'webhook-signature': `v1,${'A'.repeat(43)}=`,
        },
      });
      call.on('response', resolve).on('error', reject);
      // in chunks, and it does not end
      call.write('x'.repeat(LIMIT));
      call.write('x'.repeat(LIMIT));
    });
    expect([statusCode, headers.connection]).toEqual([401, 'close']);
  });

  test('a revoked key sends no signed sale on another instance that knows it (V5)', async () => {
    const other = await scenario.start();
    const one = await keys().create({ kind: 'SIGNING' });
    await send(text(), one, { relay: other }).expect(200);
    await keys().revoke(one.id).expect(200);
    await refused(send(text(), one, { relay: other }));
  });

  test('a token is no signing key, and a signing key no token (V1)', async () => {
    const token = await keys().create();
    await refused(send(text(), { keyId: token.keyId, secret: key.secret }));
    await sendBy(relay, key.secret).expect(401);
    await keys().revoke(token.id).expect(200);
  });

  test('in a rotation a request may carry the signatures of both keys (V3, V8)', async () => {
    const fresh = (await keys().rotate(key.id).expect(201)).body.data as ShownKey;
    const [body, at] = [text(), nowSeconds()];
    const signature = [key, fresh].map(({ secret }) => signatureOf(secret, 'msg_1', at, body)).join(' ');
    await send(body, key, { at, signature }).expect(200);
    await send(text(), fresh, { at }).expect(200);
    const again = await send(body, fresh, { at, signature }).expect(400);
    expect(again.body.code).toBe('DUPLICATE_TRANSACTION');
    await keys().revoke(fresh.id).expect(200);
  });

  test('a repeated request is a duplicate: it stores nothing (V8, W20)', async () => {
    const [body, at] = [text(), nowSeconds()];
    await send(body, key, { at }).expect(200);
    expect((await send(body, key, { at }).expect(400)).body.code).toBe('DUPLICATE_TRANSACTION');
  });

  test('of a platform key: the sale names the restaurant (V7)', async () => {
    const platform = await keysOf(relay, null, await relay.login()).create({ kind: 'SIGNING', scopes: ['sales:test'] });
    await send(text({ restaurantId, isTestTransaction: true }), platform).expect(200);
    expect((await send(text({ restaurantId }), platform).expect(403)).body.code).toBe('MISSING_SCOPE');
    expect(
      (await send(text({ isTestTransaction: true, storeCode: randomUUID() }), platform).expect(400)).body.code,
    ).toBe('UNKNOWN_STORE');
  });

  test('S14: secrets are encrypted again after a change of SECRETS_KEY; without the key a sale is a 503, never a 401', async () => {
    const { SECRETS_KEY } = scenario.environment;
    const stored = async () =>
      (await scenario.database.query('SELECT secret FROM sender_keys WHERE id = $1', [key.id]))[0]?.secret as string;
    const before = await stored();
    const lost = await scenario.start({ SECRETS_KEY: markedKey('other') });
    const { body, headers } = await send(text(), key, { relay: lost }).expect(503);
    expect(body.code).toBe('SECRET_UNREADABLE');
    expect(headers['retry-after']).toBe('2');
    await lost.hasLogged('sender_key.secret_lost');
    const next = await scenario.start({ SECRETS_KEY: markedKey('next'), SECRETS_KEY_PREVIOUS: SECRETS_KEY as string });
    await send(text(), key, { relay: next }).expect(200);
    expect(await stored()).not.toBe(before);
    const last = await scenario.start({ SECRETS_KEY: markedKey('next') });
    await send(text(), key, { relay: last }).expect(200);
  });
});
