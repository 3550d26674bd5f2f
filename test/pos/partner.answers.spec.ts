import type { PosWireSettings } from '../../src/config/pos-config.js';
import { type Meaning, outcomeOf } from '../../src/domain/outcome.js';
import { readAnswer } from '../../src/pos/answer.js';
import { partner } from '../../src/pos/vendors/partner/partner.js';

const RULES: PosWireSettings = { duplicateErrorCodes: new Set([904]), temporaryErrorCodes: new Set([950]) };

/** An answer as it comes over the wire: its status, and a body as text or as JSON. */
interface Sent {
  readonly status: number;
  readonly body?: string | Record<string, unknown>;
  readonly broken?: boolean;
  readonly retryAfter?: string;
}

const NOW = Date.UTC(2026, 2, 1, 12);

function read({ status, body = '', broken = false, retryAfter }: Sent, settings = RULES, secrets: string[] = []) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const exchange = { kind: 'answered', status, retryAfter, body: text, broken } as const;
  const answer = readAnswer(exchange, partner(settings), NOW, secrets);
  if (answer.kind !== 'answered') throw new Error('an exchange that was answered is an answer');
  return answer;
}

function meaning(status: number, body: Sent['body'] = '', { broken = false, settings = RULES } = {}): Meaning {
  return read({ status, body, broken }, settings).meaning;
}

const AUTHENTICATION_CODES = [901, 902];
const ANY_STATUS = [200, 201, 204, 299, 301, 302, 400, 404, 409, 422, 429, 500, 503];
const NOT_2XX = [301, 302, 400, 404, 409, 422, 429, 500, 503];
const OTHER_4XX = [402, 404, 405, 406, 409, 410, 411, 412, 413, 414, 415, 418, 423, 424, 426, 428, 431, 451, 499];

describe('the table "POS answers"', () => {
  describe('any 2xx is SENT', () => {
    test.each([200, 201, 202, 204, 299])('%i', (status) => {
      expect(meaning(status)).toBe('delivered');
    });

    test.each([
      ['a temporary error code', { errorCode: 950 }],
      ['a duplicate error code', { errorCode: 904 }],
      ['any other error code', { errorCode: 12, message: 'unknown product' }],
      ['text that is not JSON', '<html>'],
    ])('whatever its body: %s', (_, body) => {
      expect(meaning(200, body)).toBe('delivered');
    });

    test('also when its body breaks off', () => {
      expect(meaning(200, '', { broken: true })).toBe('delivered');
    });
  });

  describe('an authentication failure signs in again (D8)', () => {
    test.each(ANY_STATUS.flatMap((status) => AUTHENTICATION_CODES.map((errorCode) => ({ status, errorCode }))))(
      'errorCode $errorCode with HTTP $status',
      ({ status, errorCode }) => {
        expect(meaning(status, { errorCode })).toBe('authentication');
      },
    );

    test.each([401, 403])('HTTP %i without an error code', (status) => {
      expect(meaning(status)).toBe('authentication');
    });

    test.each([401, 403])('HTTP %i whose body broke off', (status) => {
      expect(meaning(status, '', { broken: true })).toBe('authentication');
    });

    test.each([900, 903])('but not the neighbouring errorCode %i with HTTP 400', (errorCode) => {
      expect(meaning(400, { errorCode })).toBe('refused');
    });
  });

  describe('an errorCode of POS_TEMPORARY_ERROR_CODES is retried with any status (D10)', () => {
    test.each(NOT_2XX)('%i', (status) => {
      expect(meaning(status, { errorCode: 950 })).toBe('temporary');
    });

    test('and parks like any other when it is not listed', () => {
      expect(meaning(400, { errorCode: 950 }, { settings: { ...RULES, temporaryErrorCodes: new Set() } })).toBe(
        'refused',
      );
    });
  });

  describe('400, 422 and other 4xx are permanent (D13)', () => {
    test.each([400, 422, ...OTHER_4XX])('%i', (status) => {
      expect(meaning(status)).toBe('refused');
    });

    test.each([400, 422])('%i with an error code that no list names', (status) => {
      expect(meaning(status, { errorCode: 12 })).toBe('refused');
    });
  });

  describe('temporary statuses are retried', () => {
    test.each([
      [408, 'request timeout'],
      [425, 'too early'],
      [429, 'too many requests'],
      [500, 'internal error'],
      [501, 'not implemented'],
      [502, 'bad gateway'],
      [503, 'unavailable'],
      [504, 'gateway timeout'],
      [507, 'insufficient storage'],
      [599, 'the last of the 5xx'],
    ])('%i, %s', (status) => {
      expect(meaning(status)).toBe('temporary');
    });
  });

  describe('a call without an answer is retried', () => {
    test.each([
      ['timeout', 'TIMEOUT', 'UNKNOWN'],
      ['connection refused', 'ECONNREFUSED', 'NOT_SENT'],
      ['connection reset', 'ECONNRESET', 'UNKNOWN'],
      ['DNS: no such host', 'ENOTFOUND', 'NOT_SENT'],
      ['DNS: try again', 'EAI_AGAIN', 'NOT_SENT'],
      ['TLS: certificate expired', 'CERT_HAS_EXPIRED', 'NOT_SENT'],
      ['TLS: self-signed certificate', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'NOT_SENT'],
    ] as const)('%s', (_, code, reach) => {
      const exchange = { kind: 'unanswered', reach, code, message: 'a\nsecret' } as const;
      const answer = readAnswer(exchange, partner({}), NOW, ['secret']);
      expect(answer).toEqual({ ...exchange, message: 'a [secret]' });
      expect(outcomeOf(answer, false)).toMatchObject({ settling: 'retry', reach });
    });

    test.each([400, 404, 422, 500])('a body of a %i that breaks off', (status) => {
      expect(meaning(status, '', { broken: true })).toBe('temporary');
    });
  });

  describe('3xx parks: redirects are not followed (D14)', () => {
    test.each([300, 301, 302, 303, 304, 307, 308])('%i', (status) => {
      expect(meaning(status)).toBe('refused');
    });
  });

  describe('a duplicate code of POS_DUPLICATE_ERROR_CODES', () => {
    test('with HTTP 400 is a duplicate', () => {
      expect(meaning(400, { errorCode: 904 })).toBe('duplicate');
    });

    test.each([409, 422])('with HTTP %i is permanent', (status) => {
      expect(meaning(status, { errorCode: 904 })).toBe('refused');
    });

    test('with HTTP 500 is temporary', () => {
      expect(meaning(500, { errorCode: 904 })).toBe('temporary');
    });

    test('that is not listed is permanent', () => {
      expect(meaning(400, { errorCode: 904 }, { settings: { ...RULES, duplicateErrorCodes: new Set() } })).toBe(
        'refused',
      );
    });

    test('each one of several listed codes counts', () => {
      const settings = { ...RULES, duplicateErrorCodes: new Set([904, 17]) };
      expect([904, 17, 18].map((errorCode) => meaning(400, { errorCode }, { settings }))).toEqual([
        'duplicate',
        'duplicate',
        'refused',
      ]);
    });
  });
});

