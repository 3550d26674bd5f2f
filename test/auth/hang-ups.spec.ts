import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type PasswordQueue, Standing } from '../../src/auth/password-queue.js';
import { Passwords } from '../../src/auth/passwords.js';
import { AT_ONCE } from '../../src/platform/spare-core.js';
import { sale } from '../support/client.js';
import { ADMIN } from '../support/environment.js';
import type { TestRelay } from '../support/relay.js';
import { Scenario } from '../support/scenario.js';
import { until } from '../support/until.js';

const CLIENTS = 60;

/** Clients with random passwords, each from its own address, that disconnect while their check waits in the queue. */
describe('A7: checks of disconnected clients do not delay others', () => {
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

  /** Occupies all running checks. @returns a function that ends them */
  function occupy(): () => Promise<unknown> {
    let end = () => {};
    const held = new Promise<void>((resolve) => {
      end = resolve;
    });
    const runs = Array.from({ length: AT_ONCE }, () =>
      queue().run({ address: '192.0.2.1' }, Standing.Known, () => held),
    );
    return () => {
      end();
      return Promise.all(runs);
    };
  }

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
    `${CLIENTS} that sent %s leave the queue, and the next sign-in is served next`,
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
