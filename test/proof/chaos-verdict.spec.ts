import type { Fault } from '../../proof/chaos/history.js';
import { judge } from '../../proof/chaos/verdict.js';
import { ToldHistory } from './chaos-history.js';

/** The rules that a history breaks. */
const brokenBy = ({ history }: ToldHistory) => [...new Set(judge(history).violations.map(({ rule }) => rule))];

/** An order, as far as `happens` takes it. */
function told(happens: (told: ToldHistory) => void): ToldHistory {
  const history = new ToldHistory();
  happens(history);
  return history;
}

/** Accepted. */
const accepted = (happens: (told: ToldHistory) => void) =>
  told((history) => {
    history.post(200);
    happens(history);
  });

/** Accepted, sent, delivered, and what happens then. */
const delivered = (happens: (told: ToldHistory) => void = () => {}) =>
  accepted((history) => {
    const lock = history.lock();
    history.cook();
    history.settle(lock, 'SENT');
    happens(history);
  });

/** Delivered, then cancelled at the POS, and what happens then. */
const cancelled = (happens: (told: ToldHistory) => void = () => {}) =>
  delivered((history) => {
    history.cancel();
    const lock = history.lock('CANCEL');
    history.cancelAtPos();
    history.settle(lock, 'SENT', 'CANCEL');
    happens(history);
  });

/** Accepted, cooked, lost by its worker after that, and cooked again. */
const doubled = ({ answered = true } = {}) =>
  accepted((history) => {
    const lost = history.lock();
    history.cook({ answered });
    history.expire(lost);
    const lock = history.lock('CREATE', 200);
    history.cook({ pid: 200 });
    history.settle(lock, 'SENT');
  });

const WITHOUT_REASON = 'doubled without a reason';

test.each([
  ['delivered', delivered()],
  ['delivered, then cancelled', cancelled()],
])('an order that was %s breaks nothing', (_, { history }) => {
  expect(judge(history)).toMatchObject({ sent: 1, accepted: 1, delivered: 1, violations: [], doubles: [] });
});