describe('the error body', () => {
  test.each([
    ['message', { errorCode: 12, message: 'unknown product' }, '12', 'unknown product'],
    ['errorMessage', { errorCode: 12, errorMessage: 'unknown product' }, '12', 'unknown product'],
    ['a code in text', { errorCode: '12', message: 'x' }, '12', 'x'],
    ['the code 0', { errorCode: 0 }, '0', null],
    ['a code that is no whole number', { errorCode: 1.5 }, null, null],
    ['a message that is no text', { message: { why: 1 } }, null, '{"why":1}'],
    ['text that is not JSON', '<html>no</html>', null, '<html>no</html>'],
    ['nothing', '', null, null],
  ])('%s', (_, body, errorCode, message) => {
    expect(read({ status: 422, body })).toMatchObject({ errorCode, message });
  });

  test('the words are cut to 500 characters, and the secrets struck from them', () => {
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

  test('904 is the duplicate code, and no code is temporary, unless the operator says so', () => {
    expect([904, 950].map((errorCode) => meaning(400, { errorCode }, { settings: {} }))).toEqual([
      'duplicate',
      'refused',
    ]);
  });
});

describe('the token in the answer to the sign-in (T2)', () => {
  const jwt = (exp: number) => `h.${Buffer.from(JSON.stringify({ exp })).toString('base64url')}.s`;
  const { readToken } = partner({});

  test.each([
    ['token', { token: 't' }, 't', null],
    ['access_token', { access_token: 't' }, 't', null],
    ['accessToken', { accessToken: 't' }, 't', null],
    ['below data', { data: { token: 't', expires_in: 60 } }, 't', 60_000],
    ['with expires_in in seconds', { token: 't', expires_in: '90' }, 't', 90_000],
    ['a JWT that says itself when it ends', { token: jwt(NOW / 1_000 + 60) }, jwt(NOW / 1_000 + 60), 60_000],
    ['a JWT that has ended', { token: jwt(NOW / 1_000 - 60) }, jwt(NOW / 1_000 - 60), null],
  ])('%s', (_, body, token, expiresInMs) => {
    expect(readToken(JSON.stringify(body), NOW)).toEqual({ token, expiresInMs });
  });

  test.each(['', 'no JSON', '[]', '{}', '{"token":12}', '{"data":null}'])('there is none in %p', (body) => {
    expect(readToken(body, NOW)).toBeUndefined();
  });
});
