import { WaitingPolls } from '../../../src/capabilities/receipts/waiting-polls.js';
import { keysOf, sendBy } from '../../auth/sender-keys/keys.js';
import { LossyLine } from '../../platform/database/lossy-line.js';
import type { TestRelay } from '../../support/relay.js';
import { Scenario } from '../../support/scenario.js';
import { until } from '../../support/until.js';
import { PATH, receiptsOf, SCOPES } from './receipts.js';

/** The most waiting requests of a sender (L65). */
const MOST = 100;

describe('V24: requests that wait for receipts', () => {
  let scenario: Scenario;
  let line: LossyLine;
  /** `line` counts its statements */
  let relay: TestRelay;
  let tokens: string[];
  const { restaurant, list } = receiptsOf(() => scenario);
  const stopped = new AbortController();

  beforeAll(async () => {
    scenario = await Scenario.open();
    line = new LossyLine();
    relay = await scenario.start({ DATABASE_URL: await line.listen(scenario.database) });
    const { id, token } = await scenario.restaurant();
    const keys = keysOf(scenario.relay, id, token);
    tokens = [(await keys.create({ scopes: SCOPES })).token, (await keys.create({ scopes: SCOPES })).token];
  });
  afterAll(async () => {
    stopped.abort();
    await relay.close();
    line.close();
    await scenario.close();
  });

  const ask = (token: string, query = 'wait=25', signal = stopped.signal) =>
    fetch(`${relay.url}${PATH}?${query}`, { headers: { authorization: `Bearer ${token}` }, signal });
  const listed = async (answer: Response) => ({
    status: answer.status,
    ...((await answer.json()) as { cursor: string }),
  });

  test('100 requests of a sender wait, and share statements; one more is a 429 (L65)', async () => {
    const [one = '', two = ''] = tokens;
    const { cursor } = await listed(await ask(one, 'wait=0'));
    const gone = new AbortController();
    const first = ask(one, `after=${cursor}&wait=25`, gone.signal).catch(() => undefined);
    const waiting = Array.from({ length: MOST - 1 }, () => ask(one, `after=${cursor}&wait=25`));
    let refused: Response | undefined;
    await until(async () => {
      refused = await ask(one, `after=${cursor}&wait=1`);
      return refused.status === 429;
    });
    expect(refused?.headers.get('retry-after')).toBe('30');
    expect(await (refused as Response).json()).toMatchObject({ code: 'TOO_MANY_POLLS' });
    // without wait, and another sender
    expect((await ask(one, `after=${cursor}`)).status).toBe(200);
    const other = ask(two, `after=${cursor}&wait=25`);
    // at least two rounds: 101 requests are two statements
    const before = line.statements;
    await until(async () => line.statements >= before + 4);
    expect(line.statements - before).toBeLessThan(40);
    // a client that disconnects makes room
    gone.abort();
    await first;
    await until(async () => (await ask(one, `after=${cursor}&wait=1`)).status === 200);
    const { jobId } = (await sendBy(scenario.relay, two).expect(200)).body;
    for (const answer of [...waiting, other])
      expect(await listed(await answer)).toMatchObject({ status: 200, data: [{ type: 'order.stored', jobId }] });
  });

  test('a full instance ends the oldest request of the restaurant with most, for one that has fewer (V24, L65)', async () => {
    const [, two = ''] = tokens;
    const { cursor } = await listed(await ask(two, 'wait=0'));
    const polls = relay.get(WaitingPolls) as unknown as { most: number; size: number };
    const most = polls.most;
    polls.most = 3;
    const gone = new AbortController();
    try {
      const waiting: Promise<Response>[] = [];
      for (let i = 0; i < 3; i++) {
        waiting.push(ask(two, `after=${cursor}&wait=25`, gone.signal));
        await until(() => polls.size === i + 1);
      }
      // its own are not given away
      expect((await ask(two, `after=${cursor}&wait=25`)).status).toBe(429);
      const other = await restaurant();
      const late = ask(other.key, `after=${cursor}&wait=25`, gone.signal);
      expect(await listed((await waiting[0]) as Response)).toMatchObject({ status: 200, data: [] });
      await until(() => polls.size === 3);
      gone.abort();
      await Promise.allSettled([...waiting, late]);
    } finally {
      polls.most = most;
    }
  });

  test('a restaurant has 200 waiting requests, by however many keys (L65)', async () => {
    const { id, token } = await scenario.restaurant();
    const keys = keysOf(scenario.relay, id, token);
    const made = [];
    for (let i = 0; i < 3; i++) made.push((await keys.create({ scopes: SCOPES })).token);
    const [one = '', two = '', three = ''] = made;
    const { cursor } = await listed(await ask(one, 'wait=0'));
    const gone = new AbortController();
    const waiting = [one, two].flatMap((key) =>
      Array.from({ length: MOST }, () => ask(key, `after=${cursor}&wait=25`, gone.signal)),
    );
    const polls = relay.get(WaitingPolls);
    await until(() => polls.size >= 2 * MOST);
    expect((await ask(three, `after=${cursor}&wait=25`)).status).toBe(429);
    gone.abort();
    await Promise.allSettled(waiting);
  });

  test('wait: the answer comes with the first receipt (V24)', async () => {
    const { key, sell } = await restaurant();
    const { cursor } = await list(key);
    let isAnswered = false;
    const polls = [1, 2].map(() => list(key, { after: cursor, wait: 25 }).finally(() => (isAnswered = true)));
    await until(async () => (await list(key)) && true);
    expect(isAnswered).toBe(false);
    const jobId = await sell();
    for (const poll of polls) expect((await poll).data).toMatchObject([{ type: 'order.stored', jobId }]);
  });

  test.each(['the link', 'the password'])('wait: after the end of %s no sale is named (A40)', async (what) => {
    const { id, owner, sell } = await scenario.store();
    await scenario.people.link((await scenario.people.user()).id, id, 'OWNER', 'CREATED');
    const { cursor } = await listed(await ask(owner.token, 'wait=0'));
    const polls = relay.get(WaitingPolls);
    const before = polls.size;
    const poll = ask(owner.token, `after=${cursor}&wait=25`);
    await until(() => polls.size > before);
    const ends = {
      'the link': 'DELETE FROM user_restaurants WHERE user_id = $1',
      'the password': 'UPDATE users SET token_version = token_version + 1 WHERE id = $1',
    };
    await scenario.database.query(ends[what as keyof typeof ends], [owner.id]);
    await sell();
    const answer = await poll;
    if (what === 'the link') expect(await listed(answer)).toMatchObject({ status: 200, data: [] });
    else expect(answer.status).toBe(401);
  });

  test('wait: after its time the answer is empty, and its cursor goes on (V24)', async () => {
    const { key, sell } = await restaurant();
    const { data, cursor } = await list(key, { wait: 1 });
    expect(data).toEqual([]);
    const jobId = await sell();
    expect((await list(key, { after: cursor, wait: 25 })).data).toMatchObject([{ jobId }]);
  });
});

test('V24: when the process stops, the requests that wait are answered with an empty list', async () => {
  const scenario = await Scenario.open();
  try {
    const { id, token } = await scenario.restaurant();
    const key = await keysOf(scenario.relay, id, token).create({ scopes: ['receipts:read'] });
    const relay = await scenario.start();
    const { cursor } = (await relay.api.get(PATH, key.token).expect(200)).body;
    const poll = relay.api
      .get(PATH, key.token)
      .query({ after: cursor, wait: 25 })
      .then(({ body }) => body);
    await until(() => relay.get(WaitingPolls).size === 1);
    await relay.close();
    expect(await poll).toMatchObject({ data: [], more: false });
  } finally {
    await scenario.close();
  }
});
