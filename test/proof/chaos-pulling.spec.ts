import { pullingStores, STORES } from '../../proof/chaos/deployment.js';
import { readOptions } from '../../proof/chaos/options.js';
import { judge } from '../../proof/chaos/verdict.js';
import { OrderHistory } from './chaos-history.js';

const brokenBy = ({ history }: OrderHistory) => [...new Set(judge(history).violations.map(({ rule }) => rule))];

/** An accepted order of a POS that pulls, then `happens`. */
function pulled(happens: (it: OrderHistory) => void): OrderHistory {
  const history = new OrderHistory();
  history.pullingStores.add('POS-1');
  history.strictStores.add('POS-1');
  history.post(200);
  happens(history);
  return history;
}

/** A poll claims the order, or returns it again. @returns the claim */
function poll(it: OrderHistory, { store = 'POS-1', eventType = 'CREATED' } = {}): string {
  const claim = it.claim('CREATE', 0, 'pos');
  it.offers.push({ at: it.now, store, eventId: 'job-CREATE', orderId: 'job-CREATE', eventType });
  return claim;
}

/** The POS fetches the order, cooks it, and acknowledges the event. */
function fetched(it: OrderHistory): void {
  const claim = poll(it);
  it.cook({ pid: 0 });
  it.settle(claim, 'SENT');
}

const acknowledged = (happens: (it: OrderHistory) => void = () => {}) =>
  pulled((it) => {
    fetched(it);
    happens(it);
  });

/** An order that its POS has confirmed and then refused, that was reset, and that the POS has fetched again; then `happens`. */
const refused = (happens: (it: OrderHistory) => void = () => {}) =>
  acknowledged((it) => {
    it.say('ACCEPTED');
    it.say('REFUSED');
    it.reset();
    fetched(it);
    happens(it);
  });

test('an order that a POS has fetched and acknowledged breaks nothing; nor one whose lease ended before', () => {
  const late = pulled((it) => {
    it.expire(poll(it));
    fetched(it);
  });
  for (const { history } of [acknowledged(), late])
    expect(judge(history)).toMatchObject({ delivered: 1, violations: [], doubles: [] });
});

test('an order that its POS has refused and fetched again is no double, also when it refuses again, or says so until it is answered', () => {
  const again = refused((it) => {
    it.say('REFUSED', 'second');
    it.reset();
    fetched(it);
  });
  const repeated = acknowledged((it) => {
    it.say('REFUSED', 'refused', null);
    it.callOf('REFUSED', 'refused', 422);
    it.reset();
    fetched(it);
  });
  const cancelled = acknowledged((it) => {
    it.say('REFUSED');
    // nothing is to be done at the POS
    it.move('CREATE', 'DLQ', 'DLQ', { withdrawn: true });
    it.cancel();
    it.settle(it.claim('CANCEL', 0, 'pos'), 'SENT', 'CANCEL');
    Object.assign(it.jobs[0] as object, { withdrawn: true });
  });
  for (const { history } of [refused(), again, repeated, cancelled])
    expect(judge(history)).toMatchObject({ violations: [], doubles: [] });
});

test.each<[what: string, rule: string, history: OrderHistory]>([
  ['an order that is acknowledged and was never fetched', 'lost', acknowledged((it) => it.pos.splice(0))],
  ['an order that its POS cooks twice', 'doubled without a reason', acknowledged((it) => it.cook({ pid: 0 }))],
  [
    'an order that the POS of another restaurant got',
    'offered to two',
    acknowledged((it) =>
      it.offers.push({
        at: it.now,
        store: 'POS-2',
        eventId: 'job-CREATE',
        orderId: 'job-CREATE',
        eventType: 'CREATED',
      }),
    ),
  ],
  ['a claim by a worker', 'offered to two', pulled((it) => it.deliver())],
  [
    'a second claim while the first holds',
    'offered to two',
    pulled((it) => {
      const first = poll(it);
      it.move('CREATE', 'PROCESSING', 'PROCESSING', { fromLock: first, toLock: 'pos/second' });
      it.cook({ pid: 0 });
      it.settle('pos/second', 'SENT');
    }),
  ],
  [
    'an event CREATED of a poll that was sent after the cancel was accepted',
    'offered after its cancel',
    acknowledged((it) => {
      it.cancel();
      it.offers.push({
        at: it.now + 1,
        store: 'POS-1',
        eventId: 'job-CREATE',
        orderId: 'job-CREATE',
        eventType: 'CREATED',
      });
      const claim = it.claim('CANCEL');
      it.cancelAtPos();
      it.settle(claim, 'SENT', 'CANCEL');
    }),
  ],
])('%s: %s', (_, rule, history) => {
  expect(brokenBy(history)).toContain(rule);
});

