import type { PosSimulator } from '../../tools/simulator/simulator.js';
import { Jobs } from '../outbox/jobs.js';
import { sale } from '../support/client.js';
import type { Caller, Scenario } from '../support/scenario.js';
import { ALL, FAILED, KEY, openHistory, PARKED, SENT, WAITING } from './history.js';

describe('the jobs in the admin area (R6)', () => {
  let scenario: Scenario;
  let pos: PosSimulator;
  let jobs: Jobs;
  let admin: Caller;
  let restaurantId: string;
  let ids: readonly string[];

  beforeAll(async () => {
    ({ scenario, admin, restaurantId, ids } = await openHistory());
    ({ pos, jobs } = scenario);
  });
  afterAll(() => scenario.close());

  const get = (path: string) => scenario.api.get(`/admin/${path}`, admin.token);

  describe('GET /admin/jobs', () => {
    interface Page {
      data: { id: string; status: string; eventKey: string; createdAt: string }[];
      meta: { limit: number; next: string | null };
    }
    const page = async (query: Record<string, string | number> = {}): Promise<Page> =>
      (await get(`jobs?${new URLSearchParams(query as Record<string, string>)}`).expect(200)).body;
    const idsOf = ({ data }: Page) => data.map(({ id }) => id);

    test('20 a page, newest first', async () => {
      const { data, meta } = await page();
      expect(meta).toEqual({ limit: 20, next: null });
      const times = data.map(({ createdAt }) => Date.parse(createdAt));
      expect(times).toEqual(times.toSorted((a, b) => b - a));
      expect(data.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    });

    test.each([1, 4, 13, 14, 100])(
      'pages of %d: each job once, also within one millisecond and beside a new job',
      async (limit) => {
        await scenario.database.query(
          `UPDATE outbox_jobs SET created_at = '2026-01-31T20:15:00.123Z' WHERE id = ANY ($1)`,
          [ids.slice(0, 9)],
        );
        const seen: string[] = [];
        let late: string | undefined;
        for (let after: string | null = ''; after !== null; ) {
          const read: Page = await page({ limit, ...(after ? { after } : {}) });
          expect(read.data.length).toBeLessThanOrEqual(limit);
          seen.push(...idsOf(read));
          after = read.meta.next;
          late ??= await scenario.relay.accept(sale());
        }
        await scenario.database.query('DELETE FROM outbox_jobs WHERE id = $1', [late]);
        expect(seen.toSorted()).toEqual(ids.toSorted());
        expect(seen).toEqual(idsOf(await page({ limit: 100 })));
      },
    );

    test.each([
      ['PENDING', WAITING],
      ['SENT', SENT],
      ['FAILED', FAILED],
      ['DLQ', PARKED],
      ['PROCESSING', 0],
    ])('status=%s: %d', async (status, count) => {
      const { data } = await page({ status });
      expect(data.map((job) => job.status)).toEqual(Array(count).fill(status));
    });

    test('filters by restaurant, key, action and time, and by several', async () => {
      expect((await page({ restaurantId })).data).toHaveLength(ALL);
      expect((await page({ restaurantId: crypto.randomUUID() })).data).toEqual([]);
      expect(idsOf(await page({ eventKey: `${KEY}3` }))).toEqual([ids[3]]);
      expect((await page({ eventKey: KEY })).data).toEqual([]);
      expect((await page({ action: 'CANCEL' })).data).toEqual([]);
      const at = new Date((await get(`jobs/${ids[10]}`)).body.createdAt);
      const next = new Date(at.getTime() + 1).toISOString();
      expect(idsOf(await page({ from: at.toISOString(), to: next }))).toContain(ids[10]);
      expect(idsOf(await page({ to: at.toISOString() }))).not.toContain(ids[10]);
      expect(idsOf(await page({ from: next }))).not.toContain(ids[10]);
      expect(idsOf(await page({ restaurantId, status: 'DLQ', action: 'CREATE', limit: 2 }))).toHaveLength(2);
    });

    const cursor = (text: string) => `after=${Buffer.from(text).toString('base64url')}`;
    const INVALID =
      'status=LOST status=sent status=SENT&status=DLQ action=UPDATE restaurantId=1 limit=0 limit=101 limit=x from=yesterday ' +
      'to=2026-02-30 unknown=1 after=x eventKey=a%00b';
    test.each([...INVALID.split(' '), cursor(`2026-01-31T20:15:00.123Z ${'-'.repeat(36)}`)])(
      '?%s: 400',
      async (query) => {
        await get(`jobs?${query}`).expect(400);
      },
    );
  });

  describe('GET /admin/jobs/:id', () => {
    test('the job with every attempt, in order', async () => {
      const id = ids[SENT + PARKED] as string;
      pos.behave({ mode: 'ok' });
      const { body: before } = await get(`jobs/${id}`).expect(200);
      expect(before).toMatchObject({ id, status: 'FAILED', attempts: 1, restaurantId });
      await jobs.makeDue(id);
      await scenario.relay.tick();
      const { body } = await get(`jobs/${id}`).expect(200);
      expect(body).toMatchObject({ status: 'SENT', attempts: 2, lastError: null, nextRunAt: null, lockedBy: null });
      expect(body.history).toMatchObject([
        { number: 1, outcome: 'FAILED', httpStatus: 503, reach: 'ANSWERED', error: expect.stringContaining('503') },
        { number: 2, outcome: 'SENT', httpStatus: 200, reach: 'ANSWERED', error: null },
      ]);
    });

    test('an unknown one: 404; no UUID: 400', async () => {
      await get(`jobs/${crypto.randomUUID()}`).expect(404);
      for (const bad of ['1', 'metrics', '%00']) await get(`jobs/${bad}`).expect(400);
    });
  });
});
