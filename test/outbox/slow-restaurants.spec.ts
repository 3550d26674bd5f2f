import { randomUUID } from 'node:crypto';
import { JobStore } from '../../src/outbox/job-store.js';
import { type HeldJob, Slots } from '../../src/outbox/slots.js';
import { SlowCalls } from '../../src/outbox/slow-calls.js';
import { Worker } from '../../src/outbox/worker.js';
import { sale } from '../support/client.js';
import type { TestRelay } from '../support/relay.js';
import { Scenario } from '../support/scenario.js';

const BATCH = 8;
const HALF = BATCH / 2;
/** No tick of the schedule during a test. */
const NEVER = '3600000';
const SLOW_STORES = Array.from({ length: 2 * BATCH }, (_, n) => `STORE-SLOW-${n}`);

describe('many restaurants whose POS is slow do not starve the others (O43, L166)', () => {
  const scenario = Scenario.ofSuite({ OUTBOX_BATCH_SIZE: String(BATCH), POS_TIMEOUT_MS: '20000' });
  let relay: TestRelay;
  let slow: readonly string[];
  let quick: string;

  beforeEach(async () => {
    slow = await Promise.all(SLOW_STORES.map(async (code) => (await scenario.restaurant(code)).id));
    quick = (await scenario.restaurant('STORE-QUICK')).id;
    await scenario.database.query('UPDATE restaurants SET code_store_pos = code_store_terminal');
    scenario.pos.behave({ mode: 'gate', register: 'before', paths: ['/order'], stores: SLOW_STORES });
  });
  afterEach(async () => {
    scenario.pos.release();
    scenario.pos.behave({ mode: 'ok' });
    await relay.close();
    await scenario.empty();
  });

  async function begin(pace: 'eager' | 'tick'): Promise<SlowCalls> {
    relay = await scenario.start({ WORKER_ENABLED: 'true', OUTBOX_PACE: pace, OUTBOX_TICK_MS: NEVER });
    const { slots } = relay.get(Worker) as unknown as { slots: { slow: SlowCalls } };
    return slots.slow;
  }
  const sell = (storeCode: string, to = scenario.relay) => to.accept(sale({ storeCode }));
  /** Orders of the slow stores, due before all others. */
  const leaveBacklog = async () => {
    for (const code of SLOW_STORES) await sell(code);
    await scenario.database.query(`UPDATE outbox_jobs SET next_run_at = now() - interval '1 hour'`);
  };
  const count = async (ids: readonly string[], status: string) => {
    const sql = 'SELECT FROM outbox_jobs WHERE restaurant_id = ANY ($1) AND status::text = $2';
    return (await scenario.database.query(sql, [ids, status])).length;
  };

  test('eager: after a slow attempt they have half of the slots, and every order of a quick restaurant is delivered', async () => {
    const calls = await begin('eager');
    calls.note(slow[0] as string, 1_000, 'a');
    calls.note(quick, 999, 'b');
    await leaveBacklog();
    void relay.tick();
    await scenario.pos.when(() => scenario.pos.waiting === HALF);
    for (let n = 0; n < 30; n++) await sell('STORE-QUICK', relay);
    await scenario.jobs.until(async () => (await count([quick], 'SENT')) === 30);
    expect(scenario.pos.waiting).toBe(HALF);
    expect(await count(slow, 'PROCESSING')).toBe(HALF);
    // the others go on when a call has ended
    scenario.pos.behave({ mode: 'ok' });
    scenario.pos.release();
    await scenario.jobs.until(async () => (await count(slow, 'SENT')) === slow.length);
  });

  test('eager: many orders of one whose POS hangs have a quarter of the slots: the first order of one that is not known yet is sent at once', async () => {
    const calls = await begin('eager');
    calls.note(slow[1] as string, 1_000, 'a');
    calls.note(quick, 1, 'b');
    for (let n = 0; n < 2 * BATCH; n++) await sell(SLOW_STORES[0] as string);
    void relay.tick();
    await scenario.pos.when(() => scenario.pos.waiting === HALF / 2);
    const { id: fresh } = await scenario.restaurant('STORE-NEW');
    await scenario.database.query('UPDATE restaurants SET code_store_pos = code_store_terminal');
    await sell('STORE-NEW', relay);
    await scenario.jobs.until(async () => (await count([fresh], 'SENT')) === 1);
    expect([scenario.pos.waiting, await count(slow, 'PROCESSING')]).toEqual([HALF / 2, HALF / 2]);
  });

  test('eager: jobs that were claimed ahead before attempts became slow have no more than half of the slots either', async () => {
    const calls = await begin('eager');
    const { slots } = relay.get(Worker) as unknown as { slots: { taken: Map<string, number> } };
    await leaveBacklog();
    slots.taken.set(quick, BATCH);
    void relay.tick();
    await scenario.pos.when(() => scenario.pos.waiting === BATCH);
    await scenario.jobs.until(async () => (await count(slow, 'PROCESSING')) === 2 * BATCH);
    calls.note(slow[0] as string, 1_000, 'a');
    calls.note(quick, 1, 'b');
    scenario.pos.release();
    await scenario.jobs.until(async () => (await count(slow, 'SENT')) === BATCH);
    await scenario.pos.when(() => scenario.pos.waiting === HALF);
    for (let n = 0; n < 30; n++) await sell('STORE-QUICK', relay);
    await scenario.jobs.until(async () => (await count([quick], 'SENT')) === 30);
    expect(scenario.pos.waiting).toBe(HALF);
  });

  test('eager: the statement that stores sales of restaurants that are not known to be quick claims none of them', async () => {
    const calls = await begin('eager');
    calls.note(slow[0] as string, 1_000, 'a');
    calls.note(quick, 1, 'b');
    for (const code of SLOW_STORES) await sell(code, relay);
    await scenario.pos.when(() => scenario.pos.waiting === HALF);
    await sell('STORE-QUICK', relay);
    await scenario.jobs.until(async () => (await count([quick], 'SENT')) === 1);
    expect([scenario.pos.waiting, await count(slow, 'PROCESSING')]).toEqual([HALF, HALF]);
  });

  test('tick: they have half of a batch, however old their orders are', async () => {
    const calls = await begin('tick');
    calls.note(slow[0] as string, 1_000, 'a');
    calls.note(quick, 1, 'b');
    await leaveBacklog();
    for (let n = 0; n < HALF; n++) await sell('STORE-QUICK');
    void relay.tick();
    await scenario.pos.when(() => scenario.pos.waiting === HALF);
    await scenario.jobs.until(async () => (await count([quick], 'SENT')) === HALF);
    expect(await count(slow, 'PROCESSING')).toBe(HALF);
  });

  test.each([
    ['no attempt was slow', (calls: SlowCalls) => calls.note(quick, 999, 'b')],
    ['no restaurant is known to be quick', (calls: SlowCalls) => calls.note(quick, 1_000, 'b')],
  ])('while %s they may have all slots', async (_, note) => {
    note(await begin('eager'));
    await leaveBacklog();
    void relay.tick();
    await scenario.pos.when(() => scenario.pos.waiting === BATCH);
  });

  test.each(['in a backlog', 'as they are stored'])(
    'eager: quick restaurants of one account that hang by turns have 85 %% of the slots together, with orders %s (L251)',
    async (which) => {
      const calls = await begin('eager');
      const founder = randomUUID();
      const sql = 'UPDATE restaurants SET founded_by = $2 WHERE id = ANY ($1)';
      await scenario.database.query(sql, [slow, founder]);
      for (const id of slow) calls.note(id, 1, founder);
      calls.note(quick, 1, quick);
      calls.note(slow[0] as string, 1_000, founder);
      // a minute later the slots are no longer parted, and the account has still turned slow
      Object.assign(calls, { slowAt: Number.NEGATIVE_INFINITY });
      if (which === 'in a backlog') {
        await leaveBacklog();
        void relay.tick();
      } else for (const code of SLOW_STORES) await sell(code, relay);
      await scenario.pos.when(() => scenario.pos.waiting === 6);
      for (let n = 0; n < 30; n++) await sell('STORE-QUICK', relay);
      await scenario.jobs.until(async () => (await count([quick], 'SENT')) === 30);
      expect([scenario.pos.waiting, await count(slow, 'PROCESSING')]).toEqual([6, 6]);
      scenario.pos.behave({ mode: 'ok' });
      scenario.pos.release();
      await scenario.jobs.until(async () => (await count(slow, 'SENT')) === slow.length);
    },
  );

  test('eager: calls that turn slow take nothing of the part of the others: a restaurant that is not known yet is served beside them', async () => {
    const calls = await begin('eager');
    const { slots } = relay.get(Worker) as unknown as { slots: Slots };
    const founder = randomUUID();
    await scenario.database.query('UPDATE restaurants SET founded_by = $2 WHERE id = ANY ($1)', [slow, founder]);
    for (const id of slow) calls.note(id, 1, founder);
    calls.note(quick, 1, quick);
    calls.note(slow[0] as string, 1_000, founder);
    await leaveBacklog();
    void relay.tick();
    await scenario.pos.when(() => scenario.pos.waiting === 6);
    await scenario.jobs.until(async () => (slots.others?.quick.length ?? 0) <= slow.length - 5);
    const { id: fresh } = await scenario.restaurant('STORE-NEW');
    await scenario.database.query('UPDATE restaurants SET code_store_pos = code_store_terminal');
    await sell('STORE-NEW', relay);
    await scenario.jobs.until(async () => (await count([fresh], 'SENT')) === 1);
    expect(scenario.pos.waiting).toBe(6);
  });

  test.each([
    ['no place', { room: 0, cap: HALF }, undefined],
    ['its turn after the others: its calls count, also of restaurants that wait for nothing (O44)', undefined, 1],
  ])('a claim for one slot leaves an older order of a slow restaurant %s', async (_, others, jobs) => {
    await begin('tick');
    await sell(SLOW_STORES[0] as string);
    await scenario.database.query(`UPDATE outbox_jobs SET next_run_at = now() - interval '1 hour'`);
    await sell('STORE-QUICK');
    const claimIds = [relay.get(JobStore).newClaimId()];
    const inHandOf = new Map(jobs ? [[slow[0] as string, jobs]] : []);
    const claim = { claimIds, inHand: new Map(), cap: BATCH, inHandOf };
    const claimed = await relay.get(JobStore).claimDue({ ...claim, others: others && { ...others, quick: [quick] } });
    expect(claimed.map(({ restaurantId }) => restaurantId)).toEqual([quick]);
  });

  test('an attempt is noted when its slot is free', async () => {
    const calls = await begin('eager');
    calls.note(slow[0] as string, 1_000, 'a');
    expect(calls.known).toBeUndefined();
    await sell('STORE-QUICK', relay);
    await scenario.jobs.until(async () => (await count([quick], 'SENT')) === 1);
    expect([...(calls.known?.keys() ?? [])]).toEqual([quick]);
  });

  test('a minute after the last slow attempt all restaurants are alike (L167); of those that are known the oldest are forgotten', () => {
    let now = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    const calls = new SlowCalls(BATCH);
    for (let n = 0; n <= 1_000; n++) calls.note(`quick-${n}`, 0, 'b');
    calls.note('slow', 1_000, 'b');
    now += 59_999;
    expect([calls.known?.has('quick-0'), calls.known?.has('quick-1'), calls.known?.size]).toEqual([false, true, 1_000]);
    now += 1;
    expect(calls.known).toBeUndefined();
    jest.restoreAllMocks();
  });

  test('a party with a thousand quick restaurants displaces its own, not those of others', () => {
    const calls = new SlowCalls(BATCH);
    calls.note('of another', 0, 'another');
    for (let n = 0; n < 1_100; n++) calls.note(`quick-${n}`, 0, 'large');
    calls.note('slow', 1_000, 'large');
    expect([calls.known?.has('of another'), calls.known?.has('quick-100'), calls.known?.size]).toEqual([
      true,
      false,
      1_000,
    ]);
  });

  test('a call under way is slow from a second on (L166): its account has no more slots than that, for ten minutes (L252)', () => {
    let now = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    const calls = new SlowCalls(BATCH);
    const slots = new Slots(BATCH, BATCH, 0, calls);
    const held = (party: string): HeldJob =>
      ({ job: { restaurantId: `of ${party}`, party }, claimedAt: now }) as unknown as HeldJob;
    const begin = (party: string) => {
      slots.add(held(party));
      return slots.begin();
    };
    for (const party of ['hanging', 'other']) calls.note(`of ${party}`, 1, party);
    const [first] = Array.from({ length: BATCH - 1 }, () => begin('hanging')) as [HeldJob];
    now += 999;
    expect([calls.turned.size, slots.others, slots.roomOfTurned.size]).toEqual([0, undefined, 0]);
    now += 1;
    expect(slots.roomOfTurned).toEqual(new Map([['hanging', 0]]));
    expect(slots.others?.quick).toEqual(['of other']);
    slots.end(first, now, false);
    expect(begin('hanging')).toBeUndefined();
    slots.end(begin('other') as HeldJob, 1, true);
    now += 599_999;
    expect([...slots.roomOfTurned.keys()]).toEqual(['hanging']);
    now += 1;
    expect(slots.roomOfTurned.size).toBe(0);
    jest.restoreAllMocks();
  });
});
