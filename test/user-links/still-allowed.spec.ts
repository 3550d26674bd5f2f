import { EventEmitter } from 'node:events';
import { connect } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Passwords } from '../../src/auth/passwords.js';
import { CONFIRMED_FOR_MS } from '../../src/auth/principal.js';
import { CheckService } from '../../src/capabilities/doctor/check.service.js';
import { FileThreads } from '../../src/capabilities/terminal-files/reading/file-threads.js';
import { FileQueue } from '../../src/platform/files/file-queue.js';
import { BodyBudget } from '../../src/platform/http/body/body-budget.js';
import { FileContent } from '../../src/platform/http/file-content.js';
import { Shares } from '../../src/platform/http/limits/shares.js';
import { SalesFirst } from '../../src/platform/sales-first.js';
import { sale } from '../support/client.js';
import { TERMINAL_TOKEN } from '../support/environment.js';
import { type Caller, Scenario } from '../support/scenario.js';
import { until } from '../support/until.js';

/** What ends the rights of an OWNER while a body arrives. */
const ENDS = [
  'the sessions are ended',
  'the password is changed',
  'the link is removed',
  'the role is lowered',
] as const;
type End = (typeof ENDS)[number];

describe('a request whose rights end while its body arrives (A40)', () => {
  const scenario = Scenario.ofSuite({ RESEND: 'restaurants', PAYLOAD_HIDE: 'customer.name' });
  let administrator: Caller;

  afterEach(() => jest.restoreAllMocks());
  beforeAll(async () => {
    administrator = await scenario.person('ADMIN');
  });

  async function end(how: End, restaurantId: string, { id, token, password }: Caller): Promise<void> {
    const { api, database } = scenario;
    if (how === 'the sessions are ended')
      await api.delete(`/admin/users/${id}/sessions`, administrator.token).expect(200);
    else if (how === 'the password is changed')
      await api
        .patch('/users/me/password', token, { currentPassword: password, newPassword: `${password}-2` })
        .expect(200);
    else {
      const link = [id, restaurantId];
      if (how === 'the link is removed')
        await database.query('DELETE FROM user_restaurants WHERE user_id = $1 AND restaurant_id = $2', link);
      else
        await database.query(
          `UPDATE user_restaurants SET role = 'VIEWER' WHERE user_id = $1 AND restaurant_id = $2`,
          link,
        );
    }
  }

  /** Sends all of a request but the last byte of its body; `then` runs before that is sent. @returns the answer */
  async function overtaken(
    line: string,
    token: string,
    body: string,
    then: () => Promise<void>,
    type = 'application/json',
  ) {
    const { hostname, port } = new URL(scenario.relay.url);
    const budget = scenario.relay.get(BodyBudget);
    const socket = connect(Number(port), hostname);
    let answer = '';
    socket
      .on('error', () => {})
      .on('data', (data) => {
        answer += data;
      });
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const length = Buffer.byteLength(body);
    socket.write(
      `${line} HTTP/1.1\r\nHost: relay\r\nAuthorization: Bearer ${token}\r\nContent-Type: ${type}\r\n` +
        `Content-Length: ${length}\r\nConnection: close\r\n\r\n${body.slice(0, -1)}`,
    );
    await until(() => budget.bytes.proven >= length - 1);
    const since = performance.now();
    await then();
    await until(() => performance.now() - since > CONFIRMED_FOR_MS);
    socket.write(body.slice(-1));
    await closed;
    return { status: Number(answer.split(' ')[1]), text: answer };
  }

  test.each(ENDS)('%s: a change is refused, and nothing is changed', async (how) => {
    const { id, owner } = await scenario.store();
    await scenario.staff(id, 'OWNER');
    const before = await scenario.database.query('SELECT * FROM restaurants WHERE id = $1', [id]);
    const line = `PATCH /restaurants/${id}`;
    const { status } = await overtaken(line, owner.token, '{"name":"Taken"}', () => end(how, id, owner));
    expect(status).toBe(how.startsWith('the link') || how.startsWith('the role') ? 403 : 401);
    expect(await scenario.database.query('SELECT * FROM restaurants WHERE id = $1', [id])).toEqual(before);
  });

  test('a role that is lowered while a request waits for its turn decides what the answer shows (S23)', async () => {
    const { id, owner } = await scenario.store();
    const { codeStoreTerminal } = (await scenario.api.get(`/restaurants/${id}`, owner.token)).body;
    const transaction = sale({ storeCode: codeStoreTerminal, customer: { name: 'Maria' } });
    await scenario.api.post('/webhooks/terminal', TERMINAL_TOKEN, transaction).expect(200);
    const read = () => scenario.api.get(`/restaurants/${id}/orders/${transaction.transactionKey}`, owner.token);
    expect((await read().expect(200)).body.event).toMatchObject({ customer: { name: 'Maria' } });
    const shares = scenario.relay.get(Shares);
    const begin = shares.begin.bind(shares);
    jest.spyOn(shares, 'begin').mockImplementationOnce(async (...request) => {
      const since = performance.now();
      await end('the role is lowered', id, owner);
      await until(() => performance.now() - since > CONFIRMED_FOR_MS);
      return begin(...request);
    });
    expect((await read().expect(200)).body.event).toMatchObject({ customer: { name: '[hidden]' } });
  });

  test('a restaurant that is deleted while the body of a change arrives is a 404, and nothing is changed', async () => {
    const { id, owner } = await scenario.store();
    const then = async () =>
      void (await scenario.database.query('UPDATE restaurants SET deleted_at = now() WHERE id = $1', [id]));
    const body = '{"email":"late@example.com","role":"VIEWER"}';
    const { status } = await overtaken(`POST /restaurants/${id}/invitations`, owner.token, body, then);
    expect(status).toBe(404);
    expect(await scenario.database.query('SELECT 1 FROM invitations WHERE restaurant_id = $1', [id])).toEqual([]);
  });

  test('a file is refused when its body and its turn took long (L177)', async () => {
    const { id, owner } = await scenario.store();
    await scenario.staff(id, 'OWNER');
    const line = `POST /restaurants/${id}/terminal-files?name=a.csv`;
    const csv = 'date;amount\n2026-11-20;0,03\n';
    const { status } = await overtaken(line, owner.token, csv, () => end('the link is removed', id, owner), 'text/csv');
    expect(status).toBe(403);
    expect(await scenario.database.query('SELECT 1 FROM terminal_files WHERE restaurant_id = $1', [id])).toEqual([]);
  });

  test('a key of the platform is not made when the session of its administrator has ended', async () => {
    const caller = await scenario.person('ADMIN');
    const body = JSON.stringify({ name: 'late', kind: 'TOKEN' });
    const then = async () =>
      void (await scenario.api.delete(`/admin/users/${caller.id}/sessions`, administrator.token).expect(200));
    expect((await overtaken('POST /admin/sender-keys', caller.token, body, then)).status).toBe(401);
    expect(await scenario.database.query(`SELECT 1 FROM sender_keys WHERE name = 'late'`)).toEqual([]);
  });

  test.each(ENDS)('%s: a sale of the OWNER is not stored (W28)', async (how) => {
    const { id, owner } = await scenario.store();
    await scenario.staff(id, 'OWNER');
    const body = JSON.stringify(sale({ restaurantId: id, storeCode: undefined }));
    const { status } = await overtaken('POST /webhooks/terminal', owner.token, body, () => end(how, id, owner));
    expect([400, 401, 403]).toContain(status);
    expect(await scenario.database.query('SELECT 1 FROM terminal_events WHERE restaurant_id = $1', [id])).toEqual([]);
  });

  /** Runs `then` when the password of a request has been compared, before the request goes on. */
  function afterPasswordCheck(then: () => Promise<void>): void {
    const passwords = scenario.relay.get(Passwords);
    for (const check of ['matches', 'matchesCached'] as const) {
      const real = passwords[check].bind(passwords) as (...values: unknown[]) => Promise<boolean>;
      jest.spyOn(passwords, check).mockImplementationOnce(async (...values: unknown[]) => {
        const [right, since] = [await real(...values), performance.now()];
        await then();
        await until(() => performance.now() - since > CONFIRMED_FOR_MS);
        return right;
      });
    }
  }

  test.each(['POST', 'GET'])(
    '%s by password: a check that waited lets nobody in who has lost the link (W28, V20)',
    async (method) => {
      const { id, owner, sell } = await scenario.store();
      await scenario.people.link((await scenario.people.user()).id, id, 'OWNER', 'CREATED');
      await sell();
      afterPasswordCheck(() => end('the link is removed', id, owner));
      const headers = { Authorization: `Basic ${Buffer.from(`${owner.email}:${owner.password}`).toString('base64')}` };
      if (method === 'POST') {
        await scenario.relay.http
          .post('/webhooks/terminal')
          .set(headers)
          .send(sale({ restaurantId: id }))
          .expect(400);
        expect(
          await scenario.database.query('SELECT 1 FROM terminal_events WHERE restaurant_id = $1', [id]),
        ).toHaveLength(1);
      } else {
        const { body } = await scenario.relay.http.get('/webhooks/terminal/receipts').set(headers).expect(200);
        expect(body.data).toEqual([]);
      }
    },
  );

  test('a password is not changed by a session that ended while the check of the password waited', async () => {
    const { owner } = await scenario.store();
    afterPasswordCheck(() => end('the sessions are ended', '', owner));
    const body = { currentPassword: owner.password, newPassword: `${owner.password}-2` };
    await scenario.api.patch('/users/me/password', owner.token, body).expect(401);
    await scenario.relay.login(owner);
  });

  test('work with files that waited for its turn is refused', async () => {
    const { id, owner } = await scenario.store();
    const queue = scenario.relay.get(FileQueue);
    let free = () => {};
    const occupied = new Promise<void>((resolve) => {
      free = resolve;
    });
    const other = queue.run({ restaurantId: id }, new AbortController().signal, () => occupied);
    const upload = scenario.api
      .post(`/restaurants/${id}/terminal-files?name=a.csv`, owner.token)
      .set('Content-Type', 'text/csv')
      .send('date;amount\n2026-11-20;0,03\n')
      .then(({ status }) => status);
    await until(() => queue.size > 0);
    const read = jest.spyOn(scenario.relay.get(FileThreads), 'run');
    await end('the link is removed', id, owner);
    free();
    await other;
    expect(await upload).toBe(403);
    expect(read).not.toHaveBeenCalled();
    expect(await scenario.database.query('SELECT 1 FROM terminal_files WHERE restaurant_id = $1', [id])).toEqual([]);
  });

  test('the result of a check of a restaurant is not shown after the end of the rights (R8)', async () => {
    const { id, owner } = await scenario.store();
    const checks = scenario.relay.get(CheckService);
    const run = checks.run.bind(checks);
    jest.spyOn(checks, 'run').mockImplementationOnce(async (restaurantId) => {
      const found = await run(restaurantId);
      await end('the link is removed', id, owner);
      return found;
    });
    await scenario.api.post(`/restaurants/${id}/check`, owner.token).expect(403);
  });

  test('a file whose reading took long is not kept after the end of the rights', async () => {
    const { id, owner } = await scenario.store();
    const threads = scenario.relay.get(FileThreads);
    const run = threads.run.bind(threads) as (...values: unknown[]) => Promise<never>;
    jest.spyOn(threads, 'run').mockImplementationOnce(async (...values: unknown[]) => {
      const output = await run(...values);
      await end('the link is removed', id, owner);
      return output;
    });
    await scenario.api
      .post(`/restaurants/${id}/terminal-files?name=a.csv`, owner.token)
      .set('Content-Type', 'text/csv')
      .send('date;amount\n2026-11-20;0,03\n')
      .expect(403);
    expect(await scenario.database.query('SELECT 1 FROM terminal_files WHERE restaurant_id = $1', [id])).toEqual([]);
  });

  test('a file breaks off after the end of the rights (L192)', async () => {
    const shares = new Shares({ databasePoolSize: 4, databaseUrl: 'postgresql://relay' }, new SalesFirst());
    const [request, raw] = [
      { method: 'GET', query: {} } as FastifyRequest,
      Object.assign(new EventEmitter(), { setTimeout: () => {} }),
    ];
    let allowed = true;
    shares.announce(request, { raw } as unknown as FastifyReply);
    shares.confirmPieces(request, async () => {
      if (!allowed) throw new Error('the rights have ended');
    });
    let clock = 0;
    const now = jest.spyOn(performance, 'now').mockImplementation(() => clock);
    try {
      let hook: ((...values: unknown[]) => void) | undefined;
      const addHook = (_: string, added: typeof hook) => {
        hook = added;
      };
      shares.guard({ getHttpAdapter: () => ({ getInstance: () => ({ addHook }) }) } as never);
      const file = new FileContent(pieces());
      hook?.(request, undefined, file, () => {});
      const read: string[] = [];
      for await (const piece of file.on('data', () => (clock += 600))) {
        read.push(String(piece));
        allowed = read.length < 4;
      }
      throw new Error('it did not break off');
    } catch (error) {
      expect((error as Error).message).toBe('the rights have ended');
    } finally {
      now.mockRestore();
    }
  });

  async function* pieces() {
    for (;;) yield 'x'.repeat(20_000);
  }

  test('a body that arrived slowly is taken as long as the rights last', async () => {
    const { id, owner } = await scenario.store();
    const line = `PATCH /restaurants/${id}`;
    expect((await overtaken(line, owner.token, '{"name":"Slow"}', async () => {})).status).toBe(200);
    const body = JSON.stringify(sale({ restaurantId: id, storeCode: undefined }));
    expect((await overtaken('POST /webhooks/terminal', owner.token, body, async () => {})).status).toBe(200);
  });
});
