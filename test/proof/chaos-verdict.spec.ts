import type { Fault } from '../../proof/chaos/history.js';
import { judge } from '../../proof/chaos/verdict.js';
import { OrderHistory } from './chaos-history.js';

/** The rules that a history breaks, each once. */
const brokenBy = ({ history }: OrderHistory) => [...new Set(judge(history).violations.map(({ rule }) => rule))];

/** The history of an order. @param happens its steps */
function historyOf(happens: (it: OrderHistory) => void): OrderHistory {
  const history = new OrderHistory();
  happens(history);
  return history;
}

/** An accepted order, then `happens`. */
const accepted = (happens: (it: OrderHistory) => void) =>
  historyOf((history) => {
    history.post(200);
    happens(history);
  });

/** A delivered order, then `happens`. */
const delivered = (happens: (it: OrderHistory) => void = () => {}) =>
  accepted((history) => {
    history.deliver();
    happens(history);
  });

/** An order that was delivered and cancelled at the POS, then `happens`. */
const cancelled = (happens: (it: OrderHistory) => void = () => {}) =>
  delivered((history) => {
    history.cancel();
    const claim = history.claim('CANCEL');
    history.cancelAtPos();
    history.settle(claim, 'SENT', 'CANCEL');
    happens(history);
  });

/** An order that the POS accepted twice: its first claim was lost. */
const doubled = ({ answered = true } = {}) =>
  accepted((history) => {
    const lost = history.claim();
    history.cook({ answered });
    history.expire(lost);
    history.deliver({ pid: 200 });
  });

const WITHOUT_REASON = 'doubled without a reason';

test.each([
  ['delivered', delivered()],
  ['delivered, then cancelled', cancelled()],
  [
    'delivered after a probe that is not counted (O45)',
    accepted((it) => {
      const settled = it.settle(it.claim(), 'FAILED');
      Object.assign(settled, { reach: 'ANSWERED', httpStatus: 503 });
      it.move('CREATE', 'FAILED', 'FAILED', { fromAttempts: 1, toAttempts: 0 });
      it.deliver();
    }),
  ],
])('an order that was %s breaks nothing', (_, { history }) => {
  expect(judge(history)).toMatchObject({ sent: 1, accepted: 1, delivered: 1, violations: [], doubles: [] });
});

