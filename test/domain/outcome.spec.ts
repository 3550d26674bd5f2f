import type { Cause } from '../../src/domain/cause.js';
import { JOB_STATUSES } from '../../src/domain/job.js';
import {
  type Answer,
  type Answered,
  answerLine,
  cancelStep,
  causeOf,
  causeOfSignIn,
  isAuthenticationFailure,
  limitAttempts,
  type Meaning,
  meaningOf,
  NO_TOKEN,
  nothingToCancel,
  notSent,
  type Outcome,
  outcomeOf,
  outcomeOfCancel,
  signInFailed,
} from '../../src/domain/outcome.js';

function answered(meaning: Meaning, parts: Partial<Answered> = {}): Answered {
  const plain = { status: 200, errorCode: null, message: null, retryAfterMs: null, broken: false };
  return { kind: 'answered', meaning, ...plain, ...parts };
}

function unanswered(reach: 'NOT_SENT' | 'UNKNOWN', code = 'ECONNRESET', message = 'reset'): Answer {
  return { kind: 'unanswered', reach, code, message };
}

describe('the table of answers, by HTTP status (D7 to D14)', () => {
  test.each<[Meaning, readonly number[]]>([
    ['delivered', [200, 201, 202, 204, 299]],
    ['authentication', [401, 403]],
    ['temporary', [408, 425, 429, 500, 501, 502, 503, 504, 507, 599]],
    ['refused', [400, 402, 404, 405, 409, 410, 413, 415, 418, 422, 423, 424, 426, 428, 431, 451, 499]],
    ['refused', [300, 301, 302, 303, 304, 307, 308]],
  ])('%s: %j', (meaning, statuses) => {
    expect(statuses.map((status) => meaningOf(status, false, null))).toEqual(statuses.map(() => meaning));
  });

  test.each<[Meaning, readonly number[]]>([
    ['delivered', [200, 204]],
    ['authentication', [401, 403]],
    ['temporary', [301, 400, 404, 422, 500]],
  ])('a body that breaks off is %s: %j (D11)', (meaning, statuses) => {
    expect(statuses.map((status) => meaningOf(status, true, null))).toEqual(statuses.map(() => meaning));
  });
});

describe('the table of answers, with a body that cannot be read (D24)', () => {
  test.each<[Meaning, readonly number[]]>([
    ['authentication', [401, 403]],
    ['temporary', [200, 201, 204, 301, 400, 404, 408, 422, 429, 500, 503]],
  ])('%s: %j', (meaning, statuses) => {
    expect(statuses.map((status) => meaningOf(status, false, null, true))).toEqual(statuses.map(() => meaning));
  });

  test('FAILED as an outage; only after a 2xx the order may have arrived (D17)', () => {
    const outcomes = [200, 422].map((status) =>
      outcomeOf(answered('temporary', { status, unreadable: 'its charset is "x"' }), false),
    );
    expect(outcomes).toMatchObject([
      {
        settling: 'retry',
        reach: 'UNKNOWN',
        cause: 'failing',
        error: 'HTTP 200 (the body cannot be read: its charset is "x")',
      },
      { settling: 'retry', reach: 'ANSWERED', cause: 'failing' },
    ]);
  });
});

describe('the table of answers, by the meaning of the error code (D8, D10, D12)', () => {
  const statuses = [200, 301, 400, 401, 404, 422, 429, 500];

  test.each<['authentication' | 'temporary' | 'duplicate', readonly Meaning[]]>([
    ['authentication', Array(8).fill('authentication')],
    [
      'temporary',
      ['delivered', 'temporary', 'temporary', 'authentication', 'temporary', 'temporary', 'temporary', 'temporary'],
    ],
    [
      'duplicate',
      ['delivered', 'duplicate', 'duplicate', 'authentication', 'duplicate', 'duplicate', 'temporary', 'temporary'],
    ],
  ])(`%s, with ${statuses.join(', ')}: %j`, (code, meanings) => {
    expect(statuses.map((status) => meaningOf(status, false, code))).toEqual(meanings);
  });

  test('a duplicate whose body broke off is temporary', () => {
    expect(meaningOf(400, true, 'duplicate')).toBe('temporary');
  });
});

