import { hash } from 'node:crypto';
import { loadConfig } from '../../../src/platform/config/config.js';
import type { Log } from '../../../src/platform/telemetry/log.js';
import { Metrics } from '../../../src/platform/telemetry/metrics.js';
import type { Span } from '../../../src/platform/tracing/span.js';
import { SpanExporter } from '../../../src/platform/tracing/span-exporter.js';
import { sale } from '../../support/client.js';
import { ENVIRONMENT, NO_POS, TERMINAL_TOKEN } from '../../support/environment.js';
import { Scenario } from '../../support/scenario.js';
import { marked } from '../../support/secrets.js';
import { until } from '../../support/until.js';
import { Collector, type Received, says, silent } from './collector.js';
import { EXAMPLE, problemsIn } from './otlp-schema.js';

const SPAN = '00f067aa0ba902b7';
const HEADERS = `authorization=Bearer%20${marked('collector')},x-tenant=mall`;
const MINUTE_AGO = "now() - interval '61 seconds'";

let collector: Collector;
beforeEach(async () => {
  collector = await Collector.start();
});
afterEach(async () => {
  await collector.close();
  expect(collector.problems).toEqual([]);
});

describe("OpenTelemetry's schema, against which requests are held", () => {
  test('accepts its own example, and refuses what is not in it (X5)', () => {
    expect(problemsIn(EXAMPLE)).toEqual([]);
    const changed = (from: string, to: string) => problemsIn(JSON.parse(JSON.stringify(EXAMPLE).replace(from, to)));
    expect(changed('"kind":2', '"kind":9')).not.toEqual([]);
    expect(changed('"kind":2', '"kind":"SPAN_KIND_SERVER"')).not.toEqual([]);
    expect(changed('parentSpanId', 'parent_span_id')).not.toEqual([]);
    expect(changed('"1544712660000000000"', '1544712660000000000')).not.toEqual([]);
    expect(changed('"1544712660000000000"', '"1544712662000000000"')).not.toEqual([]);
    expect(changed('5B8EFFF798038103D269B633813FC60C', 'W47/95gDgQPSabYzgT/GDA==')).not.toEqual([]);
    expect(changed('"stringValue":"some value"', '"stringValue":"some value","boolValue":true')).not.toEqual([]);
  });
});

