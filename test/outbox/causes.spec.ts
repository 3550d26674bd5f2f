import { readFileSync } from 'node:fs';
import { CAUSE_WORDS, CAUSES, type Cause } from '../../src/domain/cause.js';
import { JobStore } from '../../src/outbox/job-store.js';
import type { ClaimedJob } from '../../src/outbox/store/claim.js';
import type { Behaviour } from '../../tools/simulator/behaviour.js';
import { sale } from '../support/client.js';
import { OWN } from '../support/environment.js';
import type { Caller } from '../support/scenario.js';
import { marked } from '../support/secrets.js';
import { readSpecification } from '../support/specification.js';
import { AskingScenario } from './ask-first.js';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const MIGRATION = read('prisma/migrations/20261122180200_causes/migration.sql');
/** The words of today. */
const WORDS = read('prisma/migrations/20261202100000_a_pos_that_pulls/migration.sql');
const TEMPORARY_CODE = 950;
const status = (code: number, more: object = {}): Behaviour => ({ mode: 'status', status: code, ...more });

describe('the cause of a failure, in one word', () => {
  let asking: AskingScenario;
  let caller: Caller;
  let restaurants = 0;

  beforeAll(async () => {
    asking = await AskingScenario.open({
      ...{
        POS_TEMPORARY_ERROR_CODES: String(TEMPORARY_CODE),
        POS_PARTNER_ID: '',
        POS_SECRET: '',
      },
      ...{ OPERATOR_ACTIONS: 'true', OUTBOX_MAX_ATTEMPTS: '3' },
    });
    caller = await asking.scenario.person('ADMIN');
  });
  afterEach(async () => {
    asking.pos.behave({ mode: 'ok' });
    // what a test leaves waiting is nobody else's
    await query(`UPDATE outbox_jobs SET next_run_at = now() + interval '1 hour' WHERE next_run_at IS NOT NULL`);
  });
  afterAll(() => asking.close());

  const query = (sql: string, ...values: unknown[]) => asking.scenario.database.query<{ cause: string }>(sql, values);
  /** A sale of a restaurant of its own. @param fields of the restaurant */
  async function sell(fields: object = {}, changes: object = {}) {
    const codeStoreTerminal = `CAUSE-${++restaurants}`;
    const settings = { name: codeStoreTerminal, codeStoreTerminal, codeStorePos: '1001', ...OWN, ...fields };
    const { body } = await asking.scenario.api.post('/restaurants', caller.token, settings).expect(201);
    const id = await asking.relay.accept(sale({ storeCode: codeStoreTerminal, ...changes }));
    return { id, key: (await asking.jobs.get(id)).event_key, restaurantId: body.data.id as string };
  }
  /** One attempt while the POS behaves like this. */
  async function attempt(id: string, behaviour: Behaviour): Promise<void> {
    asking.pos.behave(behaviour);
    await asking.jobs.makeDue(id);
    await asking.relayFor(behaviour).tick();
    asking.pos.behave({ mode: 'ok' });
  }
  const causeOf = async (id: string) => (await asking.jobs.get(id)).cause;
  /** Job and last attempt, in the database. */
  async function told(id: string) {
    const attempts = await asking.jobs.attempts(id);
    return [await causeOf(id), attempts.at(-1)?.cause];
  }

  describe('O30: each attempt that fails has one, and so has its job', () => {
    const free = { items: [{ itemCode: 'A', quantity: 1, price: 'free' }] };
    const refund = { totalAmount: -5, payments: [], items: [{ itemCode: 'A', quantity: 1, price: 5 }] };
    const signIn = (behaviour: Behaviour): Behaviour => ({ ...behaviour, paths: ['/auth'] });
    test.each<[Cause, Behaviour, object, object]>([
      ['refused', status(422), {}, {}],
      ['refused', { mode: 'redirect', location: '/order' }, {}, {}],
      ['refused', status(400, { errorCode: 904 }), {}, {}],
      ['unanswered', { mode: 'hang' }, {}, {}],
      ['unanswered', { mode: 'reset' }, {}, {}],
      ['failing', status(503), {}, {}],
      ['failing', status(408), {}, {}],
      ['failing', { mode: 'truncated', status: 400 }, {}, {}],
      ['busy', status(429, { retryAfter: 60 }), {}, {}],
      ['busy', status(422, { errorCode: TEMPORARY_CODE }), {}, {}],
      ['sign_in', status(401), {}, {}],
      ['sign_in', status(500, { errorCode: 901 }), {}, {}],
      ['sign_in', { mode: 'ok' }, { posSecret: marked('a-wrong-secret') }, {}],
      ['failing', signIn(status(503)), { posIdPartner: 'new-1' }, {}],
      ['unanswered', signIn({ mode: 'reset' }), { posIdPartner: 'new-2' }, {}],
      ['sign_in', signIn({ mode: 'html', status: 200 }), { posIdPartner: 'new-3' }, {}],
      ['no_code_store_pos', { mode: 'ok' }, { codeStorePos: null }, {}],
      ['no_credentials', { mode: 'ok' }, { posIdPartner: null, posSecret: null }, {}],
      ['unmappable', { mode: 'ok' }, {}, free],
      ['refund', { mode: 'ok' }, {}, refund],
    ])('%s: %j %j %j', async (cause, behaviour, fields, changes) => {
      const { id } = await sell(fields, changes);
      await attempt(id, behaviour);
      expect(await told(id)).toEqual([cause, cause]);
    });

    test.each<[Cause, Behaviour]>([
      ['unconfirmed', { mode: 'in-progress' }],
      ['unconfirmed', { mode: 'html', status: 200, paths: ['/order/{order_id}'] } as Behaviour],
      ['failing', status(503, { paths: ['/order/{order_id}'] })],
    ])('%s: the order may have arrived, and the POS is asked: %j', async (cause, behaviour) => {
      const { id } = await sell();
      await attempt(id, { mode: 'reset' });
      await attempt(id, behaviour);
      expect(await told(id)).toEqual([cause, cause]);
    });

    test('a setting that is missing keeps its word when the POS had to be asked', async () => {
      const { id, restaurantId } = await sell();
      await attempt(id, { mode: 'reset' });
      await query('UPDATE restaurants SET code_store_pos = NULL WHERE id = $1', restaurantId);
      await attempt(id, { mode: 'ok' });
      expect(await told(id)).toEqual(['no_code_store_pos', 'no_code_store_pos']);
    });

    test('a lease that expired: lost, and so is a job that has no attempt left', async () => {
      const { id } = await sell();
      await asking.crash(id, '/order');
      expect(await told(id)).toEqual(['lost', 'lost']);
      await query('UPDATE outbox_jobs SET attempts = 3 WHERE id = $1', id);
      await attempt(id, { mode: 'ok' });
      expect(await told(id)).toEqual(['lost', 'lost']);
      expect(await asking.jobs.get(id)).toMatchObject({ status: 'DLQ' });
    });

    test('given up after its last attempt: the cause of that attempt', async () => {
      const { id } = await sell();
      for (let left = 3; left > 0; left--) await attempt(id, status(429, { retryAfter: 1 }));
      expect(await asking.jobs.get(id)).toMatchObject({ status: 'DLQ', attempts: 3, cause: 'busy' });
    });

    test('withdrawn: so is its job', async () => {
      const { id, key, restaurantId } = await sell();
      await asking.scenario.cancel(restaurantId, key, caller.token).expect(202);
      expect(await asking.jobs.get(id)).toMatchObject({ withdrawn: true, cause: 'withdrawn' });
    });

    test('the migration reads the same from the errors of before, of each job and of its last attempt', async () => {
      const now = `SELECT job.id, job.cause, (SELECT cause FROM delivery_attempts WHERE job_id = job.id ORDER BY started_at DESC LIMIT 1)
        AS attempt, last_error FROM outbox_jobs job WHERE last_error IS NOT NULL ORDER BY job.id`;
      const before = await query(now);
      expect(new Set(before.map(({ cause }) => cause))).toEqual(
        // no_currency is younger than the migration
        new Set(CAUSE_WORDS.filter((cause) => cause !== 'internal' && cause !== 'no_currency')),
      );
      await query('UPDATE outbox_jobs SET cause = NULL');
      await query('UPDATE delivery_attempts SET cause = NULL');
      await asking.scenario.database.query(
        MIGRATION.slice(MIGRATION.indexOf('UPDATE outbox_jobs'), MIGRATION.indexOf('-- Of their')),
      );
      await asking.scenario.database.query(MIGRATION.slice(MIGRATION.indexOf('UPDATE delivery_attempts')));
      expect(await query(now)).toEqual(before);
    });

    test('code, database, document and specification have the same words', async () => {
      const checks = [...WORDS.matchAll(/CHECK \(cause IN \(([^)]*)\)/g)];
      expect(checks).toHaveLength(2);
      for (const check of checks)
        expect([...(check[1] as string).matchAll(/'(\w+)'/g)].map(([, word]) => word)).toEqual(CAUSE_WORDS);
      await expect(query(`UPDATE outbox_jobs SET cause = 'another'`)).rejects.toThrow('outbox_jobs_cause_known');
      const { body } = await asking.scenario.api.get('/docs-json').expect(200);
      expect(body.components.schemas.Cause.enum).toEqual(CAUSE_WORDS);
      const [specification, operations] = [readSpecification(), read('docs/operations.md')];
      expect(CAUSE_WORDS.filter((word) => !specification.includes(`  | \`${word}\` | ${CAUSES[word]} |\n`))).toEqual(
        [],
      );
      expect(CAUSE_WORDS.filter((word) => !operations.includes(`| \`${word}\` | `))).toEqual([]);
    });
  });

  describe('O31: a cause goes with its error', () => {
    async function failed() {
      const sold = await sell();
      await attempt(sold.id, status(422));
      expect(await causeOf(sold.id)).toBe('refused');
      return sold;
    }
    const isCleared = async (id: string) =>
      expect(await asking.jobs.get(id)).toMatchObject({ last_error: null, cause: null });

    test('an UPDATE by hand that clears the error clears the cause', async () => {
      const { id } = await failed();
      await query(
        `UPDATE outbox_jobs SET status = 'PENDING', next_run_at = now(), attempts = 0, last_error = NULL WHERE id = $1`,
        id,
      );
      await isCleared(id);
    });

    test('a reset by the API clears both', async () => {
      const { id } = await failed();
      await asking.scenario.api.post('/admin/jobs/reset', caller.token, { jobIds: [id] }).expect(200);
      await isCleared(id);
    });

    test('a delivery clears both; the attempt that failed keeps its own', async () => {
      const { id } = await sell();
      await attempt(id, status(429));
      await attempt(id, { mode: 'ok' });
      await isCleared(id);
      expect((await asking.jobs.attempts(id)).map(({ outcome, cause }) => [outcome, cause])).toEqual([
        ['FAILED', 'failing'],
        ['SENT', null],
      ]);
    });

    test('a claim and a release keep both', async () => {
      const { id } = await sell();
      await attempt(id, status(503));
      await asking.jobs.makeDue(id);
      const store = asking.relay.get(JobStore);
      const [job] = await store.claimDue({ claimIds: [store.newClaimId()], inHand: new Map(), cap: 1 });
      const kept = { last_error: expect.stringMatching(/^HTTP 503/), cause: 'failing' };
      expect(await asking.jobs.get(id)).toMatchObject({ status: 'PROCESSING', ...kept });
      await store.release(job as ClaimedJob);
      expect(await asking.jobs.get(id)).toMatchObject({ status: 'PENDING', ...kept });
    });

    test('a parked cancel that is requested again has neither', async () => {
      const { id, key, restaurantId } = await sell();
      await attempt(id, { mode: 'ok' });
      const { body } = await asking.scenario.cancel(restaurantId, key, caller.token).expect(202);
      await attempt(body.data.jobId, status(422));
      expect(await causeOf(body.data.jobId)).toBe('refused');
      await asking.scenario.cancel(restaurantId, key, caller.token).expect(202);
      await isCleared(body.data.jobId);
    });
  });

  test('R34: orders, jobs, attempts and a restaurant carry the word', async () => {
    const { id, key, restaurantId } = await sell();
    await attempt(id, status(429, { retryAfter: 60 }));
    const get = async (path: string) => (await asking.scenario.api.get(path, caller.token).expect(200)).body;
    // before the refusal, after which the POS counts as working (O46)
    const { waiting } = await get(`/restaurants/${restaurantId}/state`);
    const parked = await asking.relay.accept(sale({ storeCode: `CAUSE-${restaurants}` }));
    await attempt(parked, status(422));
    const orders = `/restaurants/${restaurantId}/orders`;
    expect((await get(`${orders}?search=${key}`)).data).toMatchObject([{ cause: 'busy' }]);
    expect(await get(`${orders}/${key}`)).toMatchObject({ jobs: [{ cause: 'busy', history: [{ cause: 'busy' }] }] });
    expect(await get(`/admin/jobs/${id}`)).toMatchObject({ cause: 'busy', history: [{ cause: 'busy' }] });
    const state = await get(`/restaurants/${restaurantId}/state`);
    expect(waiting.failing).toMatchObject({ cause: 'busy', httpStatus: 429 });
    expect(state.parked.causes).toMatchObject([{ kind: 'refused', cause: expect.stringMatching(/^HTTP 422/) }]);
    expect(asking.relay.logged).toContainEqual(
      expect.objectContaining({ event: 'alarm.job_parked', job: parked, cause: 'refused' }),
    );
  });
});
