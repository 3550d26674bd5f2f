import { EventEmitter } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Refusals } from '../../../src/platform/http/limits/refusals.js';
import { Metrics } from '../../../src/platform/telemetry/metrics.js';
import { sale } from '../../support/client.js';
import { TERMINAL_TOKEN } from '../../support/environment.js';
import { Scenario } from '../../support/scenario.js';
import { until } from '../../support/until.js';

/** Answers 401 that are sent at once in a second (L101), and the most that are logged (L100). */
const AT_ONCE = 500;
const LOGGED = 20;

let now = 1_000;
/** The clock of the relay stands until a test moves it: all requests are of one second. */
const stopClock = () => {
  now += 2_000;
  jest.spyOn(performance, 'now').mockImplementation(() => now);
};

afterEach(() => jest.restoreAllMocks());

/** A client that sends requests without waiting for the answers. */
class Client {
  text = '';
  private readonly socket: Socket;

  constructor(url: string) {
    const { hostname, port } = new URL(url);
    this.socket = createConnection({ host: hostname, port: Number(port) });
    this.socket.on('data', (data) => {
      this.text += data;
    });
  }

  send(token: string, transaction: object = sale()): void {
    const body = JSON.stringify(transaction);
    const head = `POST /webhooks/terminal HTTP/1.1\r\nHost: relay\r\nAuthorization: Bearer ${token}\r\n`;
    const request = `${head}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
    this.socket.write(request);
  }

  /** The statuses of the answers so far. */
  get statuses(): number[] {
    return [...this.text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
  }

  /** Sends requests with a wrong token, each after the answer to the one before: more are not read from a connection (H22). */
  async refused(times: number): Promise<void> {
    for (let answers = 1; answers <= times; answers++) {
      this.send('wrong');
      await this.hasAnswers(answers);
    }
  }

  hasAnswers = (count: number) => until(() => this.statuses.length === count);
  end = () => this.socket.destroy();
}

describe('V16: answers 401 at a high rate', () => {
  const scenario = Scenario.ofSuite();
  const clients: Client[] = [];

  beforeAll(() => scenario.restaurant('STORE-1'));
  beforeEach(() => scenario.relay.get(Metrics).refusals.reset());
  afterEach(() => {
    for (const client of clients.splice(0)) client.end();
  });

  const client = (relay = scenario.relay) => {
    const made = new Client(relay.url);
    clients.push(made);
    return made;
  };
  const counted = async (answer: 'at_once' | 'delayed', relay = scenario.relay) => {
    const { values } = await relay.get(Metrics).refusals.get();
    return values.find(({ labels }) => labels.result === answer)?.value ?? 0;
  };
  /** From now on the relay has sent all answers 401 that it sends at once in this second. */
  const useUp = (relay = scenario.relay) => {
    stopClock();
    Object.assign(relay.get(Refusals), { second: now, inSecond: AT_ONCE });
  };
  /** Another one. It waits. */
  const refused = async (relay = scenario.relay) => {
    const late = client(relay);
    late.send('wrong');
    await until(async () => (await counted('delayed', relay)) === 1);
    return late;
  };

  test('beyond L101 in a second an answer 401 waits, an accepted sale does not; the answer is the same later (V16, L101, L102)', async () => {
    stopClock();
    await client().refused(AT_ONCE);
    expect([await counted('at_once'), await counted('delayed')]).toEqual([AT_ONCE, 0]);
    const late = await refused();
    await scenario.relay.accept(sale());
    expect(late.text).toBe('');
    now += 2_000;
    await late.hasAnswers(1);
    expect(late.text).toMatch(/^HTTP\/1\.1 401 /);
    expect(late.text).toMatch(/\r\nx-request-id: (\S+)\r\n.*"code":"UNAUTHENTICATED","requestId":"\1"/s);
    // in the next second answers are sent at once again
    const next = client();
    next.send('wrong');
    await next.hasAnswers(1);
    expect(await counted('delayed')).toBe(1);
  });

  test('nothing is read from a connection that waits; its next sale is stored after the wait (V16)', async () => {
    useUp();
    const late = await refused();
    const transaction = sale();
    late.send(TERMINAL_TOKEN, transaction);
    await scenario.relay.accept(sale());
    await scenario.relay.accept(sale());
    const stored = () =>
      scenario.database.query('SELECT 1 FROM terminal_events WHERE transaction_key = $1', [transaction.transactionKey]);
    expect(await stored()).toEqual([]);
    now += 2_000;
    await late.hasAnswers(2);
    expect(late.statuses).toEqual([401, 200]);
    expect(await stored()).toHaveLength(1);
  });

  test('a stop sends the answers that wait (V16)', async () => {
    const relay = await scenario.start();
    useUp(relay);
    const late = await refused(relay);
    await relay.close();
    await late.hasAnswers(1);
    expect(late.statuses).toEqual([401]);
  });

  test('of the answers 401 of a second L100 have a log line each; one line counts the others (V15, L100)', async () => {
    // a relay of its own: the line that counts the answers of another test may come a second later
    const relay = await scenario.start();
    stopClock();
    await client(relay).refused(LOGGED + 7);
    await relay.hasLogged('http.refused_more');
    const lines = (event: string) => relay.logged.filter((line) => line.event === event);
    expect(lines('http.refused')).toHaveLength(LOGGED);
    expect(lines('http.refused_more')).toEqual([expect.objectContaining({ statusCode: 401, count: 7 })]);
    expect(await counted('at_once', relay)).toBe(LOGGED + 7);
    await relay.post(sale({ items: 'none' })).expect(400);
    expect(lines('http.refused')).toHaveLength(LOGGED + 1);
  });
});

describe('V16: what waits is bounded', () => {
  class Connection extends EventEmitter {
    destroyed = false;
    isPaused = false;
    pause = () => {
      this.isPaused = true;
    };
    resume = () => {
      this.isPaused = false;
      this.emit('resume');
    };
    destroy = () => {
      this.destroyed = true;
    };
  }
  type Hook = (request: object, reply: object, payload: string, next: () => void) => void;
  let stopping: AbortController;
  let answer: (raw: Connection, status?: number, sender?: object) => boolean;

  beforeEach(() => {
    stopClock();
    stopping = new AbortController();
    const refusals = new Refusals(new Metrics(), stopping.signal);
    let hook: Hook = () => {};
    const instance = { addHook: (_: string, added: Hook) => (hook = added) };
    refusals.guard({ getHttpAdapter: () => ({ getInstance: () => instance }) } as unknown as NestFastifyApplication);
    answer = (socket, statusCode = 401, sender = {}) => {
      let isSent = false;
      hook({ raw: { socket }, ...sender }, { statusCode }, '', () => {
        isSent = true;
      });
      return isSent;
    };
    for (let sent = 0; sent < AT_ONCE; sent++) expect(answer(new Connection())).toBe(true);
  });
  // ends the timers
  afterEach(() => stopping.abort());

  test('at most L103 answers wait; others are sent at once (L103)', () => {
    for (let waits = 0; waits < 1_000; waits++) expect(answer(new Connection())).toBe(false);
    expect(answer(new Connection())).toBe(true);
  });

  test('every refusal of an unknown sender waits; other answers never wait (V16)', () => {
    for (const status of [400, 401, 403, 404, 405, 413, 429]) expect(answer(new Connection(), status)).toBe(false);
    expect(answer(new Connection(), 503, { errorCode: 'TOO_MANY_AT_ONCE' })).toBe(false);
    for (const status of [200, 304, 500, 503]) expect(answer(new Connection(), status)).toBe(true);
    expect(answer(new Connection(), 503, { errorCode: 'DATABASE_UNAVAILABLE' })).toBe(true);
    for (const sender of [{ user: { id: 'u' } }, { isOfProvenSender: true }])
      for (const status of [400, 403, 404, 409, 429]) expect(answer(new Connection(), status, sender)).toBe(true);
  });

  test('a connection stays paused when Node resumes it for a request that it had read already (V16)', () => {
    const connection = new Connection();
    answer(connection);
    connection.resume();
    expect(connection.isPaused).toBe(true);
    stopping.abort();
    expect(connection.isPaused).toBe(false);
  });
});