describe('violations', () => {
  test.each<[what: string, rule: string, history: OrderHistory]>([
    ['an accepted sale that the relay does not have', 'lost', delivered(({ jobs }) => jobs.splice(0))],
    [
      'a sale that the relay refuses as a duplicate and does not have',
      'lost',
      historyOf((it) => {
        it.post(503);
        it.post(400, 'DUPLICATE_TRANSACTION');
      }),
    ],
    [
      'a sale that was not accepted',
      'stuck',
      historyOf((it) => {
        it.post(503);
        it.post(null);
      }),
    ],
    ['an order that is SENT, but not at the POS', 'lost', delivered(({ pos }) => pos.splice(0))],
    [
      'an accepted cancel that the relay does not have',
      'lost',
      delivered(({ order, now }) =>
        order.cancels.push({ at: now, until: now, instance: 0, status: 202, code: null, jobId: 'x' }),
      ),
    ],
    ...['PENDING', 'FAILED', 'DLQ'].map((status): [string, string, OrderHistory] => [
      `a job that is ${status} at the end`,
      'stuck',
      delivered(({ jobs }) => Object.assign(jobs[0] as object, { status })),
    ]),
    ['an order that no terminal sent', 'unexpected', delivered((it) => it.cook({ orderId: 'C-2' }))],
    [
      'an order whose total at the POS is a cent higher',
      'unexpected',
      accepted((it) => it.deliver({ content: it.order.content.replace('1250', '1251') })),
    ],
    ['a double without a fault that explains it', WITHOUT_REASON, doubled()],
    [
      'a double where the POS refuses duplicates or has look-up',
      WITHOUT_REASON,
      Object.assign(doubled({ answered: false }), { strictStores: new Set(['POS-1']) }),
    ],
    [
      'a double after an attempt that was answered with a refusal',
      WITHOUT_REASON,
      accepted((it) => {
        const first = it.claim();
        it.cook({ answered: false });
        Object.assign(it.settle(first, 'FAILED'), { reach: 'ANSWERED', httpStatus: 429 });
        it.deliver();
      }),
    ],
    [
      'two orders of one claim',
      WITHOUT_REASON,
      accepted((it) => {
        const claim = it.claim();
        it.cook({ answered: false });
        it.cook();
        it.settle(claim, 'SENT');
      }),
    ],
    [
      'an order that is sent after its cancel was accepted',
      'sent after its cancel',
      accepted((it) => {
        it.cancel();
        it.deliver();
        const cancel = it.claim('CANCEL');
        it.cancelAtPos();
        it.settle(cancel, 'SENT', 'CANCEL');
      }),
    ],
    ['a cancel that is SENT, but not at the POS', 'not cancelled', cancelled(({ pos }) => pos.pop())],
    [
      'a job that is settled by a worker whose claim was lost',
      'settled twice',
      accepted((it) => {
        const lost = it.claim();
        it.expire(lost);
        const claim = it.claim('CREATE', 200);
        it.cook();
        // a settle that does not check the claim: the first worker settles the claim of the second
        it.settle(claim, 'SENT');
        Object.assign(it.attemptWrites.at(-1) as object, { attemptId: lost.split('/')[1] });
      }),
    ],
    [
      'a job that is settled again after it was SENT',
      'settled twice',
      delivered((it) => it.move('CREATE', 'SENT', 'SENT')),
    ],
    [
      'a claim that ends twice',
      'settled twice',
      delivered((it) => it.settle(it.moves.find(({ toLock }) => toLock)?.toLock as string, 'SENT')),
    ],
    ...[401, 404, 409, 500].map((status): [string, string, OrderHistory] => [
      `a sale that is answered ${status}`,
      'wrong answer',
      delivered((it) => it.post(status, 'SOMETHING')),
    ]),
  ])('%s breaks %s', (_, rule, history) => {
    expect(brokenBy(history)).toEqual([rule]);
  });

  test.each<[what: string, rule: string, history: OrderHistory]>([
    ['an order that is cooked after its cancel was called', 'sent after its cancel', cancelled((it) => it.cook())],
    [
      'a job that the reaper returns before its lease expired',
      'illegal move',
      accepted((it) => it.expire(it.claim(), 3_000)),
    ],
    [
      'a claim whose attempt is not counted',
      'illegal move',
      accepted((it) => {
        it.claim();
        Object.assign(it.moves.at(-1) as object, { fromAttempts: 1 });
      }),
    ],
    [
      'a sale that is claimed when it is stored, and whose attempt is not counted (O32)',
      'illegal move',
      accepted((it) => Object.assign(it.moves.at(0) as object, { to: 'PROCESSING', toAttempts: 0 })),
    ],
    [
      'a delivered order that becomes PENDING',
      'illegal move',
      delivered((it) => it.move('CREATE', 'SENT', 'PENDING', { toAttempts: 0 })),
    ],
    [
      'a job whose failed probe is counted twice (O45)',
      'illegal move',
      accepted((it) => {
        it.settle(it.claim(), 'FAILED');
        it.move('CREATE', 'FAILED', 'FAILED', { fromAttempts: 1, toAttempts: 2 });
      }),
    ],
    ['an order that is parked without a claim', 'illegal move', accepted((it) => it.move('CREATE', 'PENDING', 'DLQ'))],
    [
      'an order that is parked as a duplicate although an earlier attempt may have arrived',
      'parked though delivered',
      accepted((it) => {
        const first = it.claim();
        it.cook({ answered: false });
        it.settle(first, 'FAILED');
        Object.assign(it.settle(it.claim(), 'DLQ'), { reach: 'ANSWERED', httpStatus: 400, errorCode: '904' });
      }),
    ],
  ])('%s breaks %s and other rules', (_, rule, history) => {
    expect(brokenBy(history)).toContain(rule);
  });

  test.each([
    ['stored', delivered()],
    ['delivered', delivered()],
    ['cancelled', cancelled()],
  ])('a receipt order.%s that no list had: receipt skipped', (type, order) => {
    const types = ['stored', 'delivered', 'cancelled'].filter((each) => each !== type);
    order.receipts = new Map([['job-CREATE', new Set(types.map((each) => `order.${each}`))]]);
    expect(brokenBy(order)).toEqual(['receipt skipped']);
  });

  test('two 200 for one sale, and answers that name different jobs: accepted twice', () => {
    const { history } = delivered(({ order }) =>
      order.posts.push({ at: 0, until: 0, instance: 1, status: 200, code: null, jobId: 'another' }),
    );
    expect(judge(history).violations.map(({ rule }) => rule)).toEqual(['accepted twice', 'accepted twice']);
  });

  test.each([
    ['viewer', 500, ['wrong answer']],
    ['viewer', 200, []],
    ['viewer', 503, []],
    ['viewer', null, []],
    ['reader of receipts', 400, ['wrong answer']],
    ['reader of receipts', 503, []],
    ['reader of files', 500, ['wrong answer']],
    ['reader of files', 429, []],
    ['tenant with refused rows', 200, ['lost']],
    ['tenant with refused rows', 500, []],
  ] as const)('a %s that is answered %s: %j', (who, status, broken) => {
    expect(brokenBy(delivered(({ bystanders }) => bystanders.push({ who, path: '/', status, code: null })))).toEqual(
      broken,
    );
  });
});

