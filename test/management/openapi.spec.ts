import { Validator } from '@seriousme/openapi-schema-validator';
import type { Response } from 'supertest';
import type { Contract, Document, Method, Operation, Schema } from '../support/contract.js';
import { Office } from './office.js';

/** Where no token is asked for. */
const OPEN = ['/auth/login', '/health', '/health/live', '/health/ready'];

describe('the OpenAPI document', () => {
  let office: Office;
  let contract: Contract;
  let document: Document;

  beforeAll(async () => {
    // as the example of a login has it
    office = await Office.open({ ADMIN_EMAIL: 'admin@example.com', ADMIN_PASSWORD: 'a-long-password' });
    contract = await office.contract();
    document = contract.document;
  });
  afterAll(() => office.close());

  const operations = (): [name: string, path: string, operation: Operation][] =>
    Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]): [string, string, Operation] => [
        `${method.toUpperCase()} ${path}`,
        path,
        operation,
      ]),
    );
  /** @returns the operations for which this does not hold */
  const except = (holds: (operation: Operation, path: string, name: string) => boolean) =>
    operations()
      .filter(([name, path, operation]) => !holds(operation, path, name))
      .map(([name]) => name);

  test('is valid', async () => {
    expect(await new Validator().validate(structuredClone(document) as unknown as Record<string, unknown>)).toEqual({
      valid: true,
    });
  });

  test('is at /docs as a page, too', async () => {
    const { text } = await office.relay.http.get('/docs').redirects(1).expect(200).expect('Content-Type', /html/);
    expect(text).toContain('swagger-ui');
  });

  test('gives every operation a summary of its own', () => {
    const summaries = operations().map(([, , { summary }]) => summary);
    for (const summary of summaries) expect(summary).toMatch(/\S{2}/);
    expect(new Set(summaries).size).toBe(summaries.length);
  });

  test('gives every operation a 2xx whose body has a schema', () => {
    const holds = ({ responses }: Operation) => {
      const good = Object.entries(responses).filter(([status]) => status.startsWith('2'));
      return (
        good.length > 0 && good.every(([, { content = {} }]) => Object.values(content).some(({ schema }) => schema))
      );
    };
    expect(except(holds)).toEqual([]);
  });

  test.each<[string, string, (operation: Operation, path: string) => boolean]>([
    ['400', 'what takes input', ({ requestBody, parameters = [] }) => Boolean(requestBody) || parameters.length > 0],
    ['401', 'what asks who is calling, and the login', (_, path) => !path.startsWith('/health')],
    ['403', 'a restaurant of one id, and the admin area', (_, path) => /^\/admin|\{restaurantId\}/.test(path)],
    ['404', 'what names one thing', (_, path) => path.includes('{')],
    ['413', 'what takes a body', ({ requestBody }) => requestBody !== undefined],
    ['415', 'what takes a body', ({ requestBody }) => requestBody !== undefined],
    ['500', 'everything', () => true],
  ])('names %s for %s, and nowhere else', (status, _, applies) => {
    expect(
      except((operation, path) => applies(operation, path) === (operation.responses[status] !== undefined)),
    ).toEqual([]);
  });

  test.each([
    ['post /restaurants', 409],
    ['patch /restaurants/{restaurantId}', 409],
    ['delete /restaurants/{restaurantId}', 409],
    ['patch /restaurants/{restaurantId}/users/{userId}/role', 422],
    ['delete /restaurants/{restaurantId}/users/{userId}', 422],
    ['post /restaurants/{restaurantId}/transfer-ownership', 422],
    ['patch /users/me/password', 422],
    ['post /auth/login', 429],
    ['post /webhooks/terminal', 429],
    ['get /health', 503],
  ])('%s: names its %d', (name, status) => {
    const [method, path] = name.split(' ') as [Method, string];
    expect(document.paths[path]?.[method]?.responses[status]).toBeDefined();
  });

  test('gives every error the one error shape, except the 503 of the health routes', () => {
    const holds = ({ responses }: Operation, path: string) =>
      Object.entries(responses)
        .filter(([status]) => Number(status) >= 400 && !(path.startsWith('/health') && status === '503'))
        .every(([, { content }]) => content?.['application/json']?.schema?.$ref === '#/components/schemas/ErrorView');
    expect(except(holds)).toEqual([]);
  });

  test('asks for a token everywhere but at login and health', () => {
    expect(except(({ security }, path) => OPEN.includes(path) !== Boolean(security?.length))).toEqual([]);
  });

  test('describes every parameter of every path', () => {
    const holds = ({ parameters = [] }: Operation, path: string) => {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const described = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name);
      return JSON.stringify(named.sort()) === JSON.stringify(described.sort());
    };
    expect(except(holds)).toEqual([]);
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
            expect(name).not.toMatch(/password|^posSecret$|hash|tokenVersion/i);
  });

  describe('an example pasted as it stands', () => {
    /** What the page offers to send. */
    function example(schema: Schema): unknown {
      if (schema.$ref) return example(document.components.schemas[schema.$ref.split('/').at(-1) as string] as Schema);
      if (schema.example !== undefined) return schema.example;
      if (schema.items) return [example(schema.items)];
      const fields = Object.entries(schema.properties ?? {}).map(([name, inner]) => [name, example(inner)]);
      return schema.properties && Object.fromEntries(fields.filter(([, value]) => value !== undefined));
    }

    function exampleFor(method: Method, path: string): Record<string, unknown> {
      const content = document.paths[path]?.[method]?.requestBody?.content['application/json'];
      return example(content?.schema as Schema) as Record<string, unknown>;
    }

    test('works: from the login to the new password', async () => {
      const { api } = office;
      const login = () => api.post('/auth/login', undefined, exampleFor('post', '/auth/login')).expect(200);
      const { body } = await login();
      const token: string = body.access_token;
      const create = exampleFor('post', '/restaurants');
      expect(Object.keys(create).sort()).toEqual(
        ['address', 'codeStorePos', 'codeStoreTerminal', 'name', 'posIdPartner', 'posSecret', 'slug'].sort(),
      );
      const created = await api.post('/restaurants', token, create).expect(201);
      const own = '/restaurants/{restaurantId}';
      const path = `/restaurants/${created.body.data.id}`;
      await api.patch(path, token, exampleFor('patch', own)).expect(200);
      const event = exampleFor('post', '/webhooks/terminal');
      expect(event).toMatchObject({ items: [{ quantity: 2, price: 39.9 }], payments: [{ amount: 79.8 }] });
      await api.post('/webhooks/terminal', token, event).expect(200);
      const made = await api
        .post(`${path}/users/create-and-link`, token, exampleFor('post', `${own}/users/create-and-link`))
        .expect(201);
      const { userId } = made.body.data;
      await api
        .patch(`${path}/users/${userId}/role`, token, exampleFor('patch', `${own}/users/{userId}/role`))
        .expect(200);
      const somebody = await office.people.user();
      const link = { ...exampleFor('post', `${own}/users`), userId: somebody.id };
      await api.post(`${path}/users`, token, link).expect(201);
      await api.post(`${path}/transfer-ownership`, token, { newOwnerId: userId }).expect(200);
      await api.patch('/users/me/password', token, exampleFor('patch', '/users/me/password')).expect(200);
      await api.get('/auth/me', token).expect(401);
    });

    test('what is sold in the example is mapped without a complaint', async () => {
      const rows = await office.database.query<{ amount_mismatch_cents: string | null; paid_cents: string }>(
        'SELECT amount_mismatch_cents, paid_cents FROM terminal_events',
      );
      expect(rows).toEqual([{ amount_mismatch_cents: null, paid_cents: '7980' }]);
    });
  });

  describe('the check that every answer of these suites goes through', () => {
    const answer = (changes: Partial<Response>) =>
      ({ status: 200, headers: { 'x-request-id': '1' }, type: 'application/json', text: '', ...changes }) as Response;
    const healthy = { status: 'ok', timestamp: '2026-01-31T20:15:00.000Z' };

    test('lets through what is documented', () => {
      contract.check('get', '/health', answer({ body: healthy }));
    });

    test.each<[string, Partial<Response>, RegExp]>([
      ['a field that the document does not name', { body: { ...healthy, posSecret: 'x' } }, /additional properties/],
      ['a field that is missing', { body: { status: 'ok' } }, /required/],
      ['a field of another type', { body: { ...healthy, timestamp: 1 } }, /string/],
      ['a date that is none', { body: { ...healthy, timestamp: 'today' } }, /date-time/],
      ['a value beyond its list', { body: { ...healthy, status: 'fine' } }, /allowed values/],
      ['a status that the document does not name', { status: 418 }, /418 is not in the document/],
      ['another content type', { type: 'text/html' }, /text\/html is not in the document/],
      ['an answer without X-Request-Id', { body: healthy, headers: {} }, /X-Request-Id/],
    ])('refuses %s', (_, changes, why) => {
      expect(() => contract.check('get', '/health', answer(changes))).toThrow(why);
    });

    test('refuses an answer of a route that the document does not know', () => {
      expect(() => contract.check('get', '/hidden', answer({}))).toThrow(/is not in the document/);
    });
  });
});