describe('what an order breaks', () => {
  test.each<[what: string, rule: string, told: ToldHistory]>([
    ['an accepted sale that the relay does not have', 'lost', delivered(({ jobs }) => jobs.splice(0))],
    [
      'a sale that was refused as a duplicate, so the relay says that it has it',
      'lost',
      told((it) => {
        it.post(503);
        it.post(400, 'DUPLICATE_TRANSACTION');
      }),
    ],
    [
      'a sale that nobody accepted',
      'stuck',
      told((it) => {
        it.post(503);
        it.post(null);
      }),
    ],
    ['an order that is SENT, and that the POS never took', 'lost', delivered(({ pos }) => pos.splice(0))],
    [
      'an accepted cancel that the relay does not have',
      'lost',
      delivered(({ order, now }) =>
        order.cancels.push({ at: now, until: now, instance: 0, status: 202, code: null, jobId: 'x' }),
      ),
    ],
    ...['PENDING', 'FAILED', 'DLQ'].map((status): [string, string, ToldHistory] => [
      `a job that is ${status} at the end`,
      'stuck',
      delivered(({ jobs }) => Object.assign(jobs[0] as object, { status })),
    ]),
    ['an order that no terminal sent', 'unexpected', delivered((it) => it.cook({ orderId: 'C-2' }))],
    [
      'an order that is a cent dearer at the POS',
      'unexpected',
      accepted((it) => {
        const lock = it.lock();
        it.cook({ content: it.order.content.replace('1250', '1251') });
        it.settle(lock, 'SENT');
      }),
    ],
    ['a double without a fault that explains it', WITHOUT_REASON, doubled()],
    [
      'a double where the POS refuses duplicates, or can be asked',
      WITHOUT_REASON,
      Object.assign(doubled({ answered: false }), { strictStores: new Set(['POS-1']) }),
    ],
    [
      'a double after an attempt that was answered with a refusal',
      WITHOUT_REASON,
      accepted((it) => {
        const first = it.lock();
        it.cook({ answered: false });
        Object.assign(it.settle(first, 'FAILED'), { reach: 'ANSWERED', httpStatus: 429 });
        const second = it.lock();
        it.cook();
        it.settle(second, 'SENT');
      }),
    ],
    [
      'two orders of one claim',
      WITHOUT_REASON,
      accepted((it) => {
        const lock = it.lock();
        it.cook({ answered: false });
        it.cook();
        it.settle(lock, 'SENT');
      }),
    ],
    [
      'an order that is locked after its cancel was accepted',
      'sent after its cancel',
      accepted((it) => {
        it.cancel();
        const lock = it.lock();
        it.cook();
        it.settle(lock, 'SENT');
        const cancel = it.lock('CANCEL');
        it.cancelAtPos();
        it.settle(cancel, 'SENT', 'CANCEL');
      }),
    ],
    ['a cancel that is SENT, and that the POS never got', 'not cancelled', cancelled(({ pos }) => pos.pop())],
    [
      'a job that is settled by a worker who had lost it',
      'settled twice',
      accepted((it) => {
        const lost = it.lock();
        it.expire(lost);
        const lock = it.lock('CREATE', 200);
        it.cook();
        // the lock is the other's: without looking at it, the first settles what the second holds
        it.settle(lock, 'SENT');
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
    ...[401, 404, 409, 500].map((status): [string, string, ToldHistory] => [
      `a sale that is answered ${status}`,
      'wrong answer',
      delivered((it) => it.post(status, 'SOMETHING')),
    ]),
  ])('%s: %s', (_, rule, history) => {
    expect(brokenBy(history)).toEqual([rule]);
  });

  test.each<[what: string, rule: string, told: ToldHistory]>([
    ['an order that is cooked after its cancel was called', 'sent after its cancel', cancelled((it) => it.cook())],
    ['a lease that the reaper did not wait for', 'illegal move', accepted((it) => it.expire(it.lock(), 3_000))],
    [
      'a claim whose attempt is not counted',
      'illegal move',
      accepted((it) => {
        it.lock();
        Object.assign(it.moves.at(-1) as object, { fromAttempts: 1 });
      }),
    ],
    [
      'a delivered order that waits again',
      'illegal move',
      delivered((it) => it.move('CREATE', 'SENT', 'PENDING', { toAttempts: 0 })),
    ],
    ['an order that is parked without a claim', 'illegal move', accepted((it) => it.move('CREATE', 'PENDING', 'DLQ'))],
    [
      'an order that is parked as a duplicate of what an earlier attempt delivered',
      'parked though delivered',
      accepted((it) => {
        const first = it.lock();
        it.cook({ answered: false });
        it.settle(first, 'FAILED');
        Object.assign(it.settle(it.lock(), 'DLQ'), { reach: 'ANSWERED', httpStatus: 400, errorCode: '904' });
      }),
    ],
  ])('%s: %s, among others', (_, rule, history) => {
    expect(brokenBy(history)).toContain(rule);
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
    ['tenant with refused rows', 200, ['lost']],
    ['tenant with refused rows', 500, []],
  ] as const)('a %s that is answered %s: %j', (who, status, broken) => {
    expect(brokenBy(delivered(({ bystanders }) => bystanders.push({ who, path: '/', status, code: null })))).toEqual(
      broken,
    );
  });
});

describe('what explains a double', () => {
  test('an answer that the POS never gave', () => {
    const { violations, doubles } = judge(doubled({ answered: false }).history);
    expect(violations).toEqual([]);
    expect(doubles).toEqual([expect.objectContaining({ key: 'C-1', reason: 'the POS gave no answer' })]);
  });

  test.each<[string, Partial<Fault>, Partial<Fault>]>([
    ['the death of the process that had asked', { kind: 'kill', pid: 100 }, { kind: 'kill', pid: 200 }],
    ['the dead connection of its instance', { kind: 'half-open', instance: 0 }, { kind: 'half-open', instance: 1 }],
  ])('%s, not that of another', (_, own, anothers) => {
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

test('an answer that came after the lease counts once, while nobody has followed it up', () => {
  const late = accepted((it) => {
    const lock = it.lock();
    it.cook();
    it.expire(lock);
    const { at, tx } = it.move('CREATE', 'PENDING', 'SENT');
    const attemptId = lock.split('/')[1] as string;
    it.attemptWrites.push({ at, tx, attemptId, jobId: 'job-CREATE', was: 'LOST', outcome: 'SENT' });
  });
  expect(brokenBy(late)).toEqual([]);
  late.attemptWrites.pop();
  expect(brokenBy(late)).toEqual(['settled twice']);
});