describe('reasons of a double', () => {
  test('a lost answer of the POS', () => {
    const { violations, doubles } = judge(doubled({ answered: false }).history);
    expect(violations).toEqual([]);
    expect(doubles).toEqual([expect.objectContaining({ key: 'C-1', reason: 'the POS gave no answer' })]);
  });

  test('a call that arrives late, after the next attempt has delivered, or together with its call', () => {
    const late = accepted((it) => {
      it.settle(it.claim(), 'FAILED');
      it.deliver({ pid: 200 });
      it.cook({ answered: false });
    });
    const together = accepted((it) => {
      it.settle(it.claim(), 'FAILED');
      const second = it.claim();
      it.cook({ answered: false });
      it.cook({ answered: false });
      it.settle(second, 'FAILED');
      it.deliver();
    });
    expect(judge(late.history)).toMatchObject({ violations: [], doubles: [{ reason: 'the POS gave no answer' }] });
    expect(judge(together.history)).toMatchObject({ violations: [], doubles: [{}, {}] });
  });

  test.each<[string, Partial<Fault>, Partial<Fault>]>([
    ['kill of the process that sent it', { kind: 'kill', pid: 100 }, { kind: 'kill', pid: 200 }],
    ['a dead connection of its instance', { kind: 'half-open', instance: 0 }, { kind: 'half-open', instance: 1 }],
  ])('%s, not of another', (_, own, anothers) => {
    const reasonWith = (fault: Partial<Fault>) => {
      const { pos, faults, history } = doubled();
      const at = (pos[0]?.at ?? 0) + 1;
      faults.push({ at, until: at, kind: 'kill', instance: 0, text: '', ...fault });
      return judge(history).doubles[0]?.reason ?? null;
    };
    expect(reasonWith(own)).toContain(own.kind);
    expect(reasonWith(anothers)).toBeNull();
  });
});

test('an answer that arrives after the lease settles the job once, while no other claim exists', () => {
  const late = accepted((it) => {
    const claim = it.claim();
    it.cook();
    it.expire(claim);
    const { at, tx } = it.move('CREATE', 'PENDING', 'SENT');
    const attemptId = claim.split('/')[1] as string;
    it.attemptWrites.push({ at, tx, attemptId, jobId: 'job-CREATE', was: 'LOST', outcome: 'SENT' });
  });
  expect(brokenBy(late)).toEqual([]);
  late.attemptWrites.pop();
  expect(brokenBy(late)).toEqual(['settled twice']);
});

test('an order that was stored and claimed after the last fault took its own time, and not the time since the fault', () => {
  const history = delivered();
  const [stored, claimed, sent] = history.moves;
  if (!stored || !claimed || !sent) throw new Error('it was not delivered');
  // one statement stores and claims it (O32)
  history.moves.splice(0, 2, { ...claimed, from: null, at: claimed.at });
  expect(judge({ ...history.history, quietAt: stored.at - 60_000 }).slowestMs).toBe(sent.at - claimed.at);
});
