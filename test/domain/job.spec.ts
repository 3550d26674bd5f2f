import {
  type JobStatus,
  MOVES,
  type Move,
  notSent,
  type Outcome,
  outcomeOf,
  withinAttempts,
} from '../../src/domain/job.js';
import type { PosAnswer } from '../../src/domain/pos-answer.js';

const STATUSES: readonly JobStatus[] = ['PENDING', 'PROCESSING', 'SENT', 'FAILED', 'DLQ'];

describe('the seed’s "States and transitions"', () => {
  const rows: readonly { trigger: string; move: Move; from: readonly JobStatus[]; to: JobStatus }[] = [
    { trigger: 'webhook accepted', move: 'enqueue', from: [], to: 'PENDING' },
    { trigger: 'worker tick', move: 'lock', from: ['PENDING', 'FAILED'], to: 'PROCESSING' },
    { trigger: 'the POS answers success', move: 'deliver', from: ['PROCESSING'], to: 'SENT' },
    { trigger: 'temporary error', move: 'retry', from: ['PROCESSING'], to: 'FAILED' },
    { trigger: 'permanent error', move: 'park', from: ['PROCESSING'], to: 'DLQ' },
    { trigger: 'reaper', move: 'expire', from: ['PROCESSING'], to: 'PENDING' },
    { trigger: 'an instance stops before starting the job', move: 'release', from: ['PROCESSING'], to: 'PENDING' },
    { trigger: 'cancelled before it was sent', move: 'withdraw', from: ['PENDING', 'FAILED', 'DLQ'], to: 'DLQ' },
    { trigger: 'manual operator reset', move: 'reset', from: ['DLQ', 'FAILED'], to: 'PENDING' },
  ];

  test.each(rows)('$trigger: $move takes $from to $to', ({ move, from, to }) => {
    expect(MOVES[move]).toEqual({ from, to });
  });

  const moves = Object.values<{ readonly from: readonly JobStatus[]; readonly to: JobStatus }>(MOVES);

  test('SENT is final: no move leaves it', () => {
    expect(moves.filter(({ from }) => from.includes('SENT'))).toEqual([]);
  });

  test('only a locked job is settled: nothing but PROCESSING leads to SENT, FAILED or DLQ', () => {
    const settled = moves.filter(({ to }) => to === 'SENT' || to === 'FAILED' || to === 'DLQ');
    const settlings = settled.filter((move) => move !== MOVES.withdraw);
    expect(settlings.flatMap(({ from }) => from)).toEqual(['PROCESSING', 'PROCESSING', 'PROCESSING']);
  });

  test('a parked job goes nowhere but back to PENDING, by an operator', () => {
    expect(
      Object.keys(MOVES).filter((move) => (MOVES[move as Move].from as readonly string[]).includes('DLQ')),
    ).toEqual(['withdraw', 'reset']);
  });

  test('the states are the five of the seed', () => {
    const named = new Set(moves.flatMap(({ from, to }) => [...from, to]));
    expect([...named].toSorted()).toEqual(STATUSES.toSorted());
  });
});

describe('withinAttempts', () => {
  const failed: Outcome = {
    settling: 'retry',
    reach: 'ANSWERED',
    httpStatus: 503,
    errorCode: '7',
    error: 'HTTP 503',
    retryAfterMs: 5_000,
  };

  test.each([1, 2, 29])('a temporary failure on attempt %i of 30 is retried', (attempt) => {
    expect(withinAttempts(failed, attempt, 30)).toEqual(failed);
  });

  test.each([30, 31])('a temporary failure on attempt %i of 30 parks the job', (attempt) => {
    expect(withinAttempts(failed, attempt, 30).settling).toBe('park');
  });

  test('giving up says after how many attempts, and keeps the last error', () => {
    expect(withinAttempts(failed, 30, 30).error).toBe('gave up after 30 attempts: HTTP 503');
  });

  test('giving up keeps what the attempt came to', () => {
    expect(withinAttempts(failed, 30, 30)).toMatchObject({ reach: 'ANSWERED', httpStatus: 503, errorCode: '7' });
  });

  test('with one attempt allowed, the first failure parks', () => {
    expect(withinAttempts(failed, 1, 1).settling).toBe('park');
  });

  test.each(['deliver', 'park'] as const)('an outcome "%s" stays as it is, whatever the attempt', (settling) => {
    const outcome: Outcome = { ...failed, settling };
    expect(withinAttempts(outcome, 99, 30)).toEqual(outcome);
  });
});

describe('the outcome of an attempt', () => {
  const answered: PosAnswer = {
    kind: 'answered',
    status: 422,
    errorCode: 12,
    message: 'unknown product',
    retryAfterMs: 9_000,
    broken: false,
  };

  test('an answer is recorded with its status, error code and Retry-After', () => {
    expect(outcomeOf(answered, 'park', 'HTTP 422')).toEqual({
      settling: 'park',
      reach: 'ANSWERED',
      httpStatus: 422,
      errorCode: '12',
      error: 'HTTP 422',
      retryAfterMs: 9_000,
    });
  });

  test('a success has no error', () => {
    const success = outcomeOf({ ...answered, status: 200, errorCode: null, retryAfterMs: null }, 'deliver', null);
    expect(success).toMatchObject({ settling: 'deliver', httpStatus: 200, errorCode: null, error: null });
  });

  test('the POS error code 0 is a code, not the absence of one', () => {
    expect(outcomeOf({ ...answered, errorCode: 0 }, 'park', 'x').errorCode).toBe('0');
  });

  test.each(['UNKNOWN', 'NOT_SENT'] as const)('a call without an answer keeps how far it got: %s', (reach) => {
    expect(
      outcomeOf({ kind: 'unanswered', reach, code: 'ECONNRESET', message: 'reset' }, 'retry', 'no answer'),
    ).toEqual({
      settling: 'retry',
      reach,
      httpStatus: null,
      errorCode: 'ECONNRESET',
      error: 'no answer',
      retryAfterMs: null,
    });
  });

  test('an attempt that ended before its order left us has no answer', () => {
    expect(notSent('park', 'items: must have at least one entry', 'UNMAPPABLE')).toEqual({
      settling: 'park',
      reach: 'NOT_SENT',
      httpStatus: null,
      errorCode: 'UNMAPPABLE',
      error: 'items: must have at least one entry',
      retryAfterMs: null,
    });
    expect(notSent('retry', 'restaurant has no codeStorePos').errorCode).toBeNull();
  });
});
