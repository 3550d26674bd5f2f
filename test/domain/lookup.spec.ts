import type { Cause } from '../../src/domain/cause.js';
import { arrivalOf, notLookedUp, type Sighting, type Traces, withArrivalNote } from '../../src/domain/lookup.js';
import { type Answer, type Answered, notSent, type Outcome } from '../../src/domain/outcome.js';

const SETTLE_MS = 1_000;
const NOT_FOUND: Answered = {
  kind: 'answered',
  meaning: 'refused',
  status: 404,
  errorCode: '404',
  message: 'unknown',
  retryAfterMs: null,
  broken: false,
};

const NO_TRACES: Traces = { mayHaveArrived: true, deadlineInMs: 0, notFoundForMs: null, isElsewhere: false };
const heard = (traces: Partial<Traces>) => arrivalOf(NOT_FOUND, 'not-found', { ...NO_TRACES, ...traces }, SETTLE_MS);

describe('a 404 that counts (D21)', () => {
  test.each<[string, Partial<Traces>, number]>([
    ['the first: looked up again after the settle time', {}, SETTLE_MS],
    ['before the deadline of the call: looked up again after it', { deadlineInMs: 5_000.2 }, 5_001],
    ['before an earlier deadline: after the settle time', { deadlineInMs: 5 }, SETTLE_MS],
    ['the second, too early: looked up again after the rest', { notFoundForMs: 400.5 }, 600],
    ['the second, 0.1 ms too early', { notFoundForMs: 999.9 }, 1],
  ])('%s', (_, traces, retryInMs) => {
    expect(heard(traces)).toMatchObject({
      found: null,
      outcome: { settling: 'retry', reach: 'NOT_SENT', errorCode: 'ASKED_NOT_FOUND', httpStatus: 404, retryInMs },
    });
  });

  test.each([1_000, 1_000.1, 86_400_000])(
    'the second, %d ms after the first: the order did not arrive',
    (notFoundForMs) => {
      expect(heard({ notFoundForMs })).toEqual({ found: false });
    },
  );

  test('the second, of a POS that is not the one which may have it: parked (Q31)', () => {
    expect(heard({ notFoundForMs: SETTLE_MS, isElsewhere: true })).toMatchObject({
      found: null,
      outcome: { settling: 'park', reach: 'NOT_SENT', cause: 'unconfirmed' },
    });
    expect(heard({ isElsewhere: true })).toMatchObject({ outcome: { settling: 'retry' } });
  });
});

describe('the outcome of an attempt that looked up its order (D20, O25)', () => {
  test('a Retry-After of the answer is kept', () => {
    const answer: Answer = {
      ...NOT_FOUND,
      ...{ meaning: 'temporary', status: 503, retryAfterMs: 7_000, errorCode: null, message: null },
    };
    const arrival = arrivalOf(answer, 'unclear', NO_TRACES, SETTLE_MS);
    const outcome = { settling: 'retry', reach: 'NOT_SENT', httpStatus: 503, errorCode: null, retryAfterMs: 7_000 };
    const error = 'the order may have arrived, and the POS could not be asked: HTTP 503';
    expect(arrival).toEqual({ found: null, outcome: { ...outcome, cause: 'failing', error } });
  });

  test.each<[Sighting, Partial<Answered>, Cause]>([
    ['not-found', {}, 'unconfirmed'],
    ['in-progress', { meaning: 'delivered', status: 202 }, 'unconfirmed'],
    ['unclear', { meaning: 'delivered', status: 200 }, 'unconfirmed'],
    ['unclear', { status: 302 }, 'unconfirmed'],
    ['unclear', { meaning: 'authentication', status: 401 }, 'sign_in'],
    ['unclear', { meaning: 'temporary', status: 503 }, 'failing'],
  ])('%s, %j: %s (O30)', (sighting, parts, cause) => {
    const arrival = arrivalOf({ ...NOT_FOUND, ...parts }, sighting, NO_TRACES, SETTLE_MS);
    expect(arrival).toMatchObject({ found: null, outcome: { settling: 'retry', cause } });
  });

  test('nothing was called', () => {
    expect(notLookedUp('no_code_store_pos', 'no store')).toEqual(
      notSent('retry', 'no_code_store_pos', 'the order may have arrived, and the POS could not be asked: no store'),
    );
  });

  test.each<[string, Partial<Outcome>, boolean]>([
    ['no answer', { reach: 'UNKNOWN' }, true],
    ['a 503', { reach: 'ANSWERED', httpStatus: 503 }, true],
    ['a 429', { reach: 'ANSWERED', httpStatus: 429 }, false],
    ['not sent', { reach: 'NOT_SENT', httpStatus: 503 }, false],
    ['a delivery', { settling: 'deliver', reach: 'ANSWERED', httpStatus: 200, error: null }, false],
  ])('that its order may have arrived, after %s: %#', (_, changes, says) => {
    const outcome: Outcome = { ...notSent('retry', 'internal', 'why'), ...changes };
    const { error } = withArrivalNote(outcome);
    if (says) expect(error).toBe('why; the order may have arrived: the POS is asked before it is sent again');
    else expect(error).toBe(outcome.error);
  });
});
