import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import type { Document, Method } from '../../../tools/contract.js';
import { SAME_ORIGIN, Visitor } from '../../capabilities/console/visitor.js';
import { sale } from '../../support/client.js';
import type { TestRelay } from '../../support/relay.js';
import { Scenario } from '../../support/scenario.js';

const STAFF = 'https://staff.example';

describe('headers of every answer', () => {
  const LIMIT = 2;
  const scenario = Scenario.ofSuite({ LOGIN_ATTEMPTS_PER_MINUTE: String(LIMIT), TRUST_PROXY: '' });

  test('security headers on success, refusals and unknown routes; no X-Powered-By, no Server', async () => {
    for (const [path, status] of [
      ['/health', 200],
      ['/docs-json', 200],
      ['/restaurants', 401],
      ['/nowhere', 404],
    ] as const) {
      const { headers } = await scenario.relay.http.get(path).expect(status);
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'SAMEORIGIN',
        'referrer-policy': 'no-referrer',
        'strict-transport-security': expect.stringMatching(/^max-age=\d{7,}/),
        'content-security-policy': expect.stringContaining("default-src 'self'"),
      });
      expect(headers).not.toHaveProperty('x-powered-by');
      expect(headers).not.toHaveProperty('server');
    }
  });

  test('only /docs allows inline styles; nothing allows inline scripts; no source maps', async () => {
    const { relay } = scenario;
    const policyOf = async (path: string) => (await relay.http.get(path)).headers['content-security-policy'];
    for (const path of ['/health', '/docs-json', '/nowhere'])
      expect(await policyOf(path)).not.toContain('unsafe-inline');
    const page = await relay.http.get('/docs').redirects(1).expect(200);
    expect(page.headers['content-security-policy']).toMatch(/script-src 'self';.*style-src 'self' 'unsafe-inline'/);
    expect(page.text).not.toMatch(/<script>|<script [^>]*>\s*\S[^<]*<\/script>/);
    await relay.http.get('/docs/swagger-ui-bundle.js').expect(200);
    await relay.http.get('/docs/swagger-ui-bundle.js.map').expect(404);
  });

  test('GET / redirects to /docs (H8)', async () => {
    await scenario.relay.http.get('/').redirects(0).expect(302).expect('Location', '/docs');
  });

  describe('no answer is kept by a browser or a proxy (H21)', () => {
    const storing = ({ headers }: { headers: Record<string, string> }) => headers['cache-control'];

    test('every route of the document, with credentials and without them', async () => {
      const caller = await scenario.person('ADMIN');
      const restaurantId = await scenario.people.restaurant('STORE-1', [caller, 'OWNER']);
      const visitor = await Visitor.signIn(scenario.relay, caller);
      const { paths } = (await scenario.api.get('/docs-json').expect(200)).body as Document;
      const operations = Object.entries(paths)
        .flatMap(([path, methods]) => (Object.keys(methods) as Method[]).map((method) => ({ method, path })))
        // a restaurant, or a session, that was removed has no more answers
        .sort((a, b) => Number(a.method === 'delete') - Number(b.method === 'delete'));
      expect(operations.length).toBeGreaterThan(80);
      const statuses: number[] = [];
      const stored: string[] = [];
      for (const { method, path } of operations) {
        const filled = path.replace('{restaurantId}', restaurantId).replaceAll(/\{\w+\}/g, randomUUID());
        const body = method === 'get' || method === 'delete' ? undefined : {};
        const answers = [
          await scenario.api[method](filled, caller.token, body).set(SAME_ORIGIN),
          await scenario.api[method](filled, undefined, body),
          ...(path.startsWith('/console/') ? [await visitor.ask(method, filled, body)] : []),
        ];
        for (const answer of answers) {
          statuses.push(answer.status);
          if (storing(answer) !== 'no-store') stored.push(`${method} ${path}: ${answer.status}`);
        }
      }
      expect(stored).toEqual([]);
      expect(statuses.filter((status) => status < 300).length).toBeGreaterThan(30);
      expect(new Set(statuses)).toEqual(new Set([...statuses, 200, 204, 400, 401, 403, 404]));
    });

    test('a token, a sale, a receipt that did not change', async () => {
      const { id, owner, token } = await scenario.store();
      const { email, password } = owner;
      const answers = [
        await scenario.api.post('/auth/login', undefined, { email, password }).expect(200),
        await scenario.api
          .post('/webhooks/terminal', token, sale({ storeCode: undefined, restaurantId: id }))
          .expect(200),
      ];
      const { headers } = await scenario.api.get('/webhooks/terminal/receipts', token).expect(200);
      const again = scenario.api.get('/webhooks/terminal/receipts', token).set('If-None-Match', headers.etag as string);
      answers.push(await again.expect(304));
      expect(answers.map(storing)).toEqual(['no-store', 'no-store', 'no-store']);
    });

    test.each([
      ['a path without a route', 404, '/nowhere', {}],
      ['a path that cannot be decoded', 400, '/restaurants/%zz', {}],
      ['headers that are too large', 431, '/health', { 'X-Long': 'x'.repeat(20_000) }],
      [
        'too many headers (L163)',
        431,
        '/health',
        Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`x-${i}`, 'y'])),
      ],
      ['a page of another origin', 403, '/console/api/restaurants', { 'Sec-Fetch-Site': 'cross-site' }],
    ])('%s: %d', async (_, status, path, headers) => {
      const answer = await scenario.relay.http.get(path).set(headers as Record<string, string>);
      expect([answer.status, storing(answer)]).toEqual([status, 'no-store']);
    });
  });

  test('100 headers are taken (L163)', async () => {
    const { hostname, port } = new URL(scenario.relay.url);
    const statuses = [100, 101].map(async (count) => {
      const headers = Object.fromEntries(Array.from({ length: count - 2 }, (_, i) => [`x-${i}`, 'y']));
      const request = get({
        hostname,
        port,
        path: '/health',
        headers: { ...headers, host: 'relay', connection: 'close' },
      });
      const [answer] = (await once(request, 'response')) as [IncomingMessage];
      answer.resume();
      return answer.statusCode;
    });
    expect(await Promise.all(statuses)).toEqual([200, 431]);
  });

  describe('CORS', () => {
    const preflight = (relay: TestRelay, origin: string) =>
      relay.http.options('/auth/login').set({
        Origin: origin,
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'content-type',
      });

    test('is off by default: no answer allows any origin', async () => {
      const { relay } = scenario;
      for (const { headers } of [await preflight(relay, STAFF), await relay.http.get('/health').set('Origin', STAFF)])
        expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
    });

    test('CORS_ORIGINS allows these origins, with the methods of the API, and no other', async () => {
      const relay = await scenario.start({ CORS_ORIGINS: `${STAFF}, http://localhost:5173` });
      for (const origin of [STAFF, 'http://localhost:5173']) {
        const { headers } = await preflight(relay, origin).expect(204);
        expect(headers['access-control-allow-origin']).toBe(origin);
        for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])
          expect(headers['access-control-allow-methods']).toContain(method);
        const answer = await relay.http.get('/health').set('Origin', origin).expect(200);
        expect(answer.headers['access-control-allow-origin']).toBe(origin);
        expect(answer.headers['access-control-expose-headers']).toMatch(/X-Request-Id/i);
      }
      for (const origin of ['https://evil.example', `${STAFF}.evil.example`, 'http://staff.example', 'null']) {
        const { headers } = await preflight(relay, origin);
        expect(headers['access-control-allow-origin']).not.toBe(origin);
        expect(headers['access-control-allow-origin']).not.toBe('*');
      }
    });
  });

  describe('TRUST_PROXY and the login throttle', () => {
    /** TRUST_PROXY -> the relay with this value */
    const relays = new Map<string, TestRelay>();

    /** Sends wrong logins with these X-Forwarded-For headers. @returns their statuses */
    async function knock(TRUST_PROXY: string, addresses: readonly string[]): Promise<number[]> {
      const relay = TRUST_PROXY ? (relays.get(TRUST_PROXY) ?? (await scenario.start({ TRUST_PROXY }))) : scenario.relay;
      relays.set(TRUST_PROXY, relay);
      // a known account: the wrong password of an unknown one costs a hash
      const { email } = await scenario.people.user();
      const statuses: number[] = [];
      for (const address of addresses) {
        const wrong = { email, password: 'wrong password' };
        const answer = await relay.http.post('/auth/login').set('X-Forwarded-For', address).send(wrong);
        statuses.push(answer.status);
      }
      return statuses;
    }
    const OTHERS = ['192.0.2.1', '192.0.2.2', '192.0.2.3'];
    const FORGED = OTHERS.map((address) => `${address}, 198.51.100.7`);
    const BEHIND_TWO = OTHERS.map((address) => `203.0.113.9, ${address}, 198.51.100.7`);
    const FORGED_BEHIND_TWO = OTHERS.map((address) => `${address}, 203.0.113.9, 198.51.100.7`);
    const [TRUSTED, ONE_CALLER] = [
      [401, 401, 401],
      [401, 401, 429],
    ];

    test.each<[string, string, readonly string[], readonly number[]]>([
      ['', 'X-Forwarded-For is ignored', OTHERS, ONE_CALLER],
      ['false', 'X-Forwarded-For is ignored', OTHERS, ONE_CALLER],
      ['10.0.0.1', 'X-Forwarded-For of another address is ignored', OTHERS, ONE_CALLER],
      ['true', 'X-Forwarded-For is trusted', OTHERS, TRUSTED],
      ['loopback', 'X-Forwarded-For is trusted', OTHERS, TRUSTED],
      ['1', 'the address that the proxy has added is the caller', FORGED, ONE_CALLER],
      ['127.0.0.1', 'the address that the proxy has added is the caller', FORGED, ONE_CALLER],
      ['2', 'the address that the first of two proxies has added is the caller', BEHIND_TWO, TRUSTED],
      ['2', 'an address before that of the first proxy is ignored', FORGED_BEHIND_TWO, ONE_CALLER],
    ])('TRUST_PROXY=%s: %s', async (TRUST_PROXY, _, addresses, statuses) => {
      expect(await knock(TRUST_PROXY, addresses)).toEqual(statuses);
    });
  });
});
