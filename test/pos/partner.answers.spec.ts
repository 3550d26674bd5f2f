import type { Meaning } from '../../src/domain/outcome.js';
import type { PosWireSettings } from '../../src/platform/config/pos-config.js';
import { readAnswer } from '../../src/pos/answer.js';
import { partner } from '../../src/pos/vendors/partner/partner.js';

const RULES: PosWireSettings = { duplicateErrorCodes: new Set([904]), temporaryErrorCodes: new Set([950]) };

/** An HTTP response; a body that is an object is sent as JSON. */
interface Sent {
  readonly status: number;
  readonly body?: string | Record<string, unknown>;
  readonly retryAfter?: string;
}

const NOW = Date.UTC(2026, 2, 1, 12);

function read({ status, body = '', retryAfter }: Sent, settings = RULES, secrets: string[] = []) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const exchange = { kind: 'answered', status, retryAfter, body: text, broken: false } as const;
  const answer = readAnswer(exchange, partner(settings), NOW, secrets);
  if (answer.kind !== 'answered') throw new Error('an exchange that was answered is an answer');
  return answer;
}

function meaning(status: number, body: Sent['body'] = '', settings = RULES): Meaning {
  return read({ status, body }, settings).meaning;
}

// test/domain/outcome.spec.ts has the table of statuses and meanings
describe('the error codes of the vendor', () => {
  test.each([200, 301, 400, 404, 429, 500])('901 and 902 with HTTP %i: authentication (D8)', (status) => {
    expect([901, 902].map((errorCode) => meaning(status, { errorCode }))).toEqual(Array(2).fill('authentication'));
  });

  test.each([900, 903, 12])('%i with HTTP 400: no meaning, permanent (D13)', (errorCode) => {
    expect(meaning(400, { errorCode })).toBe('refused');
  });

  test.each([301, 400, 404, 422, 429, 500])('one of POS_TEMPORARY_ERROR_CODES with HTTP %i (D10)', (status) => {
    expect(meaning(status, { errorCode: 950 })).toBe('temporary');
  });

  test.each<[number, Meaning]>([
    [400, 'duplicate'],
    [409, 'refused'],
    [422, 'refused'],
    [500, 'temporary'],
  ])('one of POS_DUPLICATE_ERROR_CODES with HTTP %i: %s (D12)', (status, expected) => {
    expect(meaning(status, { errorCode: 904 })).toBe(expected);
  });

  test.each([
    ['a code of POS_PRODUCT_ERROR_CODES', { errorCode: 31, message: 'unknown store' }, 'product'],
    ['a code of POS_STORE_ERROR_CODES', { errorCode: 32, message: 'unknown product' }, 'store'],
    ['the message, of a product', { errorCode: 9, message: 'Unknown integration_code NH-09' }, 'product'],
    ['the message, of a product, in Portuguese', { message: 'Produto não cadastrado' }, 'product'],
    ['the message, of the store', { errorCode: 9, message: 'cod_store 7O01 is unknown' }, 'store'],
    ['the message, of the store, in Portuguese', { errorMessage: 'Loja inativa' }, 'store'],
    ['the message, of the credentials', { message: 'partner_id is not allowed here' }, 'credentials'],
    ['a message that says neither', { errorCode: 9, message: 'the kitchen is closed' }, undefined],
    ['no message', {}, undefined],
  ])('what a refusal is about, by %s (O47)', (_, body, subject) => {
    const settings = { ...RULES, productErrorCodes: new Set([31]), storeErrorCodes: new Set([32]) };
    const exchange = { kind: 'answered', status: 422, body: JSON.stringify(body), broken: false } as const;
    expect(readAnswer({ ...exchange, retryAfter: undefined }, partner(settings), NOW, [])).toMatchObject(
      subject === undefined ? { meaning: 'refused' } : { meaning: 'refused', subject },
    );
  });

  test('each configured code counts, and no other', () => {
    const settings = { duplicateErrorCodes: new Set([904, 17]), temporaryErrorCodes: new Set<number>() };
    const meanings = [904, 17, 18, 950].map((errorCode) => meaning(400, { errorCode }, settings));
    expect(meanings).toEqual(['duplicate', 'duplicate', 'refused', 'refused']);
    expect(meaning(400, { errorCode: 904 }, { duplicateErrorCodes: new Set() })).toBe('refused');
  });

  test('by default 904 is the duplicate code, and no code is temporary', () => {
    expect([904, 950].map((errorCode) => meaning(400, { errorCode }, {}))).toEqual(['duplicate', 'refused']);
  });

  test.each([
    ['a temporary error code', { errorCode: 950 }],
    ['a duplicate error code', { errorCode: 904 }],
    ['another error code', { errorCode: 12, message: 'unknown product' }],
    ['text that is not JSON', '<html>'],
  ])('a 2xx with %s: delivered', (_, body) => {
    expect(meaning(200, body)).toBe('delivered');
  });
});