describe('the spans of a sale', () => {
  let scenario: Scenario;
  let restaurantId: string;

  beforeEach(async () => {
    scenario = await Scenario.open({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: HEADERS,
      OTEL_SERVICE_NAME: 'relay-of-the-tests',
    });
    restaurantId = await scenario.relay.createRestaurant();
  });
  afterEach(() => scenario.close());

  const send = async (traceparent: string, event = sale()) => {
    const asked = scenario.relay.http.post('/webhooks/terminal').auth(TERMINAL_TOKEN, { type: 'bearer' });
    const { body } = await asked.set('traceparent', traceparent).send(event).expect(200);
    return { ...(body as { jobId: string; traceId: string }), key: String(event.transactionKey) };
  };
  const byName = (spans: readonly Received[]) => Object.fromEntries(spans.map((span) => [span.name, span]));
  const receivedAgo = (key: string) =>
    scenario.database.query(`UPDATE terminal_events SET received_at = ${MINUTE_AGO} WHERE transaction_key = $1`, [key]);

  test('receive, store, attempt, POS call and settle, one below the other (X5, X7)', async () => {
    const id = hash('md5', 'one sale');
    const { jobId, key } = await send(`00-${id}-${SPAN}-01`);
    await scenario.relay.tick();
    const spans = await collector.spansOf(id, 5);
    const { receive, store, attempt, settle, 'POS call': call } = byName(spans);
    expect(spans).toHaveLength(5);
    expect(receive).toMatchObject({ kind: 2, parentSpanId: SPAN, attributes: { 'relay.job': jobId } });
    expect(receive?.attributes).toMatchObject({ 'relay.event_key': key, 'relay.restaurant': restaurantId });
    expect(store).toMatchObject({ kind: 1, parentSpanId: receive?.spanId });
    expect(attempt).toMatchObject({ kind: 1, parentSpanId: receive?.spanId });
    expect(attempt?.attributes).toMatchObject({
      'relay.action': 'CREATE',
      'relay.attempt': 1,
      'relay.result': 'deliver',
    });
    expect(call).toMatchObject({ kind: 3, parentSpanId: attempt?.spanId });
    expect(call?.attributes).toEqual({ 'http.request.method': 'POST', 'http.response.status_code': 200 });
    expect(settle).toMatchObject({ kind: 1, parentSpanId: attempt?.spanId });
    for (const span of spans) expect(span.status).toBeUndefined();
    expect(new Set(spans.map(({ spanId }) => spanId))).toHaveProperty('size', 5);
    const [row] = await scenario.jobs.attempts(jobId);
    expect(attempt?.spanId).toBe(
      String((row as { id: string }).id)
        .replaceAll('-', '')
        .slice(0, 16),
    );
    expect(collector.requests[0]).toMatchObject({
      path: 'POST /v1/traces',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${marked('collector')}`,
        'x-tenant': 'mall',
      },
    });
    expect(collector.resources[0]).toEqual({
      'service.name': 'relay-of-the-tests',
      'service.instance.id': scenario.relay.config.instance,
    });
  });

  test('an attempt that fails says why, by a word and not by the text of the POS (X5, X8)', async () => {
    const id = hash('md5', 'refused');
    scenario.pos.behave({ mode: 'status', status: 422, errorCode: 310, message: 'a text of the POS' });
    await send(`00-${id}-${SPAN}-01`);
    await scenario.relay.tick();
    const { attempt, 'POS call': call } = byName(await collector.spansOf(id, 5));
    expect(attempt).toMatchObject({ status: { code: 2, message: 'refused' }, attributes: { 'relay.result': 'park' } });
    expect(call).toMatchObject({ status: { code: 2 }, attributes: { 'http.response.status_code': 422 } });
    expect(JSON.stringify(collector.requests.map(({ body }) => body))).not.toContain('a text of the POS');
  });

  test('an attempt by another instance within 60 s is a child of the receipt; later ones are roots that are linked with it (X5, L72)', async () => {
    const id = hash('md5', 'two instances');
    const { jobId, key } = await send(`00-${id}-${SPAN}-01`);
    const { receive } = byName(await collector.spansOf(id, 2));
    const other = await scenario.start();
    scenario.pos.behave({ mode: 'status', status: 503 });
    await other.tick();
    const { attempt: child } = byName(await collector.spansOf(id, 5));
    expect(child).toMatchObject({ traceId: id, parentSpanId: receive?.spanId });
    expect(child).not.toHaveProperty('links');
    await receivedAgo(key);
    await scenario.settle(jobId, 'SENT');
    const later = (await collector.spansOf(id, 6)).filter(({ links }) => links);
    expect(later).toMatchObject([{ name: 'attempt', links: [{ traceId: id, spanId: receive?.spanId }] }]);
    const [root] = later;
    expect(root?.traceId).not.toBe(id);
    expect(root).not.toHaveProperty('parentSpanId');
    const below = await collector.spansOf(String(root?.traceId), 3);
    expect(below.map(({ name }) => name).sort()).toEqual(['POS call', 'attempt', 'settle']);
    // the log keeps the trace of the sale
    const lines = [...scenario.relay.logged, ...other.logged].filter(({ event }) => event === 'outbox.attempt');
    expect(lines.map(({ traceId }) => traceId)).toEqual([id, id]);
  });

  test('a cancel has the trace of its order (X5)', async () => {
    const id = hash('md5', 'cancelled');
    const { jobId, key } = await send(`00-${id}-${SPAN}-01`);
    await scenario.settle(jobId, 'SENT');
    await scenario.cancel(restaurantId, key, await scenario.relay.login()).expect(202);
    await scenario.relay.tick();
    const attempts = (await collector.spansOf(id, 8)).filter(({ name }) => name === 'attempt');
    expect(attempts.map(({ attributes }) => attributes['relay.action'])).toEqual(['CREATE', 'CANCEL']);
  });

  test('a sale that is not sampled has none (X6)', async () => {
    const [silentId, loudId] = [hash('md5', 'not sampled'), hash('md5', 'sampled')];
    await send(`00-${silentId}-${SPAN}-00`);
    await send(`00-${loudId}-${SPAN}-01`);
    await scenario.relay.tick();
    await collector.spansOf(loudId, 5);
    expect(collector.spans.filter(({ traceId }) => traceId === silentId)).toEqual([]);
  });

  test('sampled=01 of a sender brings no span beyond our ratio (X6)', async () => {
    const none = await scenario.start({ OTEL_TRACES_SAMPLER_ARG: '0' });
    const id = hash('md5', 'forced');
    const asked = none.http.post('/webhooks/terminal').auth(TERMINAL_TOKEN, { type: 'bearer' });
    await asked.set('traceparent', `00-${id}-${SPAN}-01`).send(sale()).expect(200);
    // the instance that delivers samples everything; the decision stands with the event
    await scenario.relay.tick();
    await none.close();
    await send(`00-${hash('md5', 'after')}-${SPAN}-01`);
    await collector.spansOf(hash('md5', 'after'), 2);
    expect(collector.spans.filter(({ traceId }) => traceId === id)).toEqual([]);
  });

  test('a collector that never answers holds up no sale, no delivery and no stop (X7)', async () => {
    collector.behaviour = silent;
    const jobs = await Promise.all(Array.from({ length: 20 }, (_, i) => send(`00-${hash('md5', `s${i}`)}-${SPAN}-01`)));
    await until(() => collector.requests.length > 0);
    await scenario.relay.tick();
    for (const { jobId } of jobs) expect(await scenario.jobs.get(jobId)).toMatchObject({ status: 'SENT' });
    await scenario.relay.close();
    expect(collector.requests).toHaveLength(1);
  });

  test('a stop sends what waits (X7)', async () => {
    const id = hash('md5', 'at the end');
    await send(`00-${id}-${SPAN}-01`);
    await scenario.relay.close();
    expect(collector.spans.filter(({ traceId }) => traceId === id).map(({ name }) => name)).toEqual([
      'receive',
      'store',
    ]);
  });
});

describe('the exporter of spans', () => {
  let exporter: SpanExporter;
  let metrics: Metrics;
  let logged: Record<string, unknown>[];

  beforeEach(() => {
    logged = [];
    metrics = new Metrics();
    const config = loadConfig({
      ...ENVIRONMENT,
      POS_BASE_URL: NO_POS,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: HEADERS,
    });
    const log = { warn: (line: Record<string, unknown>) => logged.push(line) } as unknown as Log;
    exporter = new SpanExporter(config, metrics, log);
  });
  afterEach(() => exporter.onApplicationShutdown());

  const span = (name = 'a span'): Span => ({
    ...{ traceId: hash('md5', name), id: SPAN, name, kind: 1, startMs: 1_000.25, endMs: 1_001.5 },
    attributes: { text: '"quoted" é', count: 3, share: 0.5, flag: true, none: null },
  });
  const add = (count: number) => {
    for (let i = 0; i < count; i++) exporter.add(span(`span ${i}`));
  };
  async function counted() {
    const { values } = await metrics.traceSpans.get();
    return Object.fromEntries(values.map(({ labels, value }) => [labels.result, value]));
  }

  test('drops and counts what does not fit into its queue; one request has 512 spans (X7, L70)', async () => {
    add(3_000);
    expect(await counted()).toEqual({ exported: 0, dropped: 3_000 - 2_048 });
    await until(async () => (await counted()).exported === 2_048);
    expect(collector.spans).toHaveLength(2_048);
    expect(collector.requests).toHaveLength(4);
    expect(collector.spans[0]).toMatchObject({
      startTimeUnixNano: '1000250000',
      endTimeUnixNano: '1001500000',
      attributes: { text: '"quoted" é', count: 3, share: 0.5, flag: true },
    });
  });

  test.each([
    ['503', says(503)],
    ['429 with Retry-After', says(429, { 'retry-after': '120' })],
    ['a redirect, which is not followed', says(307, { location: 'http://127.0.0.1:9/v1/traces' })],
    ['a broken connection', (response: { destroy(): void }) => response.destroy()],
  ])(
    '%s: the spans are dropped and counted, none is sent twice, and a pause follows (X7, L71)',
    async (_, behaviour) => {
      collector.behaviour = behaviour;
      add(1_000);
      await until(() => logged.length > 0);
      expect(await counted()).toEqual({ exported: 0, dropped: 512 });
      expect(logged).toMatchObject([{ event: 'tracing.export_failed', spans: 512 }]);
      expect(logged[0]?.pauseMs).toBeGreaterThanOrEqual(1_000);
      // no text of the collector, no header
      expect(JSON.stringify(logged)).not.toMatch(/Bearer|mall/);
      await exporter.onApplicationShutdown();
      expect(collector.requests).toHaveLength(1);
      expect(await counted()).toEqual({ exported: 0, dropped: 1_000 });
    },
  );

  test('a Retry-After is heeded (L71)', async () => {
    collector.behaviour = says(429, { 'retry-after': '120' });
    add(1);
    await until(() => logged.length > 0);
    expect(logged).toMatchObject([{ error: 'HTTP 429', pauseMs: 120_000 }]);
  });

  test('a collector that comes back gets what came after (X7)', async () => {
    collector.behaviour = says(503);
    add(1);
    await until(() => logged.length > 0);
    collector.behaviour = says(200, {}, '{}');
    exporter.add(span('after'));
    await until(async () => (await counted()).exported === 1);
    expect(collector.spans.at(-1)).toMatchObject({ name: 'after' });
    expect(logged).toHaveLength(1);
  });

  test.each<[string, string, number]>([
    ['a number', '{"partialSuccess":{"rejectedSpans":"3","errorMessage":"too old"}}', 3],
    ['more than were sent', '{"partialSuccess":{"rejectedSpans":99}}', 5],
    ['nonsense', '{"partialSuccess":{"rejectedSpans":"-1"}}', 0],
    ['a body that is no JSON', '<html>', 0],
    ['a body without end', `"${'x'.repeat(100_000)}`, 0],
  ])('spans that the collector rejects count as dropped: %s (X7)', async (_, body, rejected) => {
    collector.behaviour = says(200, {}, body);
    add(5);
    await until(async () => (await counted()).dropped === rejected && (await counted()).exported === 5 - rejected);
    expect(collector.requests).toHaveLength(1);
  });

  test('a silent collector: the stop ends after its limit, and nothing is added any more (X7, L71)', async () => {
    collector.behaviour = silent;
    add(600);
    await until(() => collector.requests.length > 0);
    await exporter.onApplicationShutdown();
    expect(await counted()).toEqual({ exported: 0, dropped: 600 });
    add(1);
    expect(await counted()).toEqual({ exported: 0, dropped: 601 });
  });
});