test.each<[what: string, rule: string, history: OrderHistory]>([
  [
    'a refusal that was answered 202 and that the relay does not have',
    'statement lost',
    acknowledged((it) => it.callOf('REFUSED', 'refused', 202)),
  ],
  [
    'a confirmation that was answered 202 and that the relay does not have',
    'statement lost',
    acknowledged((it) => it.callOf('ACCEPTED', 'accepted', 202)),
  ],
  [
    'a refusal that is recorded, and whose order stays delivered',
    'statement lost',
    acknowledged((it) => {
      it.say('REFUSED');
      it.moves.pop();
      Object.assign(it.jobs[0] as object, { status: 'SENT' });
    }),
  ],
  [
    'a refused order that was delivered again by the event that its POS had handled',
    'lost',
    acknowledged((it) => {
      it.say('REFUSED');
      it.reset();
      it.settle(poll(it), 'SENT');
    }),
  ],
  ['a refused order that nobody has sent again', 'stuck', acknowledged((it) => it.say('REFUSED'))],
  [
    'a refusal that is recorded for each of its calls, although one was answered with an error',
    'recorded twice',
    acknowledged((it) => {
      it.say('REFUSED');
      it.reset();
      fetched(it);
      it.say('REFUSED', 'refused', 422);
      it.reset();
      fetched(it);
    }),
  ],
  [
    'a confirmation that is recorded twice',
    'recorded twice',
    acknowledged((it) => {
      it.say('ACCEPTED');
      it.recorded.push({ ...(it.recorded[0] as (typeof it.recorded)[0]) });
    }),
  ],
  [
    'a second refusal of an order that nobody has sent again',
    'recorded twice',
    acknowledged((it) => {
      it.say('REFUSED', 'first');
      it.say('REFUSED', 'second');
      it.reset();
      fetched(it);
    }),
  ],
  ['a refusal that no POS has said', 'unexpected', refused((it) => it.statements.pop())],
  [
    'a refusal of an order that was cancelled before',
    'illegal move',
    acknowledged((it) => {
      it.cancel();
      it.say('REFUSED');
      Object.assign(it.jobs[0] as object, { withdrawn: true });
      const claim = it.claim('CANCEL', 0, 'pos');
      it.cancelAtPos();
      it.settle(claim, 'SENT', 'CANCEL');
    }),
  ],
  [
    'a delivered order that is parked without a refusal, and sent again',
    'illegal move',
    acknowledged((it) => {
      it.move('CREATE', 'SENT', 'DLQ');
      it.reset();
      it.settle(poll(it), 'SENT');
    }),
  ],
  ['an order that is cooked twice after one refusal', 'doubled without a reason', refused((it) => it.cook({ pid: 0 }))],
  [
    'an order that is offered again although its POS has not refused it',
    'doubled without a reason',
    acknowledged((it) => {
      it.reset();
      fetched(it);
    }),
  ],
])('%s: %s', (_, rule, history) => {
  expect(brokenBy(history)).toContain(rule);
});

test('a confirmation whose receipt order.accepted no list had: receipt skipped', () => {
  const order = refused();
  order.receipts = new Map([['job-CREATE', new Set(['order.stored', 'order.delivered'])]]);
  expect(brokenBy(order)).toEqual(['receipt skipped']);
});

test('the share of restaurants whose POS pulls is an option', () => {
  expect(readOptions([], {}).pulling).toBe(0.5);
  expect(() => readOptions(['--pulling', '2'], {})).toThrow('--pulling must be a share from 0 to 1, not "2"');
  expect([...pullingStores(0.5)]).toEqual(['POS-2', 'POS-4', 'POS-6']);
  expect([pullingStores(0).size, pullingStores(1).size]).toEqual([0, STORES.length]);
});