describe('what an answer does to its job', () => {
  test.each<[Meaning, boolean, Partial<Outcome>]>([
    ['delivered', false, { settling: 'deliver', error: null }],
    ['temporary', false, { settling: 'retry', error: 'HTTP 400: words' }],
    ['authentication', false, { settling: 'retry', error: 'POS authentication failed: HTTP 400: words' }],
    ['refused', false, { settling: 'park', error: 'HTTP 400: words' }],
    ['refused', true, { settling: 'park', error: 'HTTP 400: words' }],
    ['duplicate', false, { settling: 'park', error: 'HTTP 400: words' }],
    ['duplicate', true, { settling: 'deliver', error: null }],
  ])('%s, an earlier attempt may have arrived: %p', (meaning, arrivedBefore, outcome) => {
    const answer = answered(meaning, { status: 400, message: 'words' });
    expect(outcomeOf(answer, arrivedBefore)).toMatchObject({ ...outcome, reach: 'ANSWERED', httpStatus: 400 });
  });

  test.each(['UNKNOWN', 'NOT_SENT'] as const)('no answer is retried, and keeps how far the call got: %s', (reach) => {
    expect(outcomeOf(unanswered(reach), true)).toEqual({
      settling: 'retry',
      reach,
      httpStatus: null,
      errorCode: 'ECONNRESET',
      cause: 'unanswered',
      error: 'no answer from the POS: ECONNRESET: reset',
      retryAfterMs: null,
    });
  });

  test('an answer is recorded with its status, error code and Retry-After', () => {
    const answer = answered('refused', { status: 422, errorCode: '12', message: 'unknown', retryAfterMs: 9_000 });
    expect(outcomeOf(answer, false)).toEqual({
      settling: 'park',
      reach: 'ANSWERED',
      httpStatus: 422,
      errorCode: '12',
      cause: 'refused',
      error: 'HTTP 422, POS error 12: unknown',
      retryAfterMs: 9_000,
      subject: 'other',
    });
  });

  test('a failed sign-in is retried, whatever the answer, and no order left us', () => {
    const answers = [answered('refused', { status: 400 }), answered('authentication'), unanswered('UNKNOWN')];
    expect(answers.map(signInFailed)).toMatchObject(answers.map(() => ({ settling: 'retry', reach: 'NOT_SENT' })));
    expect(signInFailed(answered('authentication', { status: 401 })).error).toBe('POS sign-in failed: HTTP 401');
  });

  test('an authentication failure is an answer that means one', () => {
    const answers = [answered('authentication'), answered('refused'), unanswered('UNKNOWN')];
    expect(answers.map(isAuthenticationFailure)).toEqual([true, false, false]);
  });

  test('an attempt that ended before its order left us has no answer', () => {
    expect(notSent('park', 'unmappable', 'items: must have at least one entry')).toEqual({
      settling: 'park',
      reach: 'NOT_SENT',
      httpStatus: null,
      errorCode: null,
      cause: 'unmappable',
      error: 'items: must have at least one entry',
      retryAfterMs: null,
    });
  });
});

describe('the cause of an answer, in one word (O30)', () => {
  const LATER = { retryAfterMs: 1_000 };
  test.each<[Cause, Meaning, Partial<Answered>]>([
    ['sign_in', 'authentication', { status: 401 }],
    ['sign_in', 'authentication', { status: 500, errorCode: '901' }],
    ['failing', 'temporary', { status: 500 }],
    ['failing', 'temporary', { status: 503, ...LATER }],
    ['failing', 'temporary', { status: 408 }],
    ['failing', 'temporary', { status: 425 }],
    ['failing', 'temporary', { status: 400, broken: true }],
    ['failing', 'temporary', { status: 429 }],
    ['busy', 'temporary', { status: 429, ...LATER }],
    ['busy', 'temporary', { status: 422, errorCode: '77' }],
    ['refused', 'refused', { status: 422 }],
    ['refused', 'refused', { status: 302 }],
    ['refused', 'duplicate', { status: 400 }],
  ])('%s: %s %j', (cause, meaning, parts) => {
    expect(causeOf(answered(meaning, parts))).toBe(cause);
    // whatever refuses a sign-in refuses the credentials; an outage does not
    expect(causeOfSignIn(answered(meaning, parts))).toBe(cause === 'refused' ? 'sign_in' : cause);
  });

  test.each([
    ['TIMEOUT', 'unanswered'],
    ['ECONNREFUSED', 'unanswered'],
    ['ANOTHER_SIGNS_IN', 'unanswered'],
    [NO_TOKEN, 'sign_in'],
  ])('a sign-in that ends with %s: %s', (code, cause) => {
    expect(causeOfSignIn(unanswered('NOT_SENT', code))).toBe(cause);
    expect(causeOf(unanswered('UNKNOWN', code))).toBe('unanswered');
  });
});

