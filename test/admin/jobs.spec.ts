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

    test.each([1, 2, 3, 5, 7, 13, 14, 100])('pages of %d: all of them, no gaps, no repeats', async (limit) => {
      const seen: string[] = [];
      for (let after: string | null = ''; after !== null; ) {
        const read: Page = await page({ limit, ...(after ? { after } : {}) });
        expect(read.data.length).toBeLessThanOrEqual(limit);
        seen.push(...idsOf(read));
        after = read.meta.next;
      }
      expect(seen).toEqual(idsOf(await page({ limit: 100 })));
      expect(seen.toSorted()).toEqual(ids.toSorted());
    });

    test('jobs of one millisecond: no gaps, no repeats; a job that comes meanwhile moves nothing', async () => {
      await scenario.database.query(
        `UPDATE outbox_jobs SET created_at = '2026-01-31T20:15:00.123Z' WHERE id = ANY ($1)`,
        [ids.slice(0, 9)],
      );
      const seen: string[] = [];
      let read = await page({ limit: 4 });
      const late = await scenario.relay.accept(sale());
      for (;;) {
        seen.push(...idsOf(read));
        if (read.meta.next === null) break;
        read = await page({ limit: 4, after: read.meta.next });
      }
      expect(seen.toSorted()).toEqual(ids.toSorted());
      await scenario.database.query('DELETE FROM outbox_jobs WHERE id = $1', [late]);
    });

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

    test('filters by restaurant, key, action and time, and by all of them at once', async () => {
      expect((await page({ restaurantId })).data).toHaveLength(ALL);
      expect((await page({ restaurantId: crypto.randomUUID() })).data).toEqual([]);
      expect(idsOf(await page({ eventKey: `${KEY}3` }))).toEqual([ids[3]]);
      expect((await page({ eventKey: KEY })).data).toEqual([]);
      expect((await page({ action: 'CANCEL' })).data).toEqual([]);
      const [{ created_at: at }] = (await scenario.database.query<{ created_at: Date }>(
        'SELECT created_at FROM outbox_jobs WHERE id = $1',
        [ids[10]],
      )) as [{ created_at: Date }];
      const next = new Date(at.getTime() + 1).toISOString();
      expect(idsOf(await page({ from: at.toISOString(), to: next }))).toContain(ids[10]);
      expect(idsOf(await page({ to: at.toISOString() }))).not.toContain(ids[10]);
      expect(idsOf(await page({ from: next }))).not.toContain(ids[10]);
      expect(idsOf(await page({ restaurantId, status: 'DLQ', action: 'CREATE', limit: 2 }))).toHaveLength(2);
    });

    const cursor = (text: string) => `after=${Buffer.from(text).toString('base64url')}`;
    test.each([
      'status=LOST',
      'status=sent',
      'action=UPDATE',
      'restaurantId=1',
      'limit=0',
      'limit=101',
      'limit=x',
      'from=yesterday',
      'to=2026-02-30',
      'from=2026-W05',
      'from=20260101',
      'unknown=1',
      'status=SENT&status=DLQ',
      'after=x',
      cursor('2026-01-31T20:15:00.123Z'),
      cursor(`2026-01-31T20:15:00.123Z ${'-'.repeat(36)}`),
      cursor(`today ${crypto.randomUUID()}`),
    ])('?%s: 400', async (query) => {
      await get(`jobs?${query}`).expect(400);
    });

    test('an eventKey that no key can be: 400', async () => {
      await get('jobs?eventKey=a%00b').expect(400);
    });
  });

  describe('GET /admin/jobs/:id', () => {
    test('the job with every attempt, in order', async () => {
      const id = ids[SENT + PARKED] as string;
      pos.behave({ mode: 'ok' });
      const { body: before } = await get(`jobs/${id}`).expect(200);
      expect(before).toMatchObject({
        id,
        status: 'FAILED',
        attempts: 1,
        restaurantId,
        lastError: expect.stringContaining('503'),
      });
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
