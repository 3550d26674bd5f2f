import { createHash } from 'node:crypto';
import { DatabaseAlert } from '../../../src/capabilities/alerts/database-alert.js';
import { PrismaService } from '../../../src/platform/database/prisma.service.js';
import { TokenLookUps } from '../../../src/platform/http/limits/token-look-ups.js';
import { digestOf, newCheckedToken, newToken } from '../../../src/platform/secrets/token.js';
import { LossyLine } from '../../platform/database/lossy-line.js';
import { until } from '../../support/until.js';
import { Evening } from './evening.js';

const evening = Evening.ofSuite();

describe('acknowledging an alert (G9)', () => {
  let roma: Awaited<ReturnType<Evening['scenario']['restaurant']>>;

  beforeEach(async () => {
    roma = await evening.scenario.store();
    evening.reach(roma.owner.id, { channels: ['mail'] });
    await evening.scenario.settle(await roma.sell(), 'DLQ', 'unknown X1');
    await evening.begin();
  });

  const alertId = async () => (await evening.alerts())[0]?.id as string;
  const path = async (id = roma.id) => `/restaurants/${id}/alerts/${await alertId()}/acknowledge`;
  const acknowledgedAt = async () => (await evening.alerts())[0]?.acknowledged_at;
  const entries = async () =>
    (await evening.scenario.api.get(`/restaurants/${roma.id}/audit?action=alert.acknowledged`, roma.token).expect(200))
      .body.data;
  /** The token of the mail after 5 minutes. */
  async function mailed(): Promise<string> {
    await evening.after(5.1);
    const [{ message }] = evening.sent.splice(0) as [(typeof evening.sent)[number]];
    expect(message.path).toMatch(/^\/console\/acknowledge#/);
    return message.path.split('#')[1] as string;
  }
  const byToken = (token: string) => evening.scenario.relay.http.post('/alerts/acknowledge').send({ token });

  test('it stops the steps, says who, and is audited; a second time changes nothing', async () => {
    const { body } = await evening.scenario.api.post(await path(), roma.token, {}).expect(200);
    expect(body.data).toEqual({
      alertId: await alertId(),
      page: expect.stringContaining(`/console/r/${roma.id}/orders/`),
    });
    const at = await acknowledgedAt();
    await evening.scenario.api.post(await path(), roma.token, {}).expect(200);
    expect(await acknowledgedAt()).toEqual(at);
    expect(await entries()).toMatchObject([{ actorEmail: roma.owner.email, target: 'ORDER_PARKED' }]);
    await evening.after(60);
    expect(evening.sent).toEqual([]);
    const list = await evening.scenario.api.get(`/restaurants/${roma.id}/alerts`, roma.token).expect(200);
    expect(list.body.data[0]).toHaveProperty('acknowledgedBy');
  });

  test('its mail leads to the page that acknowledges, and to the order; its token reads what it says, until it is used (G9, G47)', async () => {
    await evening.scenario.database.query(`UPDATE restaurants SET currency = 'BRL' WHERE id = $1`, [roma.id]);
    const read = (token: string) => evening.scenario.relay.http.post('/alerts/read').send({ token });
    await evening.after(5.1);
    const [{ message }] = evening.sent.splice(0) as [(typeof evening.sent)[number]];
    expect(message.links).toEqual([
      { label: 'I take care of it', path: message.path },
      {
        label: expect.stringMatching(/^Open order .+/),
        path: expect.stringContaining(`/console/r/${roma.id}/orders/`),
      },
    ]);
    const token = message.path.split('#')[1] as string;
    const { body } = await read(token).expect(200);
    expect(body).toEqual({ title: message.title, text: message.text, page: message.links?.[1]?.path });
    expect(body.text).toMatch(/R\$/);
    expect(await acknowledgedAt()).toBeNull();
    await byToken(token).expect(200);
    await read(token).expect(404);
    await read(newCheckedToken('ack_')).expect(404);
    await read('ack_x').expect(404);
  });

  test.each(['VIEWER', 'EMPLOYEE'] as const)('a %s may not: 403, and the steps go on (G9)', async (role) => {
    const { token } = await evening.staff(roma.id, role);
    await evening.scenario.api.post(await path(), token, {}).expect(403);
    expect(await acknowledgedAt()).toBeNull();
    await evening.after(5.1);
    expect(evening.sent).toHaveLength(1);
  });

  test('nor may people of another restaurant; an alert of another restaurant is a 404; MANAGERs may (G9)', async () => {
    const other = await evening.scenario.restaurant();
    await evening.scenario.api.post(await path(), other.token, {}).expect(403);
    await evening.scenario.api.post(await path(other.id), other.token, {}).expect(404);
    const admin = await evening.scenario.person('ADMIN');
    await evening.scenario.api.post(`/admin/alerts/${await alertId()}/acknowledge`, admin.token, {}).expect(404);
    expect(await acknowledgedAt()).toBeNull();
    const manager = await evening.staff(roma.id, 'MANAGER');
    await evening.scenario.api.post(await path(), manager.token, {}).expect(200);
  });

  test('a closed alert is a 409', async () => {
    const id = await alertId();
    await evening.scenario.database.query(`UPDATE alerts SET closed_at = now(), dedup_key = NULL, next_step_at = NULL`);
    const { body } = await evening.scenario.api
      .post(`/restaurants/${roma.id}/alerts/${id}/acknowledge`, roma.token, {})
      .expect(409);
    expect(body.code).toBe('ALERT_CLOSED');
  });

  test('the token of a message acknowledges once, without a sign-in, as the person who got it', async () => {
    const token = await mailed();
    const { body } = await byToken(token).expect(200);
    expect(body.data.alertId).toBe(await alertId());
    expect(await entries()).toMatchObject([{ actorEmail: roma.owner.email }]);
    expect((await byToken(token).expect(404)).body.code).toBe('ALERT_TOKEN_INVALID');
    const stored = JSON.stringify(await evening.scenario.database.query('SELECT * FROM notifications'));
    expect(stored).not.toContain(token);
  });

  test('only its SHA-256 is stored; it has a prefix and a checksum (G9)', async () => {
    const token = await mailed();
    expect(token).toMatch(/^ack_[\w-]{48}$/);
    const digest = createHash('sha256').update(token).digest('hex');
    const [row] = await evening.scenario.database.query('SELECT 1 FROM notifications WHERE token_hash = $1', [digest]);
    expect(row).toBeDefined();
  });

  test('a token of the version before, without a prefix, acknowledges as well (G9)', async () => {
    const [token, digest] = [newToken(), digestOf(await mailed())];
    await evening.scenario.database.query('UPDATE notifications SET token_hash = $1 WHERE token_hash = $2', [
      digestOf(token),
      digest,
    ]);
    await byToken(token).expect(200);
    await byToken(token).expect(404);
  });

  test('a text that cannot be a token costs no statement, a token that was made up one, and no transaction (G9)', async () => {
    const line = new LossyLine();
    const { scenario } = evening;
    const relay = await (await scenario.start({ DATABASE_URL: await line.listen(scenario.database) })).quiet();
    const send = (token: string) => relay.http.post('/alerts/acknowledge').send({ token }).expect(404);
    const token = newCheckedToken('ack_');
    await send(token);
    const costs = async (sent: string) => {
      const before = line.statements;
      await send(sent);
      return line.statements - before;
    };
    const wrong = token.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
    for (const text of ['x', 'ack_', wrong, token.slice(0, -1), newToken('inv_'), `${newToken()}A`])
      expect([text, await costs(text)]).toEqual([text, 0]);
    for (const made of [token, newToken()]) expect(await costs(made)).toBe(1);
    await relay.close();
    line.close();
  });

  test('a token is looked up when it is the turn of its network; a text that cannot be one does not wait (A39, L164)', async () => {
    const lookUps = evening.scenario.relay.get(TokenLookUps);
    const ends: (() => void)[] = [];
    for (const address of ['192.0.2.1', '192.0.2.2'])
      void lookUps.run({ address }, () => new Promise<void>((resolve) => ends.push(resolve)));
    const { keys } = Reflect.get(lookUps, 'turns') as { keys: Map<string, { waiting: Set<unknown> }> };
    const answer = byToken(newCheckedToken('ack_')).then(({ status }) => status);
    await until(() => [...keys.values()].some(({ waiting }) => waiting.size > 0));
    await byToken('x').expect(404);
    for (const end of ends) end();
    expect(await answer).toBe(404);
  });

  test('a GET acknowledges nothing: programs that scan mails follow links', async () => {
    const token = await mailed();
    const answer = await evening.scenario.relay.http.get(`/alerts/acknowledge?token=${token}`);
    expect(answer.status).toBe(405);
    expect(await acknowledgedAt()).toBeNull();
    await byToken(token).expect(200);
  });

  test.each([
    ['expired', `UPDATE notifications SET claimed_at = claimed_at - interval '25 hours'`],
    ['of a person whose link has ended', 'DELETE FROM user_restaurants'],
    ['of a person who is only VIEWER now', `UPDATE user_restaurants SET role = 'VIEWER'`],
    ['of a person who is only EMPLOYEE now', `UPDATE user_restaurants SET role = 'EMPLOYEE'`],
    ['of a closed alert', 'UPDATE alerts SET closed_at = now(), dedup_key = NULL, next_step_at = NULL'],
  ])('a token %s is a 404', async (_, change) => {
    const token = await mailed();
    await evening.scenario.database.query(change);
    expect((await byToken(token).expect(404)).body.code).toBe('ALERT_TOKEN_INVALID');
    expect(await acknowledgedAt()).toBeNull();
  });

  test('a person who is notified always, and may not acknowledge, gets a message without a token (G45)', async () => {
    const cook = await evening.staff(roma.id, 'EMPLOYEE');
    evening.reach(cook.id, { channels: ['mail'], always: true });
    await evening.after(5.1);
    const of = (id: string) => evening.sent.find(({ recipient }) => 'userId' in recipient && recipient.userId === id);
    expect(of(roma.owner.id)?.message.path).toMatch(/^\/console\/acknowledge#/);
    expect(of(cook.id)?.message.path).toMatch(new RegExp(`^/console/r/${roma.id}/orders/`));
  });

  test('a webhook carries no token, and neither does a closing message', async () => {
    evening.hasWebhook = true;
    await evening.after(5.1);
    await evening.after(10.1);
    const webhook = evening.sent.find(({ recipient }) => recipient.channel === 'webhook');
    expect(webhook?.message.fields).toMatchObject({
      kind: 'ORDER_PARKED',
      state: 'open',
      count: 1,
      restaurantId: roma.id,
    });
    expect(JSON.stringify(webhook)).not.toMatch(/acknowledge/);
    evening.sent.length = 0;
    await evening.scenario.database.query(`UPDATE outbox_jobs SET updated_at = now() - interval '2 days'`);
    await evening.after(2);
    expect(evening.sent.length).toBeGreaterThan(0);
    expect(JSON.stringify(evening.sent)).not.toMatch(/acknowledge/);
  });
});

describe('the database is away (G10)', () => {
  test('each instance tells the webhook of the platform after a minute, and records the alert when it is back', async () => {
    const { relay } = evening.scenario;
    const watch = () => relay.get(DatabaseAlert).watch();
    let writable = false;
    const prisma = relay.get(PrismaService);
    const { canWrite } = prisma;
    prisma.canWrite = async () => writable;
    const { now } = performance;
    let moved = 0;
    performance.now = () => now.call(performance) + moved;
    try {
      await watch();
      expect(evening.told()).toEqual([]);
      moved = 61_000;
      await watch();
      await watch();
      expect(evening.told()).toEqual(['webhook The relay cannot store sales: its database does not answer']);
      moved += 30 * 60_000;
      await watch();
      expect(evening.told()).toHaveLength(1);
      writable = true;
      await watch();
      expect(evening.told()).toEqual(['webhook Solved: the relay stores sales again']);
      expect(await evening.alerts()).toMatchObject([{ kind: 'DATABASE', restaurant_id: null }]);
      await watch();
      expect(evening.told()).toEqual([]);
    } finally {
      performance.now = now;
      prisma.canWrite = canWrite;
    }
  });
});
