import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { Revocations } from '../../../src/auth/revocations.js';
import { LiveStates } from '../../../src/capabilities/live/live-states.js';
import { PrismaService } from '../../../src/platform/database/prisma.service.js';
import { Pace } from '../../../src/platform/schedule/pace.js';
import { Scenario } from '../../support/scenario.js';
import { marked } from '../../support/secrets.js';
import { claimsIn, signToken } from '../../support/tokens.js';
import { until } from '../../support/until.js';

type Pushed = { state: { today: { orders: number }; waiting: { orders: number } }; orders: { data: object[] } };

describe('the state of a restaurant, live (N18)', () => {
  const scenario = Scenario.ofSuite();
  let roma: Awaited<ReturnType<Scenario['restaurant']>>;
  const open: { close(): void }[] = [];

  beforeEach(async () => {
    roma = await scenario.store();
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    for (const stream of open.splice(0)) stream.close();
    await until(() => inside().streams === 0);
  });

  const inside = () =>
    scenario.relay.get(LiveStates) as unknown as { streams: number; timer: unknown; round: { next(): Promise<void> } };
  /** A round now, without the wait of its interval. */
  const round = () => inside().round.next();

  /** Opens a stream, on a connection of its own. @returns its status, and what was pushed so far */
  async function view(token = roma.token, id = roma.id) {
    const headers = { Authorization: `Bearer ${token}`, Accept: 'text/event-stream' };
    const request = get(`${scenario.relay.url}/restaurants/${id}/live`, { headers, agent: false });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    const stream = {
      status: response.statusCode,
      headers: response.headers,
      pushed: [] as Pushed[],
      ended: false,
      close: () => void response.destroy(),
    };
    open.push(stream);
    let text = '';
    response
      .on('data', (chunk) => {
        text += chunk;
        const events = text.split('\n\n');
        text = events.pop() ?? '';
        for (const event of events)
          if (event.startsWith('event: state\n'))
            stream.pushed.push(JSON.parse(event.slice(event.indexOf('data: ') + 6)));
      })
      .on('error', () => {})
      .on('close', () => {
        stream.ended = true;
      });
    return stream;
  }

  test('the state at once, and again after a change; the same as the API says', async () => {
    const stream = await view();
    expect(stream.headers['content-type']).toBe('text/event-stream');
    await until(async () => stream.pushed.length === 1);
    const { body: state } = await scenario.api.get(`/restaurants/${roma.id}/state`, roma.token).expect(200);
    expect(stream.pushed[0]?.state).toEqual({ ...state, now: expect.any(String) });
    await roma.sell();
    await until(async () => stream.pushed.length === 2);
    expect(stream.pushed[1]).toMatchObject({
      state: { today: { orders: 1 }, waiting: { orders: 1 } },
      orders: { data: [{ state: 'waiting' }] },
    });
  });

  test('one read for all viewers, and none when nobody views', async () => {
    const streams = await Promise.all(Array.from({ length: 8 }, () => view()));
    await until(async () => streams.every(({ pushed }) => pushed.length === 1));
    const prepared = jest.spyOn(scenario.relay.get(PrismaService), 'prepared');
    await roma.sell();
    await round();
    await until(async () => streams.every(({ pushed }) => pushed.length === 2));
    const reads = prepared.mock.calls.filter(([{ name }]) => name.startsWith('state'));
    expect(reads.length).toBeLessThanOrEqual(2);
    for (const { close } of streams) close();
    await until(() => inside().streams === 0);
    expect(inside().timer).toBeUndefined();
  });

  test('only for who may see the orders; every role may', async () => {
    const stranger = await scenario.store();
    expect((await view(stranger.token)).status).toBe(403);
    expect((await view('nobody')).status).toBe(401);
    const viewer = await scenario.staff(roma.id, 'VIEWER');
    expect((await view(viewer.token)).status).toBe(200);
  });

  test('the eleventh stream of a user is a 503 with Retry-After; one that ends makes room (L23)', async () => {
    const streams = await Promise.all(Array.from({ length: 10 }, () => view()));
    const refused = await view();
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '60']);
    streams[0]?.close();
    await until(async () => (await view()).status === 200);
  });

  test('a restaurant has 50 streams, of however many users (L23)', async () => {
    const viewers = await Promise.all(Array.from({ length: 5 }, () => scenario.staff(roma.id, 'VIEWER')));
    await Promise.all(viewers.flatMap(({ token }) => Array.from({ length: 10 }, () => view(token))));
    expect((await view()).status).toBe(503);
    const other = await scenario.store();
    expect((await view(other.token, other.id)).status).toBe(200);
  });

  test('of a full instance the restaurant with most streams gives its oldest to one with fewer (N32)', async () => {
    const states = scenario.relay.get(LiveStates);
    // these viewers are of nobody
    jest.spyOn(states as unknown as { endForeign(): Promise<void> }, 'endForeign').mockResolvedValue();
    const full = await Promise.all(Array.from({ length: 4 }, () => scenario.store()));
    const held = Array.from({ length: 200 }, (_, i) => {
      const ended = { end: false };
      const id = i % 4;
      const restaurantId = full[id]?.id as string;
      const viewer = { userId: `user-${Math.floor(i / 10)}`, restaurantId, signIn: { version: 0 } };
      const end = () => {
        ended.end = true;
      };
      return { id, ended, remove: states.add({ ...viewer, send: () => {}, end }) };
    });
    held[3]?.remove?.();
    const small = await scenario.store();
    const [first, second] = [await view(small.token, small.id), await view(small.token, small.id)];
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(held.flatMap(({ ended }, i) => (ended.end ? [i] : []))).toEqual([0]);
    for (const { remove } of held) remove?.();
  });

  test('who is unlinked, or whose restaurant is deleted, gets no further state; others do (N31)', async () => {
    const [viewer, other] = [await scenario.staff(roma.id, 'VIEWER'), await scenario.staff(roma.id, 'VIEWER')];
    const [stream, stays] = [await view(viewer.token), await view(other.token)];
    await scenario.api.delete(`/restaurants/${roma.id}/users/${viewer.id}`, roma.token).expect(200);
    await until(() => stream.ended);
    expect(stays.ended).toBe(false);
    await scenario.api.delete(`/restaurants/${roma.id}`, roma.token).expect(200);
    await until(() => stays.ended);
  });

  test('a new password ends the streams of the account (N31)', async () => {
    const viewer = await scenario.staff(roma.id, 'VIEWER');
    const [stream, stays] = [await view(viewer.token), await view()];
    const body = { currentPassword: viewer.password, newPassword: marked('another password') };
    await scenario.api.patch('/users/me/password', viewer.token, body).expect(200);
    await until(() => stream.ended);
    expect(stays.ended).toBe(false);
  });

  test('a sign-out without a session reads nothing, and sign-outs at once share the reads of open pages (N31)', async () => {
    const states = scenario.relay.get(LiveStates);
    const revocations = scenario.relay.get(Revocations);
    const announce = jest.spyOn(revocations, 'announce');
    const stays = await view();
    await scenario.relay.http.delete('/console/session').set('Sec-Fetch-Site', 'same-origin').expect(204);
    expect(announce).not.toHaveBeenCalled();
    const read = jest.spyOn(states as unknown as { endForeignNow(): Promise<void> }, 'endForeignNow');
    for (let i = 0; i < 100; i++) revocations.announce();
    // a read of the interval may be under way
    const began = read.mock.calls.length;
    expect(began).toBeLessThanOrEqual(1);
    // what ended after that read began is seen by the next one
    await until(() => read.mock.calls.length > began);
    expect(stays.ended).toBe(false);
  });

  test('a session that ended on another instance ends its streams with the next read (N31)', async () => {
    const sid = randomUUID();
    await scenario.database.query(
      `INSERT INTO console_sessions (id, user_id, address, expires_at) VALUES ($1, $2, '127.0.0.1', now() + interval '1 day')`,
      [sid, roma.owner.id],
    );
    const token = signToken(scenario.relay.config.jwtSecret, { ...claimsIn(roma.token), sid });
    const [stream, stays] = [await view(token), await view()];
    await scenario.database.query('DELETE FROM console_sessions WHERE id = $1', [sid]);
    await until(() => stream.ended);
    expect(stays.ended).toBe(false);
  });

  test('while the process is busy, it is read as rarely as pages may poll (N9)', async () => {
    const stream = await view();
    await until(async () => stream.pushed.length === 1);
    jest.spyOn(scenario.relay.get(Pace), 'isBusy').mockReturnValue(true);
    await round();
    await roma.sell();
    for (let i = 0; i < 3; i++) await round();
    expect(stream.pushed).toHaveLength(1);
  });

  test('when the state cannot be read, the stream ends and the page polls', async () => {
    const stream = await view();
    await until(async () => stream.pushed.length === 1);
    await scenario.database.query('ALTER TABLE outbox_jobs RENAME TO away');
    await round();
    await until(async () => stream.ended);
    await scenario.database.query('ALTER TABLE away RENAME TO outbox_jobs');
  });
});