describe('an answer', () => {
  test.each(['UNKNOWN', 'NOT_SENT'] as const)('a call without an answer keeps its reach: %s', (reach) => {
    const exchange = { kind: 'unanswered', reach, code: 'ECONNRESET', message: 'a\nsecret' } as const;
    expect(readAnswer(exchange, partner({}), NOW, ['secret'])).toEqual({ ...exchange, message: 'a [secret]' });
  });
});

describe('the error body', () => {
  test.each([
    ['message', { errorCode: 12, message: 'unknown product' }, '12', 'unknown product'],
    ['errorMessage', { errorCode: 12, errorMessage: 'unknown product' }, '12', 'unknown product'],
    ['a code in text', { errorCode: '12', message: 'x' }, '12', 'x'],
    ['the code 0', { errorCode: 0 }, '0', null],
    ['a code that is not a whole number', { errorCode: 1.5 }, null, null],
    ['a message that is an object', { message: { why: 1 } }, null, '{"why":1}'],
    ['text that is not JSON', '<html>no</html>', null, '<html>no</html>'],
    ['nothing', '', null, null],
  ])('%s', (_, body, errorCode, message) => {
    expect(read({ status: 422, body })).toMatchObject({ errorCode, message });
  });

  test('the message is cut to 500 characters, and secrets are replaced', () => {
    const { message } = read({ status: 422, body: { message: `s3cr3t ${'x'.repeat(900)}` } }, RULES, ['s3cr3t']);
    expect(message).toBe(`[secret] ${'x'.repeat(491)}`);
  });

  test.each([
    ['seconds', '30', 30_000],
    ['an HTTP date', new Date(NOW + 60_000).toUTCString(), 60_000],
    ['more digits than a number has', '9'.repeat(400), 3_600_000],
    ['seconds beyond an hour', '9999999999', 3_600_000],
    ['a date beyond an hour', new Date(NOW + 86_400_000).toUTCString(), 3_600_000],
    ['a date that has passed', new Date(NOW - 60_000).toUTCString(), null],
    ['anything else', 'soon', null],
  ])('Retry-After in %s', (_, retryAfter, retryAfterMs) => {
    expect(read({ status: 503, retryAfter })).toMatchObject({ retryAfterMs });
  });
});

describe('the token in the answer to the sign-in (T2)', () => {
  const jwt = (exp: number) => `h.${Buffer.from(JSON.stringify({ exp })).toString('base64url')}.s`;
  const { readToken } = partner({}).signIn;

  test.each([
    ['token', { token: 't' }, 't', null],
    ['access_token', { access_token: 't' }, 't', null],
    ['accessToken', { accessToken: 't' }, 't', null],
    ['below data', { data: { token: 't', expires_in: 60 } }, 't', 60_000],
    ['with expires_in in seconds', { token: 't', expires_in: '90' }, 't', 90_000],
    ['a JWT with exp', { token: jwt(NOW / 1_000 + 60) }, jwt(NOW / 1_000 + 60), 60_000],
    ['an expired JWT', { token: jwt(NOW / 1_000 - 60) }, jwt(NOW / 1_000 - 60), null],
  ])('%s', (_, body, token, expiresInMs) => {
    expect(readToken(JSON.stringify(body), NOW)).toEqual({ token, expiresInMs });
  });

  test.each(['{"token":"t"}\0', '{"token":"t"}<html>', 'Notice: {}\n{"token":"t"}', '{"ms":1}{"token":"t","x":"\n"};'])(
    'it is in the first object that has one: %j (D6)',
    (body) => expect(readToken(body, NOW)).toEqual({ token: 't', expiresInMs: null }),
  );

  test.each(['{"token":"t","expires_in":36', '{"token":"t",oops}', '{"data":{"token":"t"},'])(
    'there is none in an object that is cut or faulty: %j',
    (body) => expect(readToken(body, NOW)).toBeUndefined(),
  );

  test.each(['', 'no JSON', '[]', '{}', '{"token":12}', '{"data":null}'])('there is none in %p', (body) => {
    expect(readToken(body, NOW)).toBeUndefined();
  });
});
