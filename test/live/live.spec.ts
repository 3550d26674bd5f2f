import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { PrismaService } from '../../src/database/prisma.service.js';
import { Pace } from '../../src/http/pace.js';
import { LiveStates } from '../../src/live/live-states.js';
import { Scenario } from '../support/scenario.js';
import { until } from '../support/until.js';

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
