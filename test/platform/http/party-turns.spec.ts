import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { WaitingPolls } from '../../../src/capabilities/receipts/waiting-polls.js';
import { PartyTurns } from '../../../src/platform/http/limits/party-turns.js';
import { keysOf, nowSeconds, sendBy, signatureOf } from '../../auth/sender-keys/keys.js';
import { PullingPos } from '../../capabilities/open-delivery/pulling.js';
import { PATH, SCOPES } from '../../capabilities/receipts/receipts.js';
import { sale } from '../../support/client.js';
import { Scenario } from '../../support/scenario.js';
import { until } from '../../support/until.js';

const NEVER = () => new AbortController().signal;
/** No test lasts so long, ms. */
const LONG_MS = 600_000;

describe('requests of senders and POSs take turns by founder (H31, L194)', () => {
  const scenario = Scenario.ofSuite();
  let turns: PartyTurns;
  let limits: PartyTurns['small']['limits'];
  const free: (() => void)[] = [];

  beforeAll(async () => {
    await scenario.restaurant('NEIGHBOUR');
    turns = scenario.relay.get(PartyTurns);
    limits = { ...turns.small.limits };
    for (const { limits } of [turns.small, turns.large, turns.chunked])
      Object.assign(limits, { leastMs: 0, mostMs: LONG_MS });
  });
  beforeEach(() => {
    turns.limits.besideMs = LONG_MS;
  });
  afterEach(() => {
    for (const end of free.splice(0)) end();
    Object.assign(turns.small.limits, { leastMs: 0, mostMs: LONG_MS });
  });

  /** A founder with two restaurants and a key of each. */
  async function chain() {
    const founder = await scenario.person();
    const key = async (kind?: string) => {
      const body = { name: 'One of a chain', codeStorePos: 'P' };
      const { id } = (await scenario.api.post('/restaurants', founder.token, body).expect(201)).body.data;
      return keysOf(scenario.relay, id, founder.token).create({ scopes: SCOPES, ...(kind && { kind }) });
    };
    return { party: founder.id, key };
  }
  const fill = async (party: string, { slots, limits } = turns.small) => {
    for (let n = 0; n < limits.underWay; n++) free.push(await slots.take(party, NEVER));
  };
  const neighbour = () => scenario.relay.accept(sale({ storeCode: 'NEIGHBOUR' }));
  const waiting = (party: string, { slots } = turns.small) => slots.of(party).waiting;
  const endOne = () => (free.pop() as () => void)();

  test('beside another party few of a founder are under way, of all its restaurants; the others begin at once', async () => {
    const { party, key } = await chain();
    const tokens = [(await key()).token, (await key()).token] as const;
    await neighbour();
    await fill(party);
    const answers = tokens.map((token) => sendBy(scenario.relay, token).then(({ status }) => status));
    await until(() => waiting(party) === 2);
    const other = await chain();
    await sendBy(scenario.relay, (await other.key()).token).expect(200);
    await neighbour();
    expect(waiting(party)).toBe(2);
    endOne();
    expect(await Promise.all(answers)).toEqual([200, 200]);
  });

  test.each([
    ['a refused sale', (token: string) => sendBy(scenario.relay, token, { transactionKey: '' }), 400],
    ['a list of receipts', (token: string) => scenario.relay.api.get(PATH, token), 200],
    ['a list after a wrong cursor', (token: string) => scenario.relay.api.get(`${PATH}?after=x`, token), 400],
    [
      'a receipt',
      (token: string) => scenario.relay.api.get(`${PATH}/0190c3f0-0000-7000-8000-000000000000`, token),
      404,
    ],
  ])('%s waits', async (_, ask, expected) => {
    const { party, key } = await chain();
    const { token } = await key();
    await neighbour();
    await fill(party);
    const answer = ask(token).then(({ status }) => status);
    await until(() => waiting(party) === 1);
    endOne();
    expect(await answer).toBe(expected);
  });

  test('a poll of a POS waits, and an order that does not exist', async () => {
    const { restaurant, pos } = await PullingPos.ofRestaurant(() => scenario);
    const [{ party }] = (await scenario.database.query(
      'SELECT coalesce(founded_by, id)::text AS party FROM restaurants WHERE id = $1::uuid',
      [restaurant.id],
    )) as [{ party: string }];
    await neighbour();
    await fill(party);
    const answers = [pos.ask(), pos.read('0190c3f0-0000-7000-8000-000000000000')].map((answer) =>
      answer.then(({ status }) => status),
    );
    await until(() => waiting(party) === 2);
    endOne();
    expect(await Promise.all(answers)).toEqual([204, 404]);
  });

  test('a party alone has nearly all of the process', async () => {
    const { party, key } = await chain();
    const { token } = await key();
    await sendBy(scenario.relay, token).expect(200);
    await fill(party);
    // the neighbour has sent before
    turns.limits.besideMs = 0;
    await sendBy(scenario.relay, token).expect(200);
  });

  test('a large body has turns of its own, and is not read before; the small ones of its party do not wait for it', async () => {
    const { party, key } = await chain();
    const { token } = await key();
    await neighbour();
    await fill(party, turns.large);
    const large = sendBy(scenario.relay, token, { note: 'x'.repeat(200_000) }).then(({ status }) => status);
    await until(() => waiting(party, turns.large) === 1);
    await sendBy(scenario.relay, token).expect(200);
    endOne();
    expect(await large).toBe(200);
  });

  test('one that is refused before its body has arrived keeps its turn until the rest was discarded', async () => {
    const { party, key } = await chain();
    const { token } = await key();
    await neighbour();
    const { hostname, port } = new URL(scenario.relay.url);
    const socket = connect(Number(port), hostname);
    const size = 1_200_000;
    const head = ['POST /webhooks/terminal HTTP/1.1', 'Host: relay', `Authorization: Bearer ${token}`];
    socket.write([...head, 'Content-Type: application/json', `Content-Length: ${size}`, '', ''].join('\r\n'));
    const [answer] = await once(socket, 'data');
    expect([String(answer).slice(9, 12), turns.large.slots.of(party).underWay]).toEqual(['413', 1]);
    socket.write(Buffer.alloc(size, ' '));
    await until(() => turns.large.slots.of(party).underWay === 0);
    socket.destroy();
  });

  test('a request that takes long counts for a moment only', async () => {
    const { party, key } = await chain();
    const { token } = await key();
    turns.small.limits.mostMs = limits.mostMs;
    await neighbour();
    const { hostname, port } = new URL(scenario.relay.url);
    const head = ['POST /webhooks/terminal HTTP/1.1', 'Host: relay', `Authorization: Bearer ${token}`];
    const slow = Array.from({ length: limits.underWay }, () => {
      const socket = connect(Number(port), hostname);
      socket.write([...head, 'Content-Type: application/json', 'Content-Length: 1000', '', '{'].join('\r\n'));
      return socket;
    });
    await until(() => turns.small.slots.of(party).underWay === limits.underWay);
    await sendBy(scenario.relay, token).expect(200);
    for (const socket of slow) socket.destroy();
  });

  test('a body in chunks has turns of its own', async () => {
    const { party, key } = await chain();
    const { token } = await key();
    await neighbour();
    await fill(party, turns.chunked);
    const { hostname, port } = new URL(scenario.relay.url);
    const socket = connect(Number(port), hostname);
    const body = JSON.stringify(sale({ storeCode: undefined }));
    const head = ['POST /webhooks/terminal HTTP/1.1', 'Host: relay', `Authorization: Bearer ${token}`];
    socket.write([...head, 'Content-Type: application/json', 'Transfer-Encoding: chunked', '', ''].join('\r\n'));
    socket.write(`${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n0\r\n\r\n`);
    await until(() => waiting(party, turns.chunked) === 1);
    await sendBy(scenario.relay, token).expect(200);
    endOne();
    expect(String((await once(socket, 'data'))[0]).slice(9, 12)).toBe('200');
    socket.destroy();
  });

  test('alone a founder has few large bodies under way', async () => {
    const { party, key } = await chain();
    const { token } = await key();
    turns.limits.besideMs = 0;
    await sendBy(scenario.relay, token).expect(200);
    for (let n = 0; n < turns.large.limits.alone; n++) free.push(await turns.large.slots.take(party, NEVER));
    const large = sendBy(scenario.relay, token, { note: 'x'.repeat(200_000) }).then(({ status }) => status);
    await until(() => waiting(party, turns.large) === 1);
    await sendBy(scenario.relay, token).expect(200);
    endOne();
    expect(await large).toBe(200);
  });

  test('a signed sale on a connection that another founder has used, as behind a proxy, does not wait for it; a large one waits by its network', async () => {
    const [one, other] = [await chain(), await chain()];
    const { token } = await one.key();
    const { keyId, secret } = await other.key('SIGNING');
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const post = (path: string, headers: Record<string, string>, fields: object, id = 'a') =>
      new Promise<number | undefined>((resolve, reject) => {
        const body = JSON.stringify(sale({ storeCode: undefined, ...fields }));
        const at = String(nowSeconds());
        const signed = {
          'webhook-id': id,
          'webhook-timestamp': at,
          'webhook-signature': signatureOf(secret, id, at, body),
        };
        const length = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) };
        request(`${scenario.relay.url}${path}`, {
          method: 'POST',
          agent,
          headers: { ...signed, ...length, ...headers },
        })
          .once('response', (answer) => answer.resume().once('end', () => resolve(answer.statusCode)))
          .once('error', reject)
          .end(body);
      });
    const byToken = () => post('/webhooks/terminal', { authorization: `Bearer ${token}` }, {});
    const signed = (fields: object) => post(`/webhooks/terminal/${keyId}`, {}, fields);
    await neighbour();
    expect(await byToken()).toBe(200);
    await fill(one.party);
    expect(await signed({})).toBe(200);
    for (const end of free.splice(0)) end();
    expect(await byToken()).toBe(200);
    await fill('network 127.0.0.1', turns.large);
    const large = signed({ note: 'x'.repeat(200_000) });
    await until(() => waiting('network 127.0.0.1', turns.large) === 1);
    endOne();
    expect(await large).toBe(200);
    agent.destroy();
  });

  test('a signed sale waits by its founder', async () => {
    const { party, key } = await chain();
    const { keyId, secret } = await key('SIGNING');
    const body = JSON.stringify(sale({ storeCode: undefined }));
    const timestamp = nowSeconds();
    const send = () =>
      scenario.relay.http
        .post(`/webhooks/terminal/${keyId}`)
        .set('content-type', 'application/json')
        .set({
          'webhook-id': 'a',
          'webhook-timestamp': String(timestamp),
          'webhook-signature': signatureOf(secret, 'a', timestamp, body),
        })
        .send(body)
        .then(({ status }) => status);
    await neighbour();
    await fill(party);
    const answer = send();
    await until(() => waiting(party) === 1);
    endOne();
    expect(await answer).toBe(200);
    await until(() => turns.small.slots.of(party).underWay === free.length);
  });

  test('a poll that waits for something new has no turn', async () => {
    const { party, key } = await chain();
    const { token } = await key();
    await neighbour();
    const polls = Array.from({ length: limits.underWay }, () =>
      scenario.relay.api.get(`${PATH}?wait=2`, token).then(({ status }) => status),
    );
    const waiting = scenario.relay.get(WaitingPolls);
    await until(() => waiting.size === limits.underWay);
    expect(turns.small.slots.of(party).underWay).toBe(0);
    await sendBy(scenario.relay, token).expect(200);
    expect(await Promise.all(polls)).toEqual(polls.map(() => 200));
  });

  test('one that is answered at once counts for some time all the same while others of its party wait', async () => {
    const { party, key } = await chain();
    const { token } = await key();
    turns.small.limits.leastMs = LONG_MS;
    await neighbour();
    await fill(party);
    const [first, second] = [1, 2].map(() => sendBy(scenario.relay, token).then(({ status }) => status));
    await until(() => waiting(party) === 2);
    endOne();
    expect(await first).toBe(200);
    expect(turns.small.slots.of(party)).toEqual({ underWay: limits.underWay, waiting: 1 });
    endOne();
    expect(await second).toBe(200);
  });
});
