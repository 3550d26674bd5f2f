import { HeldBodies } from '../../../proof/load/bodies.js';
import { BodyBudget } from '../../../src/platform/http/body/body-budget.js';
import { RefusalLines } from '../../../src/platform/http/limits/refusal-lines.js';
import { PullingPos } from '../../capabilities/open-delivery/pulling.js';
import { sale } from '../../support/client.js';
import { TERMINAL_TOKEN } from '../../support/environment.js';
import type { TestRelay } from '../../support/relay.js';
import { Scenario } from '../../support/scenario.js';
import { until } from '../../support/until.js';

const TERMINAL = `Authorization: Bearer ${TERMINAL_TOKEN}`;
const SIGNED = [
  'webhook-id: a',
  `webhook-timestamp: ${Math.floor(Date.now() / 1_000)}`,
  `webhook-signature: v1,${Buffer.alloc(32).toString('base64')}`,
];

function typeOf(path: string, isFile: boolean): string {
  if (path === '/oauth/token') return 'application/x-www-form-urlencoded';
  return isFile ? 'text/csv' : 'application/json';
}

describe('bodies under way', () => {
  const scenario = Scenario.ofSuite({ REQUEST_TIMEOUT_MS: '60000' });
  let relay: TestRelay;
  let budget: BodyBudget;
  let limits: BodyBudget['limits'];
  let restaurantId: string;
  let token: string;
  let signingKey: string;
  let senders: HeldBodies[] = [];

  beforeAll(async () => {
    ({ relay } = scenario);
    budget = relay.get(BodyBudget);
    limits = { ...budget.limits };
    token = await relay.login();
    restaurantId = await relay.createRestaurant();
    const asked = { name: 'terminal', kind: 'SIGNING', scopes: ['sales:write'] };
    const key = await scenario.api.post(`/restaurants/${restaurantId}/sender-keys`, token, asked).expect(201);
    signingKey = key.body.data.keyId;
  });
  afterEach(async () => {
    for (const each of senders) each.close();
    senders = [];
    await until(() => budget.bytes.proven + budget.bytes.unproven === 0);
    Object.assign(budget.limits, limits);
  });

  /** Senders of a body of 60,000 bytes that is never complete. */
  async function hold(connections: number, changes: Partial<Parameters<typeof HeldBodies.open>[0]> = {}) {
    const held = await HeldBodies.open({ url: relay.url, connections, announced: 60_000, sent: 100, ...changes });
    senders.push(held);
    return held;
  }
  const bytes = () => ({ ...budget.bytes });
  const login = () => relay.http.post('/auth/login').send({ email: 'nobody@example.com', password: 'wrong-password' });

  test('every route with a body takes from the budget: 503 with Retry-After where there is no room (W43)', async () => {
    const { paths } = (await scenario.api.get('/docs-json').expect(200)).body;
    const ids: Record<string, string> = {
      restaurantId,
      keyId: signingKey,
      jobId: crypto.randomUUID(),
      day: '2026-11-20',
    };
    const routes = Object.entries(paths as Record<string, object>).flatMap(([path, methods]) =>
      Object.keys(methods)
        // a session of the console sends its cookie: the next test
        .filter((method) => method !== 'get' && !/^\/console\/session\/./.test(path))
        .map((method) => [method, path] as const),
    );
    expect(routes.length).toBeGreaterThan(50);
    const { pos } = await PullingPos.ofRestaurant(() => scenario);
    const tokenFor = (path: string) =>
      path === '/webhooks/terminal' ? TERMINAL_TOKEN : path.startsWith('/v1/') ? pos.token : token;
    Object.assign(budget.limits, { proven: 0, unproven: 0 });
    const answers: string[] = [];
    for (const [method, path] of routes) {
      const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => ids[name] ?? crypto.randomUUID());
      const isFile = /^(post|put) .*\/(terminal-files|catalogue)$/.test(`${method} ${path}`);
      const headers = {
        ...(path.endsWith('{keyId}') &&
          path.startsWith('/webhooks') &&
          Object.fromEntries(SIGNED.map((line) => line.split(': ')))),
        ...(!path.startsWith('/auth/login') && { authorization: `Bearer ${tokenFor(path)}` }),
        'content-type': typeOf(path, isFile),
        'sec-fetch-site': 'same-origin',
      };
      const body = isFile ? 'a;b\n1;2\n' : '{}';
      const url = `${relay.url}${filled}${path.endsWith('/terminal-files') ? '?name=x' : ''}`;
      const answer = await fetch(url, { method: method.toUpperCase(), headers, body });
      const { code } = (await answer.json()) as { code: string };
      answers.push(`${method} ${path}: ${answer.status} ${code} ${answer.headers.get('retry-after')}`);
    }
    expect(answers.filter((answer) => !answer.endsWith(': 503 TOO_MANY_BODIES 2'))).toEqual([]);
    expect(bytes()).toEqual({ proven: 0, unproven: 0 });
  });

  test('64 MiB are for authenticated senders, and 16 MiB for everybody else (L110)', () => {
    expect(limits).toEqual({ proven: 67_108_864, unproven: 16_777_216 });
  });

  test('a session of the console takes from the budget too (W43)', async () => {
    const other = await scenario.start();
    Object.assign(other.get(BodyBudget).limits, { unproven: 0 });
    const headers = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' };
    const answer = await fetch(`${other.url}/console/session`, { method: 'POST', headers, body: '{}' });
    expect(answer.status).toBe(503);
    await other.close();
  });

  test('what counts is what is kept, not what is announced (W43)', async () => {
    await hold(50, { announced: 1_000_000, headers: [TERMINAL] });
    await until(() => bytes().proven === 50 * 4_096);
    await hold(2, { announced: 1_000_000, sent: 5_000, headers: [TERMINAL] });
    await until(() => bytes().proven <= 50 * 4_096 + 2 * 10_000 && bytes().proven >= 50 * 4_096 + 10_000);
  });

  test('pieces of one byte cost no more than their sum (W43)', async () => {
    const held = await hold(1, { announced: undefined, headers: [TERMINAL] });
    for (let i = 0; i < 50; i++) await held.send(1);
    await until(() => bytes().proven === 4_096);
  });

  test('without room the largest of the bodies that arrive gives way, with a 503 (W43)', async () => {
    Object.assign(budget.limits, { unproven: 50_000 });
    const small = await hold(1, { announced: 20_000, sent: 8_000 });
    const large = await hold(1, { sent: 30_000 });
    await until(() => bytes().unproven > 30_000);
    const next = await hold(2, { announced: 20_000, sent: 12_000 });
    await until(() => large.statuses[0] === 503);
    // a large body is refused itself, however long the others have been arriving
    const again = await hold(1, { sent: 40_000 });
    await until(() => again.statuses[0] === 503);
    expect([small.statuses, next.statuses]).toEqual([[], []]);
    await small.send(12_000);
    await until(() => small.statuses[0] === 401);
    expect(next.statuses).toEqual([]);
  });

  test('a body that is complete has room beside any number that are not, also beside smaller ones (W43)', async () => {
    Object.assign(budget.limits, { unproven: 16_384 });
    const small = await hold(2, { sent: 5_000 });
    await until(() => bytes().unproven === 10_000);
    const asked = JSON.stringify({ email: 'nobody@example.com', password: 'wrong-password' });
    await relay.http.post('/auth/login').type('application/json').send(asked.padEnd(9_000)).expect(401);
    await until(() => small.statuses.filter((status) => status === 503).length === 1);
  });

  test('bodies on all connections make no body of 8 KiB give way, whatever they grow to (W43, L21, L110)', () => {
    const isGiven: boolean[] = [];
    const open = (place: number) => budget.open('unproven', () => (isGiven[place] = true));
    const own = open(0);
    const others = Array.from({ length: 1_999 }, (_, i) => open(i + 1));
    expect([own, ...others].every((each) => each.resize(8_192))).toBe(true);
    for (const [i, other] of others.entries()) if (!isGiven[i + 1]) other.resize(16_384);
    expect(isGiven.filter(Boolean).length).toBeGreaterThan(0);
    expect(isGiven[0]).toBeUndefined();
    for (const each of [own, ...others]) each.end();
  });

  test('of bodies of the same size the one that has been arriving longest gives way (W43)', async () => {
    Object.assign(budget.limits, { unproven: 10_000 });
    const first = await hold(1);
    await until(() => bytes().unproven === 4_096);
    const second = await hold(1);
    await until(() => bytes().unproven === 8_192);
    const third = await hold(1);
    await until(() => first.statuses[0] === 503);
    expect([second.statuses, third.statuses, bytes().unproven]).toEqual([[], [], 8_192]);
    // a small body has room beside any number of slow ones
    await login().expect(401);
  });

  test('who is not authenticated takes nothing from who is (W43)', async () => {
    Object.assign(budget.limits, { unproven: 0 });
    await relay.accept(sale());
    await login().expect(503);
    Object.assign(budget.limits, { proven: 0, unproven: 16_000_000 });
    await relay.post(sale()).expect(503);
    await login().expect(401);
  });

  test('a body that is larger than the budget is refused, and its rest discarded (W43)', async () => {
    Object.assign(budget.limits, { proven: 20_000 });
    const held = await hold(1, { headers: [TERMINAL], sent: 40_000 });
    await until(() => held.statuses[0] === 503);
    expect(bytes().proven).toBe(0);
    // the client may send all of it, and the connection is used again
    await held.send(20_000);
    expect(held.open).toBe(1);
  });

  test.each<[string, number, Partial<Parameters<typeof HeldBodies.open>[0]>]>([
    ['announced, without a header', 65_537, {}],
    [
      'announced, with Basic credentials that are wrong',
      65_537,
      { headers: [`Authorization: Basic ${btoa('a@b.example:wrong-one')}`] },
    ],
  ])('a long body of an unauthenticated sender is a 401 before it is read: %s (W44)', async (_, announced, changes) => {
    const held = await hold(1, { announced, ...changes });
    await until(() => held.statuses[0] === 401);
    expect(bytes().unproven).toBe(0);
  });

  test('a long body of an unauthenticated sender that announces nothing is a 401 at the limit (W44, L111)', async () => {
    const held = await hold(1, { announced: undefined, sent: 65_536 });
    await until(() => bytes().unproven === 65_536);
    await held.send(1);
    await until(() => held.statuses[0] === 401);
    expect(bytes().unproven).toBe(0);
  });

  test.each<[string, string, readonly string[]]>([
    ['a sale with a token', '/webhooks/terminal', [TERMINAL]],
    ['a sale with credentials in the body', '/webhooks/terminal', []],
    ['a signed sale', 'signed', SIGNED],
    ['a sign-in', '/auth/login', []],
    ["a printer's poll", '/print/unknown', []],
  ])('%s: nothing counts when its connection has closed (W43)', async (_, path, headers) => {
    const held = await hold(5, { path: path === 'signed' ? `/webhooks/terminal/${signingKey}` : path, headers });
    await until(() => bytes().proven + bytes().unproven === 5 * 4_096);
    held.close();
    await until(() => bytes().proven + bytes().unproven === 0);
  });

  test('nothing counts after an answer, whatever it is, or a timeout (W43)', async () => {
    const other = await scenario.start({ REQUEST_TIMEOUT_MS: '1000' });
    const own = other.get(BodyBudget);
    const send = (body: string, authorization?: string) => {
      const asked = other.http.post('/webhooks/terminal').type('application/json');
      return (authorization ? asked.set('Authorization', authorization) : asked).send(body);
    };
    await send(JSON.stringify(sale()), `Bearer ${TERMINAL_TOKEN}`).expect(200);
    await send('{"transactionKey":""}', `Bearer ${TERMINAL_TOKEN}`).expect(400);
    await send('{', `Bearer ${TERMINAL_TOKEN}`).expect(400);
    await send(JSON.stringify({ ...sale(), email: 'a@b.example', password: 'wrong-password' })).expect(401);
    await send(' '.repeat(1_048_577), `Bearer ${TERMINAL_TOKEN}`).expect(413);
    expect(own.bytes).toEqual({ proven: 0, unproven: 0 });
    const held = await HeldBodies.open({ url: other.url, connections: 3, announced: 60_000, sent: 100 });
    senders.push(held);
    await until(() => held.statuses.filter((status) => status === 408).length === 3);
    await until(() => own.bytes.unproven === 0);
    await other.close();
  });

  test('refused bodies of a second beyond the first have one log line (W43, L100)', async () => {
    const other = await scenario.start();
    Object.assign(other.get(BodyBudget).limits, { unproven: 0 });
    // a second that does not end, on the slowest machine too
    Object.assign(other.get(RefusalLines), { second: Number.POSITIVE_INFINITY });
    const held = await HeldBodies.open({ url: other.url, connections: 60, announced: 60_000, sent: 100 });
    await until(() => held.statuses.filter((status) => status === 503).length === 60);
    await other.hasLogged('http.refused_more');
    const lines = other.logged.filter(({ event, code }) => event === 'http.refused' && code === 'TOO_MANY_BODIES');
    expect(lines).toHaveLength(20);
    held.close();
    await other.close();
  });
});
