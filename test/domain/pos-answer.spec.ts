import { type AnswerRules, judge, type PosAnswer } from '../../src/domain/pos-answer.js';

type Answered = Extract<PosAnswer, { kind: 'answered' }>;

const RULES: AnswerRules = { duplicateErrorCodes: new Set([904]), temporaryErrorCodes: new Set([950]) };

function answered(status: number, parts: Partial<Answered> = {}): PosAnswer {
  return { kind: 'answered', status, errorCode: null, message: null, retryAfterMs: null, broken: false, ...parts };
}

function unanswered(code: string, reach: 'NOT_SENT' | 'UNKNOWN'): PosAnswer {
  return { kind: 'unanswered', reach, code, message: code };
}

const AUTHENTICATION_CODES = [901, 902];
const NOT_2XX = [301, 302, 400, 404, 409, 422, 429, 500, 503];
const OTHER_4XX = [402, 404, 405, 406, 409, 410, 411, 412, 413, 414, 415, 418, 423, 424, 426, 428, 431, 451, 499];

describe('the table "POS answers"', () => {
  describe('any 2xx is SENT', () => {
    test.each([200, 201, 202, 204, 299])('%i', (status) => {
      expect(judge(answered(status), RULES)).toBe('sent');
    });

    test.each([
      ['an authentication error code', { errorCode: 901 }],
      ['a temporary error code', { errorCode: 950 }],
      ['a duplicate error code', { errorCode: 904 }],
      ['any other error code', { errorCode: 12, message: 'unknown product' }],
      ['text that is not JSON', { message: '<html>' }],
      ['a body that breaks off', { broken: true }],
    ])('whatever its body: %s', (_, parts) => {
      expect(judge(answered(200, parts), RULES)).toBe('sent');
    });
  });

  describe('an authentication failure signs in again', () => {
    test.each(NOT_2XX.flatMap((status) => AUTHENTICATION_CODES.map((errorCode) => ({ status, errorCode }))))(
      'errorCode $errorCode with HTTP $status',
      ({ status, errorCode }) => {
        expect(judge(answered(status, { errorCode }), RULES)).toBe('sign-in-again');
      },
    );

    test.each([401, 403])('HTTP %i without an error code', (status) => {
      expect(judge(answered(status), RULES)).toBe('sign-in-again');
    });

    test.each([401, 403])('HTTP %i whose body broke off', (status) => {
      expect(judge(answered(status, { broken: true }), RULES)).toBe('sign-in-again');
    });

    test.each([900, 903])('but not the neighbouring errorCode %i with HTTP 400', (errorCode) => {
      expect(judge(answered(400, { errorCode }), RULES)).toBe('park');
    });
  });

  describe('an errorCode of POS_TEMPORARY_ERROR_CODES is retried with any status', () => {
    test.each(NOT_2XX)('%i', (status) => {
      expect(judge(answered(status, { errorCode: 950 }), RULES)).toBe('retry');
    });

    test('and parks like any other when it is not listed', () => {
      expect(judge(answered(400, { errorCode: 950 }), { ...RULES, temporaryErrorCodes: new Set() })).toBe('park');
    });
  });

  describe('400, 422 and other 4xx are permanent', () => {
    test.each([400, 422, ...OTHER_4XX])('%i', (status) => {
      expect(judge(answered(status), RULES)).toBe('park');
    });

    test.each([400, 422])('%i with an error code that no list names', (status) => {
      expect(judge(answered(status, { errorCode: 12 }), RULES)).toBe('park');
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
      expect(judge(answered(status), RULES)).toBe('retry');
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
      expect(judge(unanswered(code, reach), RULES)).toBe('retry');
    });

    test.each([400, 404, 422, 500])('a body of a %i that breaks off', (status) => {
      expect(judge(answered(status, { broken: true }), RULES)).toBe('retry');
    });
  });

  describe('3xx parks: redirects are not followed', () => {
    test.each([300, 301, 302, 303, 304, 307, 308])('%i', (status) => {
      expect(judge(answered(status), RULES)).toBe('park');
    });
  });

  describe('a duplicate code of POS_DUPLICATE_ERROR_CODES', () => {
    test('with HTTP 400 is a duplicate', () => {
      expect(judge(answered(400, { errorCode: 904 }), RULES)).toBe('duplicate');
    });

    test.each([409, 422])('with HTTP %i is permanent', (status) => {
      expect(judge(answered(status, { errorCode: 904 }), RULES)).toBe('park');
    });

    test('with HTTP 500 is temporary', () => {
      expect(judge(answered(500, { errorCode: 904 }), RULES)).toBe('retry');
    });

    test('that is not listed is permanent', () => {
      expect(judge(answered(400, { errorCode: 904 }), { ...RULES, duplicateErrorCodes: new Set() })).toBe('park');
    });

    test('each one of several listed codes counts', () => {
      const rules = { ...RULES, duplicateErrorCodes: new Set([904, 17]) };
      expect([904, 17, 18].map((errorCode) => judge(answered(400, { errorCode }), rules))).toEqual([
        'duplicate',
        'duplicate',
        'park',
      ]);
    });
  });
});
