import { openDatabase, type TestDatabase } from '../support/database.js';
import { TERMINAL_TOKEN } from '../support/environment.js';
import { TestRelay } from '../support/relay.js';
import { sale } from '../support/sale.js';

const LIMIT = 2_048;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const json = 'application/json';

describe('an error has one shape, everywhere', () => {
  let database: TestDatabase;
  let relay: TestRelay;
  let token: string;

  beforeAll(async () => {
    database = await openDatabase();
    relay = await TestRelay.start(database, { BODY_LIMIT_BYTES: String(LIMIT) });
    await relay.createRestaurant({ slug: 'taken' });
    token = await relay.login();
  });
  afterAll(async () => {
    await relay.close();
    await database.close();
  });

  const knock = (bearer: string | undefined, body: string, contentType: string) => {
    const request = relay.http.post('/webhooks/terminal').set('Content-Type', contentType);
    if (bearer) request.set('Authorization', `Bearer ${bearer}`);
    return request.send(body);
  };
  const create = (body: object) => relay.http.post('/restaurants').auth(token, { type: 'bearer' }).send(body);
  /** A body of exactly this many bytes that is a good sale. */
  const saleOf = (bytes: number) => {
    const text = JSON.stringify(sale({ padding: '' }));
    return text.replace('"padding":""', `"padding":"${'x'.repeat(bytes - text.length)}"`);
  };
  type Answer = ReturnType<typeof create>;

  test.each<[number, string, string, string, () => Answer]>([
    [400, 'Bad Request', 'VALIDATION_FAILED', 'a bad field', () => create({ name: '', slug: 'other' })],
    [400, 'Bad Request', 'INVALID_TRANSACTION', 'a bad transaction', () => knock(TERMINAL_TOKEN, '{}', json)],
    [400, 'Bad Request', 'INVALID_JSON', 'broken JSON', () => knock(TERMINAL_TOKEN, '{"a":', json)],
    [400, 'Bad Request', 'INVALID_TRANSACTION', 'an empty JSON body', () => knock(TERMINAL_TOKEN, '', json)],
    [401, 'Unauthorized', 'UNAUTHENTICATED', 'no token', () => relay.http.get('/auth/me')],
    [401, 'Unauthorized', 'UNAUTHENTICATED', 'no credentials', () => knock(undefined, '{}', json)],
    [401, 'Unauthorized', 'UNAUTHENTICATED', 'broken JSON, nobody known', () => knock(undefined, '{"a":', json)],
    [401, 'Unauthorized', 'UNAUTHENTICATED', 'a wrong token and broken JSON', () => knock('wrong', '{"a":', json)],
    [401, 'Unauthorized', 'UNAUTHENTICATED', 'no JSON, nobody known', () => knock(undefined, 'a=1', 'text/plain')],
    [404, 'Not Found', 'NOT_FOUND', 'an unknown route', () => relay.http.get('/nowhere')],
    [404, 'Not Found', 'NOT_FOUND', 'a method the route does not have', () => relay.http.delete('/auth/login')],
    [400, 'Bad Request', 'BAD_REQUEST', 'a path that cannot be decoded', () => relay.http.get('/restaurants/%zz')],
    [409, 'Conflict', 'CONFLICT', 'a taken slug', () => create({ name: 'Any', slug: 'taken' })],
    [
      413,
      'Payload Too Large',
      'PAYLOAD_TOO_LARGE',
      'one byte too many',
      () => knock(TERMINAL_TOKEN, saleOf(LIMIT + 1), json),
    ],
    [
      415,
      'Unsupported Media Type',
      'UNSUPPORTED_MEDIA_TYPE',
      'plain text',
      () => knock(TERMINAL_TOKEN, 'a', 'text/plain'),
    ],
    [
      415,
      'Unsupported Media Type',
      'UNSUPPORTED_MEDIA_TYPE',
      'a form',
      () => knock(TERMINAL_TOKEN, 'a=1', 'application/x-www-form-urlencoded'),
    ],
    [415, 'Unsupported Media Type', 'UNSUPPORTED_MEDIA_TYPE', 'no content type', () => knock(TERMINAL_TOKEN, '{}', '')],
    [
      415,
      'Unsupported Media Type',
      'UNSUPPORTED_MEDIA_TYPE',
      'an odd content type',
      () => knock(TERMINAL_TOKEN, '{}', 'nonsense'),
    ],
  ])('%d %s, %s: %s', async (statusCode, error, code, _, ask) => {
    const { status, body, headers, type } = await ask();
    expect(body).toEqual({ statusCode, error, code, message: body.message, requestId: headers['x-request-id'] });
    expect(status).toBe(statusCode);
    expect(type).toBe(json);
    const messages = [body.message].flat();
    expect(messages.length).toBeGreaterThan(0);
    for (const message of messages) expect(message).toEqual(expect.stringMatching(/\S/));
    expect(body.requestId).toMatch(UUID);
  });

  test('BODY_LIMIT_BYTES is what is still accepted', async () => {
    await knock(TERMINAL_TOKEN, saleOf(LIMIT), json).expect(200);
  });

  test.each(['application/json; charset=utf-8', 'Application/JSON'])('a body sent as %s is read', async (type) => {
    await knock(TERMINAL_TOKEN, JSON.stringify(sale()), type).expect(200);
  });

  describe('X-Request-Id', () => {
    const asked = (id?: string) => {
      const request = relay.http.get('/nowhere');
      return id === undefined ? request : request.set('X-Request-Id', id);
    };

    test.each(['abc', 'a/b:c=1;d', 'x'.repeat(128)])(
      '%s comes back, in the header, the body and the log',
      async (id) => {
        const { body, headers } = await asked(id);
        expect([headers['x-request-id'], body.requestId]).toEqual([id, id]);
        expect(relay.logged).toContainEqual(expect.objectContaining({ event: 'http.refused', requestId: id }));
      },
    );

    test.each<[string, string | undefined]>([
      ['absent', undefined],
      ['empty', ''],
      ['with a blank', 'a b'],
      ['with a tab', 'a\tb'],
      ['beyond ASCII', 'caf\u00e9'],
      ['129 characters long', 'x'.repeat(129)],
    ])('%s: another one, a UUID', async (_, id) => {
      const { body, headers } = await asked(id);
      expect(headers['x-request-id']).toMatch(UUID);
      expect(body.requestId).toBe(headers['x-request-id']);
    });

    test('stands on good answers too, and differs from request to request', async () => {
      const ids = [];
      for (let i = 0; i < 3; i++) ids.push((await relay.http.get('/health').expect(200)).headers['x-request-id']);
      expect(new Set(ids).size).toBe(3);
      await relay.http.get('/health').set('X-Request-Id', 'mine').expect('X-Request-Id', 'mine');
    });
  });

  test('a 500 shows no internals; the log has them under its requestId', async () => {
    await database.query('ALTER TABLE terminal_events RENAME COLUMN payload TO renamed');
    const { body, status } = await relay.post(sale());
    await database.query('ALTER TABLE terminal_events RENAME COLUMN renamed TO payload');
    expect(status).toBe(500);
    expect(Object.keys(body).sort()).toEqual(['code', 'error', 'message', 'requestId', 'statusCode']);
    expect(body).toMatchObject({ statusCode: 500, error: 'Internal Server Error', code: 'INTERNAL' });
    expect(JSON.stringify(body)).not.toMatch(/payload|terminal_events|prisma|postgres|42703|column|\bat /i);
    const line = relay.logged.find(({ event, requestId }) => event === 'http.failed' && requestId === body.requestId);
    expect(line).toMatchObject({ level: 50, error: expect.stringContaining('payload') });
  });
});
