import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type PasswordQueue, Standing } from '../../src/auth/password-queue.js';
import { Passwords } from '../../src/auth/passwords.js';
import { PrismaService } from '../../src/platform/database/prisma.service.js';
import { AT_ONCE } from '../../src/platform/spare-core.js';
import { sale } from '../support/client.js';
import { ADMIN } from '../support/environment.js';
import type { TestRelay } from '../support/relay.js';
import { Scenario } from '../support/scenario.js';
import { until } from '../support/until.js';

const CLIENTS = 60;
/** Attackers, each with an address of its own, that log in without end with emails that have no account. */
const ATTACKERS = 80;

describe('a full queue of password checks (A7, L155)', () => {
  const scenario = Scenario.ofSuite({ TRUST_PROXY: 'true' });
  let relay: TestRelay;
  let hungUp: number;

  beforeAll(async () => {
    ({ relay } = scenario);
    await relay.createRestaurant();
  });
  beforeEach(() => {
    hungUp = relay.logged.length;
  });

  const dropped = () => relay.logged.slice(hungUp).filter(({ event }) => event === 'http.client_gone').length;
  const queue = () =>
    Reflect.get(relay.get(Passwords), 'queue') as Pick<PasswordQueue, 'run'> & { size: number; running: number };

  /** Occupies all running checks, and places of an address. @returns a function that ends them */
  function occupy(count = AT_ONCE): () => Promise<unknown> {
    let end = () => {};
    const held = new Promise<void>((resolve) => {
      end = resolve;
    });
    const runs = Array.from({ length: count }, () => queue().run({ address: '192.0.2.1' }, Standing.Known, () => held));
    return () => {
      end();
      return Promise.all(runs);
    };
  }

  // first: it counts on credentials that no cache has
  test('80 addresses with unknown emails do not keep out a login, nor Basic credentials of the webhook', async () => {
    const free = occupy();
    const from = (path: string, address: string) => relay.http.post(path).set('X-Forwarded-For', address);
    let answered = 0;
    const attacks = Array.from({ length: ATTACKERS }, async (_, i) => {
      const body = { email: `stranger-${i}@example.com`, password: 'a guess of many' };
      const { status } = await from('/auth/login', `198.51.100.${i}`).send(body);
      answered++;
      return status;
    });
    await until(() => queue().size === 64 && answered === ATTACKERS - 64);
    const login = relay.login();
    await until(() => answered === ATTACKERS - 63);
    const sold = from('/webhooks/terminal', '203.0.113.1')
      .auth(ADMIN.email, ADMIN.password)
      .send(sale())
      .then(({ status }) => status);
    await until(() => answered === ATTACKERS - 62);
    expect(queue().size).toBe(64);
    await Promise.all([free(), login]);
    expect(await sold).toBe(200);
    const statuses = await Promise.all(attacks);
    expect(statuses.filter((status) => status === 503)).toHaveLength(ATTACKERS - 62);
    expect(statuses.filter((status) => status === 401)).toHaveLength(62);
  });

  test('an address without a place is refused before its account is read', async () => {
    const free = occupy(AT_ONCE + 32);
    const read = jest.spyOn(relay.get(PrismaService).user, 'findUnique');
    const from = (address: string) =>
      relay.http.post('/auth/login').set('X-Forwarded-For', address).send({ email: ADMIN.email, password: 'a guess' });
    expect((await from('192.0.2.1').expect(503)).body.code).toBe('TOO_MANY_PASSWORD_CHECKS');
    expect(read).not.toHaveBeenCalled();
    const other = from('192.0.2.2').then(({ status }) => status);
    await until(() => read.mock.calls.length === 1);
    read.mockRestore();
    await free();
    expect(await other).toBe(401);
  });

  /** A client that may disconnect while its check waits in the queue. */
  function post(path: string, i: number, authorization: string, body: string): Socket {
    const { port, hostname } = new URL(relay.url);
    const head = [
      `POST ${path} HTTP/1.1`,
      'Host: relay',
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Forwarded-For: 198.51.100.${i}`,
      ...(authorization ? [`Authorization: ${authorization}`] : []),
    ];
    const socket = connect(Number(port), hostname).on('error', () => {});
    socket.write([...head, '', body].join('\r\n'));
    return socket;
  }
  const basic = (password: string) => `Basic ${Buffer.from(`${ADMIN.email}:${password}`).toString('base64')}`;

  const WAYS: Record<string, (i: number) => Socket> = {
    'Basic credentials of a sale': (i) => post('/webhooks/terminal', i, basic(`guess ${i}`), JSON.stringify(sale())),
    'credentials in the body of a sale': (i) =>
      post('/webhooks/terminal', i, '', JSON.stringify({ ...sale(), email: ADMIN.email, password: `guess ${i}` })),
    'a login': (i) => post('/auth/login', i, '', JSON.stringify({ email: ADMIN.email, password: `guess ${i}` })),
  };

  test.each(Object.keys(WAYS))(
    `${CLIENTS} that sent %s and hung up leave the queue, and the next sign-in is served next (A7)`,
    async (way) => {
      const free = occupy();
      const sockets = Array.from({ length: CLIENTS }, (_, i) => WAYS[way]?.(i) as Socket);
      await until(() => queue().size === CLIENTS);
      for (const socket of sockets) socket.destroy();
      // the running checks are still occupied: only the disconnects have emptied the queue
      await until(() => queue().size === 0);
      await until(() => dropped() === CLIENTS);

      const login = relay.login();
      await until(() => queue().size === 1);
      await free();
      await login;
      await relay.http.post('/webhooks/terminal').auth(ADMIN.email, ADMIN.password).send(sale()).expect(200);
      expect([queue().running, queue().size]).toEqual([0, 0]);
    },
  );

  test('disconnects while bcrypt runs, and before the request was read, leave the queue empty', async () => {
    const server = relay.app.getHttpServer();
    for (let i = 0; i < CLIENTS; i++) {
      const understood = once(server, 'request');
      const socket = WAYS['Basic credentials of a sale']?.(i) as Socket;
      await (i % 2 ? understood : once(socket, 'connect'));
      socket.destroy();
    }
    await relay.login();
    await until(() => queue().running === 0 && queue().size === 0);
  });
});
