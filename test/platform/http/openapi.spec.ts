import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { Validator } from '@seriousme/openapi-schema-validator';
import type { Response } from 'supertest';
import {
  Contract,
  type Document,
  type MediaType,
  type Method,
  type Operation,
  type Schema,
} from '../../../tools/contract.js';
import type { TestRelay } from '../../support/relay.js';
import { Scenario } from '../../support/scenario.js';
import { readSpecification } from '../../support/specification.js';

/** The operations without authentication. */
const OPEN = [
  ...['POST /auth/login', 'POST /console/session', 'DELETE /console/session'],
  ...['POST /invitations/read', 'POST /invitations/join', 'POST /alerts/acknowledge', 'POST /alerts/read'],
  ...['POST /auth/password-links', 'POST /auth/password-links/use', 'POST /oauth/token'],
  // by a signature
  'POST /webhooks/terminal/{keyId}',
  ...['GET /webhooks/terminal/{keyId}/receipts', 'GET /webhooks/terminal/{keyId}/receipts/{jobId}'],
  ...['POST /print/{token}', 'GET /print/{token}', 'DELETE /print/{token}'],
  ...['GET /health', 'GET /health/live', 'GET /health/ready'],
];

describe('the OpenAPI document', () => {
  // the credentials in the example of a login
  const scenario = Scenario.ofSuite({ ADMIN_EMAIL: 'admin@example.com', ADMIN_PASSWORD: 'change-me-please' });
  let contract: Contract;
  let document: Document;

  /** for the compression of the document: it has not answered with it before */
  let silent: TestRelay;
  beforeAll(async () => {
    silent = await scenario.start();
    contract = new Contract((await scenario.api.get('/docs-json').expect(200)).body);
    document = contract.document;
  });

  const operations = (): [name: string, path: string, operation: Operation][] =>
    Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]): [string, string, Operation] => [
        `${method.toUpperCase()} ${path}`,
        path,
        operation,
      ]),
    );
  /** @returns the names of the operations for which `holds` is false */
  const except = (holds: (operation: Operation, path: string, name: string) => boolean) =>
    operations()
      .filter(([name, path, operation]) => !holds(operation, path, name))
      .map(([name]) => name);

  test('is valid', async () => {
    expect(await new Validator().validate(structuredClone(document) as unknown as Record<string, unknown>)).toEqual({
      valid: true,
    });
  });

  test('is shown by the page /docs, which keeps no credentials, and removes those of versions before (H8)', async () => {
    const { text } = await scenario.relay.http.get('/docs').redirects(1).expect(200).expect('Content-Type', /html/);
    expect(text).toContain('swagger-ui');
    const { text: settings } = await scenario.relay.http.get('/docs/swagger-ui-init.js').expect(200);
    expect(settings).toMatch(/"persistAuthorization": false/);
    expect(settings).toMatch(/"onComplete": \(\)\s*=>\s*globalThis\.localStorage\.removeItem\(['"]authorized['"]\)/);
  });

  test.each(['/docs-json', '/docs-yaml', '/docs/swagger-ui-init.js'])(
    '%s is compressed for clients that accept gzip, from the first answer on (H22)',
    async (path) => {
      const read = async (accepted?: string) => {
        const [answer] = (await once(
          get(silent.url + path, accepted === undefined ? {} : { headers: { 'accept-encoding': accepted } }),
          'response',
        )) as [IncomingMessage];
        expect(answer.statusCode).toBe(200);
        const bytes = await buffer(answer);
        const { vary, 'content-encoding': encoding, 'content-type': type, 'content-length': length } = answer.headers;
        expect([vary, Number(length)]).toEqual(['Accept-Encoding', bytes.length]);
        return { bytes, encoding, type };
      };
      const [first, plain, again, refused] = [
        await read('br, gzip;q=0.8'),
        await read(),
        await read('gzip'),
        await read('gzip;q=0'),
      ];
      expect([first, plain, again, refused].map(({ encoding }) => encoding)).toEqual([
        ...['gzip', undefined, 'gzip', undefined],
      ]);
      expect(first.bytes.length).toBeLessThan(plain.bytes.length / 4);
      expect(gunzipSync(first.bytes).equals(plain.bytes)).toBe(true);
      expect(again).toEqual(first);
      expect(refused).toEqual(plain);
      expect(first.type).toBe(plain.type);
    },
  );

  test('API_DOCS=false: no page and no document; / redirects to nothing where there is no console (H8)', async () => {
    const relay = await scenario.start({ API_DOCS: 'false' });
    for (const path of ['/docs', '/docs/', '/docs/swagger-ui-init.js', '/docs-json', '/docs-yaml', '/'])
      expect((await relay.api.get(path).expect(404)).body.code).toBe('NOT_FOUND');
    await relay.api.get('/health').expect(200);
  });

  test('its description begins with a first webhook in four steps, and says where the token of a terminal comes from (H16)', () => {
    const [, steps = ''] = (document.info.description ?? '').split('## A first webhook in four steps');
    const named = [...steps.matchAll(/^(\d)\. \*\*([^*]+)\*\*.*?`(GET|POST) ([^`]+)`/gm)].map(
      ([, step, what, method, path]) => ({
        step: `${step} ${what}`,
        isThere: document.paths[path as string]?.[method?.toLowerCase() as Method] !== undefined,
      }),
    );
    expect(named).toEqual(
      ['1 Sign in.', '2 Create a restaurant.', '3 Send a sale.', '4 See the order.'].map((step) => ({
        step,
        isThere: true,
      })),
    );
    expect(steps).toMatch(/sender-keys`[\s\S]*`TERMINAL_BEARER_TOKEN`[\s\S]*Basic[\s\S]*JWT of an OWNER/);
    expect(document.tags[0]?.name).toBe('webhook');
    expect(Object.keys(document.paths)[0]).toBe('/webhooks/terminal');
  });

  test('gives every operation a unique summary, a unique id in camel case, and a description', () => {
    for (const [pick, shape] of [
      [({ summary }: Operation) => summary, /\S{2}/],
      [({ operationId }: Operation) => operationId, /^[a-z]+([A-Z][a-z]+)*$/],
    ] as const) {
      const texts = operations().map(([, , operation]) => pick(operation));
      for (const text of texts) expect(text).toMatch(shape);
      expect(new Set(texts).size).toBe(texts.length);
    }
    expect(except(({ description, summary }) => Boolean(description) && description !== summary)).toEqual([]);
  });

  test('is OpenAPI 3.1, has the version of package.json, and the webhook as first tag', () => {
    const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
    expect(document).toMatchObject({ openapi: expect.stringMatching(/^3\.1\./), info: { version } });
    const tags = document.tags.map(({ name }) => name);
    expect(tags.slice(0, 4)).toEqual(['webhook', 'authentication', 'restaurants', 'orders']);
    expect(except((operation) => operation.tags?.every((tag) => tags.includes(tag)) === true)).toEqual([]);
  });

  test('has the version of the interface in P6, and no version in a path (P6)', () => {
    const [, version] = /The interface has version (\d+\.\d+\.\d+)\./.exec(readSpecification()) ?? [];
    expect(document.info).toMatchObject({ version });
    expect(Object.keys(document.paths).filter((path) => /\/v\d/i.test(path) && !path.startsWith('/v1/'))).toEqual([]);
    const negotiated = operations().filter(([, , { parameters = [] }]) =>
      // a signature chooses no version
      parameters.some((each) => each.in === 'header' && !each.name?.startsWith('webhook-')),
    );
    expect(negotiated).toEqual([]);
  });

  test('has no example for a parameter: the page would send it', () => {
    const holds = ({ parameters = [] }: Operation) =>
      parameters.every(({ example, schema }) => example === undefined && schema?.example === undefined);
    expect(except(holds)).toEqual([]);
  });

  test('the webhook: credentials in the body are documented, optional, and in no example', () => {
    const body = document.paths['/webhooks/terminal']?.post?.requestBody;
    const { schema = {}, examples = {} } = body?.content['application/json'] ?? {};
    const event = document.components.schemas[schema.$ref?.split('/').at(-1) as string];
    expect(event?.required).toEqual(['transactionKey']);
    expect(event?.properties).toMatchObject({ email: { format: 'email' }, password: { format: 'password' } });
    expect(Object.keys(examples)).toEqual(['sale', 'whole', 'test']);
    for (const { value } of Object.values(examples))
      expect(Object.keys(value as object)).not.toEqual(expect.arrayContaining(['restaurantId']));
  });

  test('gives every operation a 2xx with a schema, or a 204', () => {
    const holds = ({ responses }: Operation, path: string) => {
      const good = Object.entries(responses).filter(([status]) => status.startsWith('2') && status !== '204');
      // the standard answers so (Q5, Q15)
      if (path === '/v1/events/acknowledgment' || (/^\/v1\/orders\/[^/]+\/./.test(path) && !responses['204']))
        return good.length === 1;
      if (responses['204'] && path !== '/v1/events:polling') return good.length === 0;
      return (
        good.length > 0 && good.every(([, { content = {} }]) => Object.values(content).some(({ schema }) => schema))
      );
    };
    expect(except(holds)).toEqual([]);
  });

  test.each<[string, string, (operation: Operation, path: string, name: string) => boolean]>([
    ['400', 'every operation', () => true],
    [
      '401',
      'operations with authentication, and the logins',
      (_, path, name) =>
        !/^\/(health|print)/.test(path) &&
        name !== 'DELETE /console/session' &&
        !/^\/(invitations\/(read|join)|alerts\/(acknowledge|read)|auth\/password-links(\/use)?)$/.test(path),
    ],
    [
      '403',
      'operations on a restaurant, the admin area, the creation of restaurants, the session of the console, the accept of an invitation, sales of keys',
      ({ requestBody }, path) =>
        /^\/(admin|console|webhooks)\b|\{restaurantId\}|^\/invitations\/accept$/.test(path) ||
        (path === '/restaurants' && requestBody !== undefined),
    ],
    [
      '404',
      'operations with a path parameter, a token of an invitation, an alert or a password, or that may be switched off',
      (_, path) =>
        path.includes('{') ||
        path === '/admin/jobs/reset' ||
        path.startsWith('/invitations/') ||
        ['/alerts/acknowledge', '/alerts/read', '/auth/password-links/use'].includes(path),
    ],
    ['408', 'operations with a body', (_, __, name) => !name.startsWith('GET ')],
    ['413', 'operations with a body', (_, __, name) => !name.startsWith('GET ')],
    [
      '415',
      'operations with a body, and the ticket, which has one type',
      (_, __, name) => !name.startsWith('GET ') || name === 'GET /print/{token}',
    ],
    ['500', 'every operation', () => true],
  ])('has a %s for %s, and for no other', (status, _, applies) => {
    expect(
      except((operation, path, name) => applies(operation, path, name) === (operation.responses[status] !== undefined)),
    ).toEqual([]);
  });

  test('gives every error the one error shape, except the 503 of the health routes', () => {
    const holds = ({ responses }: Operation, path: string) =>
      Object.entries(responses)
        .filter(([status]) => Number(status) >= 400 && !(path.startsWith('/health') && status === '503'))
        .every(([, { content }]) => content?.['application/json']?.schema?.$ref === '#/components/schemas/ErrorView');
    expect(except(holds)).toEqual([]);
  });

  test('requires a token or a session except for logins, invitations, the token of an alert, signed sales, a POS that signs in, printers and health', () => {
    expect(except(({ security }, _, name) => OPEN.includes(name) !== Boolean(security?.length))).toEqual([]);
  });

  test('names the roles that may call an operation in its 403', () => {
    const holds = ({ responses }: Operation, path: string) => {
      const said = JSON.stringify(responses['403']);
      if (path.startsWith('/admin')) return said?.includes('the platform role ADMIN') === true;
      return (
        !path.includes('{restaurantId}') ||
        /one of the roles OWNER|these roles have: OWNER|any role in the restaurant/.test(said ?? '')
      );
    };
    expect(except(holds)).toEqual([]);
    const list = document.paths['/restaurants/{restaurantId}/users']?.get;
    expect(list?.responses['403']).toMatchObject({ description: expect.stringContaining('OWNER, ADMIN, MANAGER') });
  });

  test('has no password and no posSecret in any answer', () => {
    const answered = (schema: Schema, names: Set<string>): Set<string> => {
      const { $ref, properties = {}, items } = schema;
      if ($ref) return answered(document.components.schemas[$ref.split('/').at(-1) as string] as Schema, names);
      for (const [name, inner] of Object.entries(properties)) answered(inner, names.add(name));
      return items ? answered(items, names) : names;
    };
    for (const [, , { responses }] of operations())
      for (const { content = {} } of Object.values(responses))
        for (const { schema = {} } of Object.values(content))
          for (const name of answered(schema, new Set()))
            expect(name).not.toMatch(/password|^posSecret$|^(?!(sales|lines)Hash$).+hash|tokenVersion/i);
  });

  describe('the examples in the document', () => {
    /** The example of a schema, built from its properties where it has none. */
    function example(schema: Schema): unknown {
      if (schema.example !== undefined) return schema.example;
      if (schema.$ref) return example(document.components.schemas[schema.$ref.split('/').at(-1) as string] as Schema);
      if (schema.items) return [example(schema.items)];
      const fields = Object.entries(schema.properties ?? {}).map(([name, inner]) => [name, example(inner)]);
      return schema.properties && Object.fromEntries(fields.filter(([, value]) => value !== undefined));
    }

    /** The examples of a body; the page sends the first one by default. */
    function examplesFor(method: Method, path: string): Record<string, unknown>[] {
      const content = document.paths[path]?.[method]?.requestBody?.content['application/json'] as MediaType;
      const given = Object.values(content.examples ?? {}).map(({ value }) => value);
      return (given.length > 0 ? given : [example(content.schema)]) as Record<string, unknown>[];
    }
    const exampleFor = (method: Method, path: string) => examplesFor(method, path)[0] as Record<string, unknown>;

    test('work unchanged, from the login to the password change', async () => {
      const { api } = scenario;
      const login = () => api.post('/auth/login', undefined, exampleFor('post', '/auth/login')).expect(200);
      const { body } = await login();
      const token: string = body.access_token;
      const create = exampleFor('post', '/restaurants');
      expect(create).toMatchObject({ codeStoreTerminal: expect.any(String), codeStorePos: expect.any(String) });
      const created = await api.post('/restaurants', token, create).expect(201);
      const own = '/restaurants/{restaurantId}';
      const path = `/restaurants/${created.body.data.id}`;
      for (const event of examplesFor('post', '/webhooks/terminal'))
        await api.post('/webhooks/terminal', token, event).expect(200);
      await scenario.relay.tick();
      // the last of the four steps (H16)
      const seen = await api.get(`${path}/orders`, token).expect(200);
      expect(seen.body.data).toMatchObject([{ status: 'SENT' }, { status: 'SENT' }, { status: 'SENT' }]);
      for (const change of examplesFor('patch', own)) await api.patch(path, token, change).expect(200);
      const made = await api
        .post(`${path}/users/create-and-link`, token, exampleFor('post', `${own}/users/create-and-link`))
        .expect(201);
      const { userId } = made.body.data;
      await api
        .patch(`${path}/users/${userId}/role`, token, exampleFor('patch', `${own}/users/{userId}/role`))
        .expect(200);
      const somebody = await scenario.people.user();
      const link = { ...exampleFor('post', `${own}/users`), userId: somebody.id };
      await api.post(`${path}/users`, token, link).expect(201);
      await api.post(`${path}/transfer-ownership`, token, { newOwnerId: userId }).expect(200);
      await api.patch('/users/me/password', token, exampleFor('patch', '/users/me/password')).expect(200);
      await api.get('/auth/me', token).expect(401);
    });

    test('the sales in the examples are delivered, without an amount mismatch', async () => {
      const rows = await scenario.database.query<{ amount_mismatch_cents: string | null; paid_cents: string }>(
        'SELECT amount_mismatch_cents, paid_cents FROM terminal_events ORDER BY paid_cents',
      );
      expect(rows).toEqual([
        { amount_mismatch_cents: null, paid_cents: '1250' },
        { amount_mismatch_cents: null, paid_cents: '7980' },
        { amount_mismatch_cents: null, paid_cents: '10128' },
      ]);
      const jobs = await scenario.database.query('SELECT status, attempts FROM outbox_jobs');
      expect(jobs).toEqual(Array(3).fill({ status: 'SENT', attempts: 1 }));
    });
  });

  describe('the check of every answer against the document', () => {
    const answer = (changes: Partial<Response>) =>
      ({ status: 200, headers: HEADERS, type: 'application/json', text: '', ...changes }) as Response;
    const HEADERS = { 'x-request-id': '1', 'cache-control': 'no-store' };
    const healthy = { status: 'ok', timestamp: '2026-01-31T20:15:00.000Z' };

    test('accepts a documented answer', () => {
      contract.check('get', '/health', answer({ body: healthy }));
    });

    test.each<[string, Partial<Response>, RegExp]>([
      ['a field that the document does not name', { body: { ...healthy, posSecret: 'x' } }, /additional properties/],
      ['a field that is missing', { body: { status: 'ok' } }, /required/],
      ['a field of another type', { body: { ...healthy, timestamp: 1 } }, /string/],
      ['an invalid date', { body: { ...healthy, timestamp: 'today' } }, /date-time/],
      ['a value outside its enum', { body: { ...healthy, status: 'fine' } }, /allowed values/],
      ['a status that the document does not name', { status: 418 }, /418 is not in the document/],
      ['another content type', { type: 'text/html' }, /text\/html is not in the document/],
      [
        'a header that the response does not name',
        { body: healthy, headers: { 'x-request-id': '1', 'cache-control': 'no-store', etag: '"1"' } },
        /ETag/,
      ],
      ['an answer without X-Request-Id', { body: healthy, headers: {} }, /X-Request-Id/],
      ['an answer that may be stored', { body: healthy, headers: { 'x-request-id': '1' } }, /may be stored/],
    ])('refuses %s', (_, changes, why) => {
      expect(() => contract.check('get', '/health', answer(changes))).toThrow(why);
    });

    test('refuses an answer of a route that is not in the document', () => {
      expect(() => contract.check('get', '/hidden', answer({}))).toThrow(/is not in the document/);
    });
  });
});
