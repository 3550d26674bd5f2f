import { Webhook } from 'standardwebhooks';
import {
  isSigned,
  readSignedHeaders,
  type SignedHeaders,
  secondsAhead,
  secretBytes,
} from '../../../src/auth/sender-keys/signature.js';
import { newSigningSecret } from '../../../src/platform/secrets/token.js';
import { signatureOf } from './keys.js';

/** The example of the specification. Its secret has 18 bytes, so it is no secret that the specification, or the relay, allows. */
const VECTOR = {
  secret: 'whsec_plJ3nmyCDGBKInavdOK15jsl',
  id: 'msg_loFOjxBNrRLzqYUf',
  timestamp: '1731705121',
  body: '{"event_type":"ping","data":{"success":true}}',
  signature: 'v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0=',
};
const headersOf = (changes: Record<string, string | string[] | undefined> = {}) => ({
  'webhook-id': VECTOR.id,
  'webhook-timestamp': VECTOR.timestamp,
  'webhook-signature': VECTOR.signature,
  ...changes,
});
const read = (changes?: Record<string, string | string[] | undefined>) => readSignedHeaders(headersOf(changes));
const signed = (changes?: Record<string, string>, body: string | Buffer = VECTOR.body, secret = VECTOR.secret) =>
  isSigned(
    read(changes) as SignedHeaders,
    Buffer.from(body),
    secret === VECTOR.secret ? Buffer.from(secret.slice(6), 'base64') : secretBytes(secret),
  );

describe('V8: signatures of Standard Webhooks 1.0.0', () => {
  test('the example of the specification is right (V8)', () => {
    expect(signatureOf(VECTOR.secret, VECTOR.id, VECTOR.timestamp, VECTOR.body)).toBe(VECTOR.signature);
    expect(signed()).toBe(true);
  });

  test('what the library signs is right here, for secrets of 24 to 64 bytes and any body (V8)', () => {
    for (const bytes of [24, 25, 32, 63, 64]) {
      const secret = `whsec_${Buffer.alloc(bytes, bytes).toString('base64')}`;
      for (const body of ['', '{}', ' {"a" :\t1}\r\n', '{"café":"☕ 🍕"}']) {
        const signature = new Webhook(secret).sign('msg_1', new Date(1_731_705_121_000), body);
        const changes = { 'webhook-id': 'msg_1', 'webhook-signature': signature };
        expect(signed(changes, body, secret)).toBe(true);
        expect(signed(changes, `${body} `, secret)).toBe(false);
      }
    }
  });

  test('the library accepts a new secret, and what is signed with it (V8)', () => {
    const secret = newSigningSecret();
    const timestamp = String(Math.floor(Date.now() / 1_000));
    const headers = {
      ...{ 'webhook-id': 'msg_2', 'webhook-timestamp': timestamp },
      'webhook-signature': signatureOf(secret, 'msg_2', timestamp, '{"a":1}'),
    };
    expect(new Webhook(secret).verify('{"a":1}', headers)).toEqual({ a: 1 });
    expect(secretBytes(secret)).toHaveLength(32);
  });

  test.each([
    ['no webhook-id', { 'webhook-id': undefined }, 'webhook-id'],
    ['an empty id', { 'webhook-id': '' }, 'webhook-id'],
    ['an id with a space, as two headers give', { 'webhook-id': 'a, b' }, 'webhook-id'],
    ['an id of 256 characters', { 'webhook-id': 'a'.repeat(256) }, 'webhook-id'],
    ['an id that is not ASCII', { 'webhook-id': 'msg_\u00e9' }, 'webhook-id'],
    ['no time', { 'webhook-timestamp': undefined }, 'webhook-timestamp'],
    ['text after the time', { 'webhook-timestamp': '1700000000abc' }, 'webhook-timestamp'],
    ['a fraction', { 'webhook-timestamp': '1700000000.5' }, 'webhook-timestamp'],
    ['a negative time', { 'webhook-timestamp': '-1' }, 'webhook-timestamp'],
    ['an exponent', { 'webhook-timestamp': '17e8' }, 'webhook-timestamp'],
    ['a hexadecimal time', { 'webhook-timestamp': '0x65' }, 'webhook-timestamp'],
    ['a time in ms', { 'webhook-timestamp': '1731705121000' }, 'webhook-timestamp'],
    ['a time of the ISO', { 'webhook-timestamp': '2026-01-31T20:00:00Z' }, 'webhook-timestamp'],
    ['two times', { 'webhook-timestamp': '1731705121, 1731705121' }, 'webhook-timestamp'],
    ['no signature', { 'webhook-signature': undefined }, 'webhook-signature'],
    ['an empty signature', { 'webhook-signature': '' }, 'webhook-signature'],
    ['another version', { 'webhook-signature': VECTOR.signature.replace('v1,', 'v1a,') }, 'webhook-signature'],
    ['no version', { 'webhook-signature': VECTOR.signature.slice(3) }, 'webhook-signature'],
    ['a short signature', { 'webhook-signature': 'v1,AAAA' }, 'webhook-signature'],
    ['base64url', { 'webhook-signature': VECTOR.signature.replaceAll('/', '_') }, 'webhook-signature'],
    ['no padding', { 'webhook-signature': VECTOR.signature.slice(0, -1) }, 'webhook-signature'],
    ['eleven signatures', { 'webhook-signature': Array(11).fill(VECTOR.signature).join(' ') }, 'at most 10'],
    ['eleven empty signatures', { 'webhook-signature': ' '.repeat(10) }, 'at most 10'],
  ])('%s is refused by the header alone (V8)', (_, changes, message) => {
    expect(read(changes)).toContain(message);
  });

  test.each([
    ['another id', { 'webhook-id': 'msg_other' }],
    ['another time', { 'webhook-timestamp': '1731705122' }],
    ['a leading zero', { 'webhook-timestamp': '01731705121' }],
    ['another signature', { 'webhook-signature': `v1,${'A'.repeat(43)}=` }],
  ])('%s is a wrong signature (V8)', (_, changes) => {
    expect(signed(changes)).toBe(false);
  });

  test('one right signature of ten is enough, with other versions among them (V8)', () => {
    const wrong = `v1,${'A'.repeat(43)}=`;
    expect(signed({ 'webhook-signature': [...Array(9).fill(wrong), VECTOR.signature].join(' ') })).toBe(true);
    expect(signed({ 'webhook-signature': `v1a,abc ${VECTOR.signature} v2,x` })).toBe(true);
  });

  test.each([
    ...['', 'whsec_', 'whsec_AA==', VECTOR.secret, 'plJ3nmyCDGBKInavdOK15jsl', 'whsec_plJ3nmyCDGBKInavdOK15js!'],
    `whsec_${Buffer.alloc(23).toString('base64')}`,
    `whsec_${Buffer.alloc(65).toString('base64')}`,
  ])('the secret %j is refused (V8)', (secret) => {
    expect(() => secretBytes(secret)).toThrow('24 to 64 bytes');
  });

  test('how far the clock of the sender is off (V9)', () => {
    const now = 1_731_705_121_999;
    expect(secondsAhead(read() as SignedHeaders, now)).toBe(0);
    expect(secondsAhead(read({ 'webhook-timestamp': '1731705422' }) as SignedHeaders, now)).toBe(301);
    expect(secondsAhead(read({ 'webhook-timestamp': '1731704820' }) as SignedHeaders, now)).toBe(-301);
  });
});