describe('the table of cancels', () => {
  test.each([
    ['PENDING', false, 'call'],
    ['PROCESSING', false, 'wait'],
    ['PROCESSING', true, 'wait'],
    ['SENT', false, 'call'],
    ['SENT', true, 'call'],
    ['DLQ', false, 'end'],
    ['DLQ', true, 'call'],
  ] as const)('CREATE %s, may have arrived: %p: %s', (status, mayHaveArrived, step) => {
    expect(cancelStep({ status, mayHaveArrived, isElsewhere: false })).toBe(step);
    const parked = step === 'call' ? 'elsewhere' : step;
    expect(cancelStep({ status, mayHaveArrived, isElsewhere: true })).toBe(parked);
  });

  test('a cancel without a call is delivered, and nothing was sent', () => {
    expect(nothingToCancel()).toMatchObject({ settling: 'deliver', reach: 'NOT_SENT', error: null });
  });

  const withdrawn = { status: 'DLQ' } as const;
  const outcome = (meaning: Meaning, status: number) => outcomeOf(answered(meaning, { status }), false);

  test.each([400, 404, 422, 499])(
    'a withdrawn CREATE whose cancel is refused by %i: there was no such order (C7)',
    (status) => {
      expect(outcomeOfCancel(outcome('refused', status), withdrawn)).toMatchObject({
        settling: 'deliver',
        cause: null,
        error: null,
      });
    },
  );

  test('of an order that was found just before, a refusal parks the cancel (C13)', () => {
    const refused = outcome('refused', 422);
    expect(outcomeOfCancel(refused, withdrawn, true)).toBe(refused);
  });

  test.each([
    ['a redirect', outcome('refused', 302)],
    ['a temporary error', outcome('temporary', 503)],
    ['an authentication failure', outcome('authentication', 401)],
    ['no answer', outcomeOf(unanswered('UNKNOWN'), false)],
  ])('%s leaves the cancel as it is', (_, asked) => {
    expect(outcomeOfCancel(asked, withdrawn)).toBe(asked);
  });

  test.each(JOB_STATUSES.filter((status) => status !== 'DLQ'))(
    'a refused cancel of a CREATE that is %s parks',
    (status) => {
      expect(outcomeOfCancel(outcome('refused', 404), { status }).settling).toBe('park');
    },
  );
});

describe('limitAttempts', () => {
  const failed: Outcome = {
    settling: 'retry',
    reach: 'ANSWERED',
    httpStatus: 503,
    errorCode: '7',
    cause: 'failing',
    error: 'HTTP 503',
    retryAfterMs: 5_000,
  };

  test.each([1, 2, 29])('a temporary failure on attempt %i of 30 is retried', (attempt) => {
    expect(limitAttempts(failed, attempt, 30)).toEqual(failed);
  });

  test.each([30, 31])('a temporary failure on attempt %i of 30 parks the job (O16)', (attempt) => {
    expect(limitAttempts(failed, attempt, 30).settling).toBe('park');
  });

  test('giving up says after how many attempts, and keeps the last error', () => {
    expect(limitAttempts(failed, 30, 30).error).toBe('gave up after 30 attempts: HTTP 503');
  });

  test('giving up keeps what the attempt came to, with its cause (O30)', () => {
    const came = { reach: 'ANSWERED', httpStatus: 503, errorCode: '7', cause: 'failing' };
    expect(limitAttempts(failed, 30, 30)).toMatchObject(came);
  });

  test('with one attempt allowed, the first failure parks', () => {
    expect(limitAttempts(failed, 1, 1).settling).toBe('park');
  });

  test.each(['deliver', 'park'] as const)('an outcome "%s" stays as it is, whatever the attempt', (settling) => {
    const outcome: Outcome = { ...failed, settling };
    expect(limitAttempts(outcome, 99, 30)).toEqual(outcome);
  });
});

describe('an answer in words says status, POS error code and message', () => {
  test.each<[string, Partial<Answered>]>([
    ['HTTP 422', {}],
    ['HTTP 422, POS error 12', { errorCode: '12' }],
    ['HTTP 422, POS error 0', { errorCode: '0' }],
    ['HTTP 422: unknown product', { message: 'unknown product' }],
    ['HTTP 422, POS error 12: unknown product', { errorCode: '12', message: 'unknown product' }],
    ['HTTP 502: <html> (the body broke off)', { status: 502, message: '<html>', broken: true }],
  ])('%s', (words, parts) => {
    expect(answerLine(answered('refused', { status: 422, ...parts }))).toBe(words);
  });

  test('a call without an answer says what happened to it', () => {
    expect(answerLine(unanswered('NOT_SENT', 'ECONNREFUSED', 'connect 10.0.0.1:443'))).toBe(
      'no answer from the POS: ECONNREFUSED: connect 10.0.0.1:443',
    );
  });
});
