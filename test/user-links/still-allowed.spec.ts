import { connect } from 'node:net';
import { CONFIRMED_FOR_MS } from '../../src/auth/principal.js';
import { BodyBudget } from '../../src/platform/http/body/body-budget.js';
import { sale } from '../support/client.js';
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
  const scenario = Scenario.ofSuite({ RESEND: 'restaurants' });
  let administrator: Caller;

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

  test('a body that arrived slowly is taken as long as the rights last', async () => {
    const { id, owner } = await scenario.store();
    const line = `PATCH /restaurants/${id}`;
    expect((await overtaken(line, owner.token, '{"name":"Slow"}', async () => {})).status).toBe(200);
    const body = JSON.stringify(sale({ restaurantId: id, storeCode: undefined }));
    expect((await overtaken('POST /webhooks/terminal', owner.token, body, async () => {})).status).toBe(200);
  });
});
