import { causeOf } from '../../../console/src/api/cause.js';
import { lampOf, verdictsOf } from '../../../console/src/pages/tonight/verdict.js';

type State = Parameters<typeof verdictsOf>[0];

const SINCE = '2026-11-21T22:42:00.000Z';
const NEXT = '2026-11-21T22:50:00.000Z';
const failing = (error: string, httpStatus: number | null = null) => ({
  since: SINCE,
  httpStatus,
  errorCode: null,
  error,
});

/** A state in which nothing has happened, but for this. */
function state(changes: { today?: object; waiting?: object; parked?: object }): State {
  return {
    restaurantId: '',
    now: NEXT,
    timezone: 'UTC',
    dayClosesAt: '00:00',
    today: {
      ...{ day: '2026-11-21', from: SINCE, to: SINCE, orders: 0, delivered: 0, waiting: 0, parked: 0, cancelled: 0 },
      ...changes.today,
    },
    waiting: {
      ...{ orders: 0, cancels: 0, late: 0, oldestReceivedAt: null, nextTryAt: null, failing: null },
      ...changes.waiting,
    },
    parked: { orders: 0, cancels: 0, causes: [], ...changes.parked },
  };
}
const cause = (text: string, action: 'CREATE' | 'CANCEL' = 'CREATE') => ({
  ...{ cause: text, action, count: 1, newestAt: SINCE, transactionKey: 'T', transactionNumber: null },
});

describe('the traffic light', () => {
  const verdict = (changes: Parameters<typeof state>[0]) => verdictsOf(state(changes))[0];

  test('no lamp before the first order', () => {
    expect(verdict({})).toEqual({ kind: 'idle' });
    expect(lampOf(verdict({}))).toBe('idle');
  });

  test('green: all are in the POS, the cancelled are told apart', () => {
    const all = verdict({ today: { orders: 43, delivered: 41, cancelled: 2 } });
    expect(all).toEqual({ kind: 'delivered', orders: 41, cancelled: 2 });
    expect(lampOf(all)).toBe('good');
  });

  test('green while orders are on their way and nothing has failed', () => {
    const some = verdict({ today: { orders: 41, delivered: 40, waiting: 1 }, waiting: { orders: 1, nextTryAt: NEXT } });
    expect([some, lampOf(some)]).toEqual([{ kind: 'underWay', delivered: 40, orders: 41, waiting: 1 }, 'good']);
  });

  test.each([
    ['no answer from the POS: TIMEOUT: nothing came', null, { kind: 'unanswered' }],
    ['POS sign-in failed: HTTP 401', 401, { kind: 'signIn' }],
    ['POS authentication failed: HTTP 403, POS error 5: no', 403, { kind: 'signIn' }],
    ['HTTP 503: busy', 503, { kind: 'error', status: 503 }],
    ['restaurant has no codeStorePos', null, { kind: 'other', text: 'restaurant has no codeStorePos' }],
  ])('yellow, and how the POS fails: %s', (error, httpStatus, failure) => {
    const found = verdict({ waiting: { orders: 3, nextTryAt: NEXT, failing: failing(error, httpStatus) } });
    expect(found).toEqual({ kind: 'failing', waiting: 3, since: SINCE, failure, nextTryAt: NEXT });
    expect(lampOf(found)).toBe('wait');
  });

  test('yellow when orders are late although nothing has failed', () => {
    const late = verdict({ waiting: { orders: 3, late: 2 } });
    expect([late, lampOf(late)]).toEqual([{ kind: 'late', late: 2 }, 'wait']);
  });

  test('red: what is parked is said first, with its cause; what fails stands below it', () => {
    const verdicts = verdictsOf(
      state({
        today: { orders: 9, delivered: 5 },
        waiting: { orders: 3, failing: failing('HTTP 503', 503) },
        parked: { orders: 1, causes: [cause('HTTP 422, POS error 12: unknown product X1')] },
      }),
    );
    expect(verdicts.map(({ kind }) => kind)).toEqual(['parked', 'failing']);
    expect(verdicts[0]).toEqual({ kind: 'parked', parked: 1, cause: 'unknown product X1', causes: 1 });
    expect(lampOf(verdicts[0])).toBe('bad');
  });

  test('red when a cancel is parked: the POS still has the order', () => {
    const found = verdict({ parked: { cancels: 1, causes: [cause('HTTP 422: the kitchen has begun', 'CANCEL')] } });
    expect(found).toEqual({ kind: 'cancelParked', parked: 1, cause: 'the kitchen has begun' });
  });
});

describe("the relay's words of a failure", () => {
  test.each([
    ['HTTP 422, POS error 12: unknown product', 'refused', 'unknown product', null],
    ['HTTP 422', 'refused', 'HTTP 422', null],
    ['HTTP 503, POS error 503: restarting', 'busy', 'restarting', null],
    ['gave up after 30 attempts: HTTP 503: restarting', 'busy', 'restarting', 30],
    ['gave up after 1 attempts: no answer from the POS: ECONNREFUSED: x', 'unanswered', 'ECONNREFUSED: x', 1],
    [
      'cannot be mapped: items[2].price: must be a finite number',
      'unmappable',
      'items[2].price: must be a finite number',
      null,
    ],
    ['POS sign-in failed: HTTP 401', 'signIn', 'HTTP 401', null],
    ['restaurant has no codeStorePos', 'setup', 'restaurant has no codeStorePos', null],
    ['internal error: boom', 'other', 'internal error: boom', null],
    [null, 'other', '', null],
  ])('%s', (lastError, kind, detail, gaveUpAfter) => {
    expect(causeOf(lastError)).toEqual({ kind, detail, gaveUpAfter });
  });
});
