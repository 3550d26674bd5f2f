import { Outages } from '../../src/outbox/outages.js';
import type { ClaimedJob } from '../../src/outbox/store/claim.js';
import type { Failing } from '../../src/outbox/store/outages.js';
import type { Behaviour } from '../../tools/simulator/behaviour.js';
import { sale } from '../support/client.js';
import type { TestRelay } from '../support/relay.js';
import { Scenario } from '../support/scenario.js';
import { marked } from '../support/secrets.js';
import { ASKS } from './ask-first.js';

const EAGER = { WORKER_ENABLED: 'true', OUTBOX_PACE: 'eager', OUTBOX_TICK_MS: '3600000' };
const DOWN = { mode: 'status', status: 503 } as const;

describe('an outage is probed (O45)', () => {
  let scenario: Scenario;

  async function start(changes: Record<string, string> = {}) {
    scenario = await Scenario.open({ ...EAGER, ...changes });
    await scenario.relay.createRestaurant();
    scenario.pos.behave(DOWN);
  }
  afterEach(() => scenario.close());

  /** As the schedule does each second, until the failures are recorded. */
  const update = (relay: TestRelay = scenario.relay) =>
    scenario.jobs.until(async () => {
      await relay.get(Outages).update();
      const [row] = await scenario.database.query<{ recorded: boolean }>(`
        SELECT coalesce(bool_and(failed_at > (SELECT max(started_at) FROM delivery_attempts WHERE cause IN ('failing', 'unanswered', 'sign_in'))),
          false) AS recorded FROM pos_outages`);
      return row?.recorded === true;
    });
  const dueIn = async (id: string) => (await scenario.jobs.get(id)).due_in_ms as number;

  async function sell(): Promise<string> {
    const id = await scenario.relay.accept(sale());
    await scenario.jobs.until(async () => !['PENDING', 'PROCESSING'].includes((await scenario.jobs.get(id)).status));
    return id;
  }

  /** Sends the order now. @returns it, once the outage was updated */
  async function sendNow(id: string) {
    const before = (await scenario.jobs.attempts(id)).length;
    await scenario.jobs.makeDue(id);
    await scenario.relay.tick();
    await scenario.jobs.until(async () => (await scenario.jobs.attempts(id)).length > before);
    await update();
    return scenario.jobs.get(id);
  }

  /** Sends the order when its backoff has ended. */
  async function sendAtItsTime(id: string) {
    await scenario.database.query(`UPDATE pos_outages SET ladder_at = now() - interval '1 second'`);
    return sendNow(id);
  }

  test('the oldest order is sent each 30 to 60 s, and no other (L199)', async () => {
    await start();
    const [oldest, ...others] = [await sell(), await sell(), await sell()];
    await update();
    await sendAtItsTime(oldest);
    for (let probes = 0; probes < 3; probes++) {
      expect(await dueIn(oldest)).toBeGreaterThan(25_000);
      expect(await dueIn(oldest)).toBeLessThanOrEqual(60_000);
      for (const other of others) expect(await dueIn(other)).toBeGreaterThan(100_000);
      await sendNow(oldest);
    }
  });

  test('a probe has a row, and is not counted: the backoff goes on as without probes', async () => {
    await start();
    const id = await sell();
    await update();
    expect(await sendAtItsTime(id)).toMatchObject({ attempts: 2 });
    for (let probes = 0; probes < 3; probes++) expect(await sendNow(id)).toMatchObject({ attempts: 2 });
    expect(await sendAtItsTime(id)).toMatchObject({ attempts: 3 });
    const rows = (await scenario.jobs.attempts(id)) as { number: number }[];
    expect(rows.map(({ number }) => number)).toEqual([1, 2, 3, 3, 3, 3]);
  });

  test('a probe parks no order: the last attempt comes at its own time', async () => {
    await start({ OUTBOX_MAX_ATTEMPTS: '3' });
    const id = await sell();
    await update();
    for (let probes = 0; probes < 5; probes++)
      expect(await sendNow(id)).toMatchObject({ status: 'FAILED', attempts: 1 });
    await sendAtItsTime(id);
    expect(await dueIn(id)).toBeGreaterThan(110_000);
    expect(await sendAtItsTime(id)).toMatchObject({ status: 'DLQ', attempts: 3 });
  });

  test('a refused sign-in is probed each 5 min, and at once when the credentials change (O48, L209, R32)', async () => {
    scenario = await Scenario.open(EAGER);
    const restaurant = await scenario.relay.createRestaurant();
    scenario.pos.behave({ mode: 'status', status: 401 });
    const [oldest, other] = [await sell(), await sell()];
    await update();
    await sendAtItsTime(oldest);
    await sendAtItsTime(oldest);
    for (let probes = 0; probes < 3; probes++) {
      expect(await dueIn(oldest)).toBeGreaterThan(290_000);
      expect(await dueIn(oldest)).toBeLessThanOrEqual(330_000);
      expect(await sendNow(oldest)).toMatchObject({ attempts: 3 });
    }
    const changes = { posIdPartner: 'partner', posSecret: marked('new-secret') };
    await scenario.relay.api.patch(`/restaurants/${restaurant}`, await scenario.relay.login(), changes).expect(200);
    await scenario.jobs.until(async () => (await scenario.jobs.attempts(oldest)).length === 7);
    await scenario.jobs.until(async () => (await scenario.jobs.attempts(other)).length === 2);
  });

  test('a longer Retry-After is honoured (O15)', async () => {
    await start();
    const id = await sell();
    await update();
    scenario.pos.behave({ ...DOWN, retryAfter: 600 });
    await sendNow(id);
    expect(await dueIn(id)).toBeGreaterThan(590_000);
  });

  test('a new sale that fails does not put the probe off', async () => {
    await start();
    const id = await sell();
    await update();
    await sendAtItsTime(id);
    const { next_run_at: planned } = await scenario.jobs.get(id);
    await sell();
    await update();
    expect((await scenario.jobs.get(id)).next_run_at).toEqual(planned);
  });

  test('while a probe is under way, no other is planned', async () => {
    await start();
    const [oldest, other] = [await sell(), await sell()];
    await update();
    await sendAtItsTime(oldest);
    scenario.pos.behave({ mode: 'gate', register: 'before', times: 1 });
    await scenario.jobs.makeDue(oldest);
    void scenario.relay.tick();
    await scenario.pos.when(() => scenario.pos.waiting === 1);
    scenario.pos.behave(DOWN);
    await sell();
    await update();
    expect(await dueIn(other)).toBeGreaterThan(100_000);
    scenario.pos.release();
  });

  test('two instances plan one probe, and count it once', async () => {
    await start();
    const id = await sell();
    await update();
    const second = await scenario.start();
    await update(second);
    await sendAtItsTime(id);
    await scenario.jobs.makeDue(id);
    await second.tick();
    await scenario.jobs.until(async () => (await scenario.jobs.attempts(id)).length === 3);
    await Promise.all([update(second), update()]);
    expect(await scenario.jobs.get(id)).toMatchObject({ status: 'FAILED', attempts: 2 });
    expect(await dueIn(id)).toBeGreaterThan(25_000);
  });

  test('when the order of the probes was withdrawn, the next one takes its place', async () => {
    await start();
    const [oldest, next] = [await sell(), await sell()];
    await update();
    await sendAtItsTime(oldest);
    await scenario.database.query(
      `UPDATE outbox_jobs SET status = 'DLQ', withdrawn = true, cause = 'withdrawn', next_run_at = NULL WHERE id = $1`,
      [oldest],
    );
    await scenario.database.query(`UPDATE pos_outages SET failed_at = failed_at - interval '3 minutes'`);
    const second = await scenario.start();
    await scenario.jobs.until(async () => {
      await second.get(Outages).update();
      return (await dueIn(next)) <= 60_000;
    });
  });

  test('an order that may have arrived is asked for, and not sent again (D19)', async () => {
    await start(ASKS);
    scenario.pos.behave({ mode: 'reset-after', times: 1 });
    const id = await sell();
    await update();
    scenario.pos.behave(DOWN);
    const { orderCalls, lookupCalls } = scenario.pos;
    await sendNow(id);
    expect([scenario.pos.orderCalls - orderCalls, scenario.pos.lookupCalls - lookupCalls]).toEqual([0, 1]);
  });

  const ends: [string, Behaviour, boolean][] = [
    ['a delivery', { mode: 'ok' }, true],
    ['a 422', { mode: 'status', status: 422 }, true],
    ['a 400', { mode: 'status', status: 400, errorCode: 310 }, true],
    ['a 404 with an error code', { mode: 'status', status: 404, errorCode: 310 }, true],
    ['a 404 without one: a proxy', { mode: 'html', status: 404 }, false],
    ['a 302', { mode: 'redirect', location: '/maintenance' }, false],
    ['a 401', { mode: 'status', status: 401 }, false],
    ['a 429 with Retry-After', { mode: 'status', status: 429, retryAfter: 600 }, false],
    ['a 503 with Retry-After', { ...DOWN, retryAfter: 600 }, false],
  ];
  test.each(ends)('%s of the probe (O46)', async (_, answer, isEnd) => {
    await start();
    const [oldest, other] = [await sell(), await sell()];
    await update();
    await sendAtItsTime(oldest);
    scenario.pos.behave(answer);
    await sendNow(oldest);
    if (isEnd) expect(await dueIn(other)).toBeLessThanOrEqual(4_000);
    else expect(await dueIn(other)).toBeGreaterThan(20_000);
  });
});

