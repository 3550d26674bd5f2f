// The road of an order through the database: stored in batches of 50, claimed by turns, settled. The statements are the relay's.
import { randomBytes, randomUUID } from 'node:crypto';
import { parseSale } from '../../../src/domain/sale.ts';
import { claimDue } from '../../../src/outbox/store/claim.ts';
import { enqueueAll } from '../../../src/outbox/store/enqueue.ts';
import { rowOf } from '../../../src/outbox/store/new-row.ts';
import { settle } from '../../../src/outbox/store/settle.ts';
import { sale } from '../../load/payload.mjs';

const STORED_AT_ONCE = 50;
const CLAIMED_AT_ONCE = 20;
const RULES = { acceptsTender: () => true, knowsTender: () => true };
const DELIVERED = {
  ...{
    settling: 'deliver',
    reach: 'ANSWERED',
    httpStatus: 200,
    errorCode: null,
    cause: null,
    error: null,
    retryAfterMs: null,
  },
};

/**
 * Sends `orders` sales down the road, one statement after the other.
 * @returns microseconds for each order: processor time of Postgres in `store`, `claim`, `settle` and `all`; `clock`: of all statements
 * @throws when an order is not stored, claimed and settled once
 */
export async function road(session, restaurants, orders) {
  const clock = session.statementMs;
  const batches = Array.from({ length: orders / STORED_AT_ONCE }, (_, batch) =>
    Array.from({ length: STORED_AT_ONCE }, (_, n) => rowOf(eventOf(restaurants, batch * STORED_AT_ONCE + n))),
  );
  const store = await timed(session, async () => {
    for (const rows of batches) {
      const results = await enqueueAll(session, rows, { claimIds: [], atCap: [] }, false);
      if (results.some(({ result }) => result !== 'stored'))
        throw new Error(`not stored: ${JSON.stringify(results[0])}`);
    }
  });
  const claimed = [];
  const claim = await timed(session, async () => {
    for (;;) {
      const claimIds = Array.from({ length: CLAIMED_AT_ONCE }, () => `bench/${randomUUID()}`);
      const jobs = await claimDue(session, { claimIds, inHand: new Map(), cap: CLAIMED_AT_ONCE });
      if (jobs.length === 0) break;
      claimed.push(jobs);
    }
  });
  for (const job of claimed.flat()) session.claimed.set(job.id, job);
  if (session.claimed.size !== orders) throw new Error(`claimed were ${session.claimed.size} of ${orders}`);
  const settled = await timed(session, async () => {
    for (const jobs of claimed) {
      const ended = jobs.map((job) => ({ job, outcome: DELIVERED, durationMs: 40, retryInMs: null }));
      if ((await settle(session, ended)).includes(false)) throw new Error('a claim was lost');
    }
  });
  session.claimed.clear();
  const ofOrder = (ms) => (1_000 * ms) / orders;
  return {
    ...{
      store: ofOrder(store),
      claim: ofOrder(claim),
      settle: ofOrder(settled),
      all: ofOrder(store + claim + settled),
    },
    clock: ofOrder(session.statementMs - clock),
  };
}

/** ms of processor time */
async function timed(session, work) {
  const before = session.processorMs;
  await work();
  return session.processorMs - before;
}

function eventOf(restaurants, n) {
  const key = randomUUID();
  const body = { ...sale('', n, 'STORE-1'), transactionKey: key };
  return {
    sale: parseSale(body, RULES),
    place: { sender: 'user', restaurantId: restaurants[n % restaurants.length] },
    transactionKey: key,
    testMode: false,
    trace: { id: randomBytes(16).toString('hex'), parent: null, sampled: false },
  };
}
