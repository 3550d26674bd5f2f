import type { Cause } from '../../src/domain/cause.js';
import { sale } from '../support/client.js';
import { EAGER, OWN } from '../support/environment.js';
import { Scenario } from '../support/scenario.js';
import { marked } from '../support/secrets.js';

const HOUR_MS = 3_600_000;
const NEW_CODE = { codeStorePos: '4711' };
const NEW_SECRET = { posSecret: marked('the-next-secret') };

describe('R32: setting a missing value makes the orders due that failed for it', () => {
  const scenario = Scenario.ofSuite({ POS_PARTNER_ID: '', POS_SECRET: '' });
  let stores = 0;
  afterEach(() => scenario.pos.behave({ mode: 'ok' }));

  /** A restaurant with an order that has failed once. @param lacks the fields that are missing or wrong */
  async function failed(lacks: object, on = scenario) {
    const codeStoreTerminal = `SETTING-${++stores}`;
    const owner = await on.person();
    const fields = { name: codeStoreTerminal, codeStoreTerminal, codeStorePos: '1001', ...OWN, ...lacks };
    const { body } = await on.api.post('/restaurants', owner.token, fields).expect(201);
    const job = await on.relay.accept(sale({ storeCode: codeStoreTerminal }));
    await on.jobs.makeDue(job);
    await on.relay.tick();
    await on.jobs.until(async () => (await on.jobs.get(job)).status === 'FAILED');
    const change = (changes: object) => on.api.patch(`/restaurants/${body.data.id}`, owner.token, changes).expect(200);
    return { job, change };
  }
  const dueInMs = async (job: string) => (await scenario.jobs.get(job)).due_in_ms as number;

  test.each([
    ['codeStorePos', { codeStorePos: null }, { codeStorePos: '1001' }, /^restaurant has no codeStorePos$/],
    ['credentials', { posIdPartner: null, posSecret: null }, OWN, /^no POS credentials/],
    ['a refused sign-in', { posSecret: marked('a-wrong-secret') }, OWN, /^POS sign-in failed: HTTP 401/],
  ])('%s: the job stays FAILED with its attempt, is due now, and is sent', async (_, lacks, change, error) => {
    const restaurant = await failed(lacks);
    const { job } = restaurant;
    expect(await scenario.jobs.get(job)).toMatchObject({ last_error: expect.stringMatching(error) });
    expect(await dueInMs(job)).toBeGreaterThan(0);
    await restaurant.change(change);
    expect(await scenario.jobs.get(job)).toMatchObject({ status: 'FAILED', attempts: 1 });
    expect(await dueInMs(job)).toBeLessThanOrEqual(0);
    await scenario.relay.tick();
    expect((await scenario.jobs.get(job)).status).toBe('SENT');
  });

  test.each<[Cause, object]>([
    ['sign_in', NEW_SECRET],
    ['sign_in', { posIdPartner: 'p' }],
    ['no_credentials', NEW_SECRET],
    ['no_credentials', { posIdPartner: 'p' }],
    ['no_code_store_pos', NEW_CODE],
  ])('due at once, whatever the error says: %s', async (cause, changes) => {
    const { job, change } = await failed({ codeStorePos: null });
    await waitsAnHour(job, cause);
    await change(changes);
    expect(await dueInMs(job)).toBeLessThanOrEqual(0);
  });

  test.each<[Cause | null, object]>([
    ['failing', { ...NEW_CODE, ...NEW_SECRET }],
    ['unanswered', { ...NEW_CODE, ...NEW_SECRET }],
    ['busy', { ...NEW_CODE, ...NEW_SECRET }],
    ['unconfirmed', { ...NEW_CODE, ...NEW_SECRET }],
    [null, { ...NEW_CODE, ...NEW_SECRET }],
    ['sign_in', NEW_CODE],
    ['no_code_store_pos', NEW_SECRET],
    ['no_code_store_pos', { name: 'Another name' }],
    ['no_code_store_pos', { codeStoreTerminal: 'another code' }],
  ])('keeps its backoff: %s, when %p changes', async (cause, changes) => {
    const { job, change } = await failed({ codeStorePos: null });
    await waitsAnHour(job, cause);
    await change(changes);
    expect(await dueInMs(job)).toBeGreaterThan(HOUR_MS / 2);
  });

  test.each<Cause>(['unanswered', 'failing', 'busy', 'sign_in', 'no_code_store_pos'])(
    'another POS makes due what failed of the one of before, and ends its outage: %s (O33)',
    async (cause) => {
      const { job, change } = await failed({ codeStorePos: null });
      await waitsAnHour(job, cause);
      await scenario.database.query(
        `INSERT INTO pos_outages (restaurant_id, began_at, failed_at) SELECT restaurant_id, now(), now() FROM outbox_jobs WHERE id = $1`,
        [job],
      );
      const outages = () =>
        scenario.database.query('SELECT FROM pos_outages JOIN outbox_jobs USING (restaurant_id) WHERE id = $1', [job]);
      // null is the deployment's, which is the same kind
      await change({ posVendor: 'partner' });
      await change({ posVendor: null });
      expect(await dueInMs(job)).toBeGreaterThan(HOUR_MS / 2);
      expect(await outages()).toHaveLength(1);
      await change({ posVendor: 'open-delivery' });
      expect(await dueInMs(job)).toBeLessThanOrEqual(0);
      expect(await outages()).toEqual([]);
    },
  );

  test('orders of another restaurant, parked orders, and orders after a change to the same value stay as they are', async () => {
    const [mine, theirs] = [await failed({ codeStorePos: null }), await failed({ codeStorePos: null })];
    await mine.change({ codeStorePos: null });
    expect(await dueInMs(mine.job)).toBeGreaterThan(0);
    await scenario.database.query(`UPDATE outbox_jobs SET status = 'DLQ', next_run_at = NULL WHERE id = $1`, [
      mine.job,
    ]);
    await mine.change(NEW_CODE);
    expect(await scenario.jobs.get(mine.job)).toMatchObject({ status: 'DLQ', next_run_at: null });
    expect(await dueInMs(theirs.job)).toBeGreaterThan(0);
  });

  test('OUTBOX_PACE=eager: the change wakes the worker', async () => {
    const eager = await Scenario.open({ ...EAGER, OUTBOX_TICK_MS: '3600000' });
    try {
      const { job, change } = await failed({ codeStorePos: null }, eager);
      await change({ codeStorePos: '1001' });
      await eager.jobs.until(async () => (await eager.jobs.get(job)).status === 'SENT');
    } finally {
      await eager.close();
    }
  });

  const waitsAnHour = (job: string, cause: Cause | null) =>
    scenario.database.query(
      `UPDATE outbox_jobs SET cause = $2, last_error = 'no POS credentials: a text', next_run_at = now() + interval '1 hour' WHERE id = $1`,
      [job, cause],
    );
});