describe('the probes of many outages keep to a part of the slots (O45, L199)', () => {
  test.each([
    [1, 10_000, 30_000],
    [2_000, 10_000, 4_000_000],
    [2_000, 1, 100_000],
  ])(
    '%i restaurants whose attempts take %i ms: each is probed after %i ms or more',
    async (count, durationMs, leastMs) => {
      const planned: Failing[] = [];
      const restaurants = Array.from({ length: count }, (_, n) => ({ restaurantId: `r${n}`, failedMsAgo: 0 }));
      const jobs = {
        recordFailures: async () => {},
        holdBack: async (failing: Failing[]) => void planned.splice(0, planned.length, ...failing),
        lastingOutages: async () => restaurants,
      };
      const config = { outbox: { pace: 'eager', batchSize: 20 }, pos: { timeoutMs: 16_000 } };
      const outages = new Outages(jobs as never, config as never, {} as never);
      const outcome = {
        settling: 'retry',
        httpStatus: 503,
        errorCode: null,
        cause: 'failing',
        retryAfterMs: null,
      } as never;
      for (let round = 0; round < 2; round++) {
        for (let n = 0; n < Math.max(count, 500); n++) {
          const { restaurantId } = restaurants[n % count] as { restaurantId: string };
          outages.note({ id: `j${n}`, restaurantId, claimedAt: '' } as ClaimedJob, outcome, durationMs);
        }
        planned.length = 0;
        // the statements pause for a moment after each other
        while (planned.length === 0) await outages.update();
      }
      expect(planned.map(({ probeInMs }) => probeInMs >= leastMs && probeInMs <= 2 * leastMs)).not.toContain(false);
    },
  );
});
