import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { ArgumentsHost } from '@nestjs/common';
import { Connection } from '../../../proof/fuzz/connection.js';
import { PrismaService } from '../../../src/platform/database/prisma.service.js';
import { ErrorFilter } from '../../../src/platform/http/error.filter.js';
import { RefusalLines } from '../../../src/platform/http/limits/refusal-lines.js';
import { Shares } from '../../../src/platform/http/limits/shares.js';
import { Log } from '../../../src/platform/telemetry/log.js';
import { sale } from '../../support/client.js';
import type { TestDatabase } from '../../support/database.js';
import { TERMINAL_TOKEN } from '../../support/environment.js';
import type { TestRelay } from '../../support/relay.js';
import { Scenario } from '../../support/scenario.js';

const LIMIT = 2_048;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const json = 'application/json';

describe('every error has one shape', () => {
  const scenario = Scenario.ofSuite({ BODY_LIMIT_BYTES: String(LIMIT) });
  let database: TestDatabase;
  let relay: TestRelay;
  let token: string;
  let restaurant: string;

  beforeAll(async () => {
    ({ database, relay } = scenario);
    restaurant = await relay.createRestaurant({ slug: 'taken' });
    token = await relay.login();
  });

  const knock = (bearer: string | undefined, body: string, contentType: string) => {
    const request = relay.http.post('/webhooks/terminal').set('Content-Type', contentType);
    if (bearer) request.set('Authorization', `Bearer ${bearer}`);
    return request.send(body);
  };
  const create = (body: object) => relay.http.post('/restaurants').auth(token, { type: 'bearer' }).send(body);
  /** A valid sale of exactly this many bytes. */
  const saleOf = (bytes: number) => {
    const text = JSON.stringify(sale({ padding: '' }));
    return text.replace('"padding":""', `"padding":"${'x'.repeat(bytes - text.length)}"`);
  };
  type Answer = ReturnType<typeof create>;

  const TEXT = 'text/plain';
  const FORM = 'application/x-www-form-urlencoded';
  test.each<[number, string, string, () => Answer]>([
    [400, 'VALIDATION_FAILED', 'a bad field', () => create({ name: '', slug: 'other' })],
    [400, 'INVALID_TRANSACTION', 'a bad transaction', () => knock(TERMINAL_TOKEN, '{}', json)],
    [400, 'INVALID_JSON', 'broken JSON', () => knock(TERMINAL_TOKEN, '{"a":', json)],
    [400, 'INVALID_TRANSACTION', 'an empty JSON body', () => knock(TERMINAL_TOKEN, '', json)],
    [400, 'BAD_REQUEST', 'a path that cannot be decoded', () => relay.http.get('/restaurants/%zz')],
    [401, 'UNAUTHENTICATED', 'no token', () => relay.http.get('/auth/me')],
    [401, 'UNAUTHENTICATED', 'broken JSON without credentials', () => knock(undefined, '{"a":', json)],
    [401, 'UNAUTHENTICATED', 'broken JSON with a wrong token', () => knock('wrong', '{"a":', json)],
    [401, 'UNAUTHENTICATED', 'text without credentials', () => knock(undefined, 'a=1', TEXT)],
    [404, 'NOT_FOUND', 'an unknown route', () => relay.http.get('/nowhere')],
    [405, 'METHOD_NOT_ALLOWED', 'a method that the route does not have', () => relay.http.delete('/auth/login')],
    [409, 'CONFLICT', 'a taken slug', () => create({ name: 'Any', slug: 'taken' })],
    [413, 'PAYLOAD_TOO_LARGE', 'one byte too many', () => knock(TERMINAL_TOKEN, saleOf(LIMIT + 1), json)],
    [415, 'UNSUPPORTED_MEDIA_TYPE', 'a form', () => knock(TERMINAL_TOKEN, 'a=1', FORM)],
    [415, 'UNSUPPORTED_MEDIA_TYPE', 'no content type', () => knock(TERMINAL_TOKEN, '{}', '')],
    [415, 'UNSUPPORTED_MEDIA_TYPE', 'an invalid content type', () => knock(TERMINAL_TOKEN, '{}', 'nonsense')],
  ])('%d %s: %s (H2)', async (statusCode, code, _, ask) => {
    const { status, body, headers, type } = await ask();
    const error = STATUS_CODES[statusCode];
    expect(body).toEqual({ statusCode, error, code, message: body.message, requestId: headers['x-request-id'] });
    expect(status).toBe(statusCode);
    expect(type).toBe(json);
    const messages = [body.message].flat();
    expect(messages.length).toBeGreaterThan(0);
    for (const message of messages) expect(message).toEqual(expect.stringMatching(/\S/));
    expect(body.requestId).toMatch(UUID);
  });

  test.each([
    ['delete', '/auth/login', 'POST'],
    ['get', '/webhooks/terminal', 'POST'],
    ['get', '/webhooks/terminal/', 'POST'],
    ['post', '/health', 'GET, HEAD'],
    ['post', '/restaurants/any/orders/any?limit=1', 'GET, HEAD'],
    ['patch', '/restaurants', 'GET, HEAD, POST'],
  ] as const)('%s %s: 405 with Allow: %s', async (method, path, allow) => {
    await relay.http[method](path).expect(405).expect('Allow', allow);
  });

  test.each(['{"toString":1}', '{"constructor":{}}', '{"__proto__":{}}', '{"name":"New","hasOwnProperty":1}'])(
    '%s: 400 for an unknown field (H5)',
    async (text) => {
      const request = relay.http.patch(`/restaurants/${restaurant}`).auth(token, { type: 'bearer' });
      const { body } = await request.set('Content-Type', json).send(text).expect(400);
      expect(body.code).toBe('VALIDATION_FAILED');
      expect(body.message).toEqual([expect.stringMatching(/^property \w+ should not exist$/)]);
      const query = relay.http.get('/restaurants?constructor=1').auth(token, { type: 'bearer' });
      await query.expect(400);
    },
  );

  test.each([
    ['16 levels', `{"name":${'['.repeat(16)}${']'.repeat(16)}}`, 'body: must not nest deeper than 16 levels'],
    ['200 keys', JSON.stringify(Object.fromEntries(Array(201).fill(0).entries())), 'body: must have at most 200 keys'],
    ['2,000 values', JSON.stringify({ name: Array(2_001).fill(0) }), 'body: must have at most 2000 values'],
    ['an object', '[]', 'body: must be a JSON object'],
  ])('a body beyond %s: 400', async (_, text, message) => {
    const { body } = await relay.http
      .post('/restaurants')
      .auth(token, { type: 'bearer' })
      .set('Content-Type', json)
      .send(text)
      .expect(400);
    expect(body).toMatchObject({ code: 'VALIDATION_FAILED', message: [message] });
  });

  /** Sends these header lines and the body byte by byte as given. */
  const raw = async (body: string, ...lines: string[]) => {
    const connection = new Connection(relay.url);
    const { answers } = await connection.send(Buffer.from([...lines, '', body].join('\r\n')), false);
    connection.close();
    return answers[0];
  };

  test('H1: a request without Host: 400 in the shape of every error', async () => {
    const answer = await raw('', 'GET /health HTTP/1.1');
    expect(answer?.status).toBe(400);
    expect(JSON.parse(String(answer?.body))).toEqual({
      statusCode: 400,
      error: 'Bad Request',
      code: 'BAD_REQUEST',
      message: 'the request has no Host header',
      requestId: answer?.headers.get('x-request-id'),
    });
    expect((await raw('', 'GET /health HTTP/1.0'))?.status).toBe(200);
  });

  test.each(['*', '*/x', 'http://other/x'])(
    'H6: the target %s is a 404 with the headers of every answer',
    async (target) => {
      const answer = await raw('', `GET ${target} HTTP/1.1`, 'Host: a', 'X-Request-Id: mine');
      expect(answer?.status).toBe(404);
      expect(answer?.headers.get('x-request-id')).toBe('mine');
      expect(answer?.headers.get('x-content-type-options')).toBe('nosniff');
      expect(JSON.parse(String(answer?.body))).toMatchObject({ code: 'NOT_FOUND', requestId: 'mine' });
    },
  );

  test.each(['1.1', '1.0'])('H2: two Host headers over HTTP/%s: 400', async (version) => {
    for (const second of ['Host: a', 'hOST: b']) {
      const answer = await raw('', `GET /health HTTP/${version}`, 'Host: a', second);
      expect(answer?.status).toBe(400);
      expect(JSON.parse(String(answer?.body))).toMatchObject({
        code: 'BAD_REQUEST',
        message: 'the request has several Host headers',
      });
    }
  });

  test.each(['', '200-ok', '100-continue, more'])(
    'a sale with the unknown Expect header "%s": 200',
    async (expectation) => {
      const body = JSON.stringify(sale());
      const headers = [
        `Authorization: Bearer ${TERMINAL_TOKEN}`,
        `Content-Type: ${json}`,
        `Content-Length: ${body.length}`,
      ];
      const answer = await raw(
        body,
        'POST /webhooks/terminal HTTP/1.1',
        'Host: a',
        ...headers,
        `Expect: ${expectation}`,
      );
      expect(answer?.status).toBe(200);
    },
  );

  test.each(['', ' ', '/', 'application'])(
    'W1: without credentials, and with Content-Type "%s": 401 whatever the body is',
    async (type) => {
      const headers = ['Host: a', `Content-Type: ${type}`, 'Content-Length: 1'];
      expect((await raw('a', 'POST /webhooks/terminal HTTP/1.1', ...headers))?.status).toBe(401);
      const known = [...headers, `Authorization: Bearer ${TERMINAL_TOKEN}`];
      expect((await raw('a', 'POST /webhooks/terminal HTTP/1.1', ...known))?.status).toBe(415);
    },
  );

  test('a body over 64 KiB at a route other than the webhook: 413', async () => {
    await create({ name: 'x'.repeat(65_536) }).expect(413);
  });

  test.each([
    ['restaurantId', () => '/restaurants/1'],
    ['userId', (restaurant: string) => `/restaurants/${restaurant}/user/1`],
    ['jobId', () => '/admin/jobs/1'],
  ])('%s in a path that is not a UUID: 400 INVALID_ID, which names it (H5)', async (name, path) => {
    const { body } = await relay.http.get(path(restaurant)).auth(token, { type: 'bearer' }).expect(400);
    expect(body).toMatchObject({ code: 'INVALID_ID', message: `${name} must be a UUID` });
  });

  test('a UUID in a path may be in upper case', async () => {
    const path = `/restaurants/${restaurant.toUpperCase()}`;
    const { body } = await relay.http.get(path).auth(token, { type: 'bearer' }).expect(200);
    expect(body.id).toBe(restaurant);
  });

  test('a body of BODY_LIMIT_BYTES is accepted', async () => {
    await knock(TERMINAL_TOKEN, saleOf(LIMIT), json).expect(200);
  });

  test.each(['application/json; charset=utf-8', 'Application/JSON'])('a body of type %s is accepted', async (type) => {
    await knock(TERMINAL_TOKEN, JSON.stringify(sale()), type).expect(200);
  });

  describe('X-Request-Id (H6)', () => {
    const asked = (id?: string) => {
      const request = relay.http.get('/nowhere');
      return id === undefined ? request : request.set('X-Request-Id', id);
    };

    test.each(['abc', 'a/b:c=1;d', 'x'.repeat(128)])('sent as %s: the same in header, body and log', async (id) => {
      const { body, headers } = await asked(id);
      expect([headers['x-request-id'], body.requestId]).toEqual([id, id]);
      expect(relay.logged).toContainEqual(expect.objectContaining({ event: 'http.refused', requestId: id }));
    });

    test.each([undefined, '', 'a b', 'caf\u00e9', 'x'.repeat(129)])('sent as %p: a new UUID', async (id) => {
      const { body, headers } = await asked(id);
      expect(headers['x-request-id']).toMatch(UUID);
      expect(body.requestId).toBe(headers['x-request-id']);
    });

    test('is in answers of success too, and differs from request to request', async () => {
      const idOf = async () => (await relay.http.get('/health').expect(200)).headers['x-request-id'];
      expect(await idOf()).not.toBe(await idOf());
      await relay.http.get('/health').set('X-Request-Id', 'mine').expect('X-Request-Id', 'mine');
    });
  });

  test.each<[string, number, string, (prisma: PrismaService) => Promise<unknown>]>([
    [
      'P2002, a taken value',
      409,
      'CONFLICT',
      (prisma) => prisma.restaurant.create({ data: { name: 'Roma', slug: 'taken' } }),
    ],
    [
      'P2025, a missing record',
      404,
      'NOT_FOUND',
      (prisma) => prisma.user.update({ where: { id: randomUUID() }, data: { name: 'Maria' } }),
    ],
  ])('%s: %d (H3)', async (name, status, code, fail) => {
    const error = await fail(relay.get(PrismaService)).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({ code: name.slice(0, 5) });
    const sent: unknown[] = [];
    const reply = { status: (value: number) => ({ send: (body: unknown) => sent.push(value, body) }) };
    const http = { getRequest: () => ({ id: 'r-1', method: 'POST' }), getResponse: () => reply };
    new ErrorFilter(relay.get(Log), relay.get(RefusalLines), relay.get(Shares)).catch(error, {
      switchToHttp: () => http,
    } as unknown as ArgumentsHost);
    expect(sent).toEqual([status, expect.objectContaining({ statusCode: status, code, requestId: 'r-1' })]);
  });

  describe('no token is in the answer or in the log (H10)', () => {
    const key = `${'a1B2'.repeat(2)}_${'Zz9'.repeat(12)}`;
    const [checked, plain] = [`${'x-Y_'.repeat(12)}`, `${'q-R_'.repeat(10)}abc`];
    const tokens: [what: string, token: string][] = [
      ['a printer', `prn_${checked}`],
      ['a sender key', `rly_${key}`],
      ['an alert', `ack_${checked}`],
      ['an invitation', `inv_${plain}`],
      ['a test message', `cfm_${plain}`],
      ['a webhook', `whsec_${'a+/B'.repeat(10)}abc=`],
      ['a JWT', `eyJ${'h'.repeat(20)}.eyJ${'c'.repeat(20)}.${'s'.repeat(30)}`],
      ['a part of a token', `rly_${key.slice(0, 20)}`],
      ['a token in capitals', `PRN_${checked}`],
      ['a token whose prefix is mistyped', `prm_${checked}`],
      ['an old alert', plain],
    ];
    test.each(tokens)('%s', async (_, token) => {
      const paths = [
        `/print//${token}`,
        `/nowhere/${token}/more`,
        `//${token}`,
        `/nowhere?t=${token}`,
        `/nowhere;${token}`,
      ];
      paths.push(`/nowhere/%2F${token}`, `/nowhere/x=${token}&y`, `/print/${token}/%zz`, `/auth/me/%zz?token=${token}`);
      paths.push(`/nowhere/${token.replace('_', '%5F')}`);
      const from = relay.logged.length;
      const answers = await Promise.all(paths.map((path) => relay.http.get(path)));
      const shown = [...answers.map(({ body }) => body.message), JSON.stringify(relay.logged.slice(from))];
      const secret = token.slice(-12);
      for (const text of shown) expect(text).not.toContain(secret);
      expect(answers.map(({ status }) => status)).toEqual(paths.map((path) => (path.includes('%zz') ? 400 : 404)));
    });

    test.each(tokens)('%s, each character percent-encoded, once or twice', async (_, token) => {
      const once = [...token].map((character) => `%${character.charCodeAt(0).toString(16)}`).join('');
      for (const encoded of [once, once.replaceAll('%', '%25')]) {
        const from = relay.logged.length;
        const { body } = await relay.http.get(`/nowhere/${encoded}`).expect(404);
        expect(body.message).toBe('Cannot GET /nowhere/***');
        expect(JSON.stringify(relay.logged.slice(from))).not.toContain(encoded.slice(-36));
      }
    });

    test('a name in a body', async () => {
      const { body } = await create({ name: 'Any', slug: 'some', [`inv_${plain}`]: 1 }).expect(400);
      expect(body.message).toEqual(['property *** should not exist']);
    });

    test.each(['/nowhere/stack_trace_of/track_counts', `/nowhere/${randomUUID()}`, '/inv_/learn/whsec_'])(
      '%s has none and is shown',
      async (path) => {
        expect((await relay.http.get(path).expect(404)).body.message).toBe(`Cannot GET ${path}`);
      },
    );
  });

  test('a 500 shows no internals; the log line with its requestId has them (H4)', async () => {
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
