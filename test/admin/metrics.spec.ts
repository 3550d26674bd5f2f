import type { Caller, Scenario } from '../support/scenario.js';
import { ALL, FAILED, OLDEST_SECONDS, openHistory, PARKED, SENT, WAITING } from './history.js';

describe('the admin area (R6)', () => {
  let scenario: Scenario;
  let admin: Caller;
  let restaurantId: string;
  let ids: readonly string[];

  beforeAll(async () => {
    ({ scenario, admin, restaurantId, ids } = await openHistory());
  });
  afterAll(() => scenario.close());

  const get = (path: string) => scenario.api.get(`/admin/${path}`, admin.token);

  test('GET /admin/metrics: the values of the history', async () => {
    const { body } = await get('metrics').expect(200);
    const counted = { received: ALL, sent: SENT, failed: FAILED, parked: PARKED, lost: 0 };
    expect(body).toEqual({
      jobs: { PENDING: WAITING, PROCESSING: 0, SENT, FAILED, DLQ: PARKED },
      oldestDueSeconds: expect.any(Number),
      lastMinute: expect.objectContaining(counted),
      lastHour: expect.objectContaining(counted),
      attemptsByAnswer: [
        { answer: '200', outcome: 'SENT', attempts: SENT },
        { answer: '422', outcome: 'DLQ', attempts: PARKED },
        { answer: '503', outcome: 'FAILED', attempts: FAILED },
      ],
      parkedByRestaurant: [{ restaurantId, name: 'Pizzeria Roma', parked: PARKED }],
      amountMismatches: 1,
    });
    expect(body.oldestDueSeconds).toBeGreaterThanOrEqual(OLDEST_SECONDS);
    expect(body.oldestDueSeconds).toBeLessThan(OLDEST_SECONDS + 60);
    const { deliveryMedianMs, deliveryP95Ms, deliveryP99Ms } = body.lastHour;
    expect(deliveryMedianMs).toBeGreaterThan(0);
    expect(deliveryP95Ms).toBeGreaterThanOrEqual(deliveryMedianMs);
    expect(deliveryP99Ms).toBeGreaterThanOrEqual(deliveryP95Ms);
    expect(deliveryP99Ms).toBeLessThan(60_000);
  });

  describe('GET /admin/metrics/prometheus', () => {
    interface Family {
      type: string;
      help: string;
      samples: { name: string; labels: Record<string, string>; value: number }[];
    }

    /** Parses the text format of Prometheus. @throws at the first malformed line */
    function parse(text: string): Map<string, Family> {
      const families = new Map<string, Family>();
      let current: { name: string; family: Family } | undefined;
      for (const line of text.split('\n')) {
        const [, kind, name = '', rest = ''] = /^# (HELP|TYPE) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)$/.exec(line) ?? [];
        const sample = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (nan|[+-]inf|-?[\d.]+(?:e[+-]?\d+)?)$/i.exec(line);
        if (kind === 'HELP') {
          if (families.has(name)) throw new Error(`${name} appears twice`);
          current = { name, family: { type: '', help: rest, samples: [] } };
          families.set(name, current.family);
        } else if (kind === 'TYPE' && current?.name === name) current.family.type = rest;
        else if (sample && current && sample[1]?.startsWith(current.name)) {
          const labels = [...(sample[2] ?? '').matchAll(/([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g)];
          if (labels.map(([label]) => label).join() !== (sample[2] ?? '')) throw new Error(`labels of ${line}`);
          const named = Object.fromEntries(labels.map(([, label, value]) => [label, value]));
          current.family.samples.push({ name: sample[1], labels: named, value: Number(sample[3]) });
        } else if (line !== '') throw new Error(`no exposition format: ${line}`);
      }
      return families;
    }

    async function scrape(): Promise<Map<string, Family>> {
      const answer = await get('metrics/prometheus').expect(200);
      expect(answer.headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/);
      return parse(answer.text);
    }
    const own = async () => [...(await scrape())].filter(([name]) => name.startsWith('relay_'));
    const value = (families: Map<string, Family>, name: string, labels: Record<string, string> = {}) =>
      families
        .get(name.replace(/_(count|sum)$/, ''))
        ?.samples.find((s) => s.name === name && JSON.stringify(s.labels) === JSON.stringify(labels))?.value;

    test('every line has the text format, every family has help and a type', async () => {
      for (const [name, { type, help }] of await scrape())
        expect([name, type, help]).toEqual([
          name,
          expect.stringMatching(/^(counter|gauge|histogram|summary)$/),
          expect.any(String),
        ]);
    });

    test('the values are those of the history', async () => {
      const families = await scrape();
      expect(value(families, 'relay_webhooks_total', { result: 'stored' })).toBe(ALL);
      for (const [outcome, count] of Object.entries({ SENT, DLQ: PARKED, FAILED }))
        expect([outcome, value(families, 'relay_attempts_total', { outcome })]).toEqual([outcome, count]);
      for (const [status, count] of Object.entries({ PENDING: WAITING, PROCESSING: 0, FAILED, DLQ: PARKED }))
        expect([status, value(families, 'relay_jobs', { status })]).toEqual([status, count]);
      expect(value(families, 'relay_oldest_due_seconds')).toBeGreaterThanOrEqual(OLDEST_SECONDS);
      expect(value(families, 'relay_attempt_duration_seconds_count')).toBe(SENT + PARKED + FAILED);
      expect(value(families, 'relay_delivery_duration_seconds_count')).toBe(SENT);
    });

    test('only counters end in _total; times are in seconds; buckets are cumulative', async () => {
      for (const [name, { type, samples }] of await own()) {
        expect([name, name.endsWith('_total')]).toEqual([name, type === 'counter']);
        expect(name).not.toMatch(/_(ms|millis|milliseconds|minutes)(_|$)/);
        if (type !== 'histogram') continue;
        expect(name).toMatch(/_seconds$/);
        const buckets = samples.filter((sample) => sample.name.endsWith('_bucket')).map((sample) => sample.value);
        expect(buckets).toEqual(buckets.toSorted((a, b) => a - b));
        expect(samples.find(({ labels }) => labels.le === '+Inf')?.value).toBe(buckets.at(-1));
      }
    });

    test('labels have fixed values: no restaurant, key, job or error text', async () => {
      const { text } = await get('metrics/prometheus').expect(200);
      expect(text).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-|ADMIN-KEY|STORE-1|Pizzeria|unknown product|127\.0\.0\.1/);
      const labels = new Set((await own()).flatMap(([, { samples }]) => samples.flatMap((s) => Object.keys(s.labels))));
      for (const label of labels)
        expect(['result', 'outcome', 'status', 'kind', 'le', 'sender', 'reason']).toContain(label);
    });
  });

  test.each(['metrics', 'metrics/prometheus', 'jobs', 'jobs/:id'])(
    '/admin/%s is read only: no other method is answered 2xx (R5)',
    async (path) => {
      const address = `/admin/${path.replace(':id', ids[0] as string)}`;
      const before = await scenario.database.query('SELECT j::text FROM outbox_jobs j ORDER BY id');
      for (const method of ['post', 'put', 'patch', 'delete'] as const) {
        const { status } = await scenario.relay.http[method](address)
          .auth(admin.token, { type: 'bearer' })
          .send({ status: 'PENDING' });
        expect([method, status]).toEqual([method, 405]);
      }
      expect(await scenario.database.query('SELECT j::text FROM outbox_jobs j ORDER BY id')).toEqual(before);
    },
  );
});
