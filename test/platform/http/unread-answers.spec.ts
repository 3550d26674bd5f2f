import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { SerialRequests } from '../../../src/platform/http/limits/serial-requests.js';
import { UnreadAnswers } from '../../../src/platform/http/limits/unread-answers.js';
import { sale } from '../../support/client.js';
import { TERMINAL_TOKEN } from '../../support/environment.js';
import { Scenario } from '../../support/scenario.js';
import { until } from '../../support/until.js';

/** More than the buffers of a connection in the kernel take, in bytes. */
const LARGE = 12_000_000;
/** The most requests of a connection that wait (L159). */
const MAY_WAIT = 16;

describe('clients that do not read their answers (H22)', () => {
  let scenario: Scenario;
  let folder: string;
  let answers: UnreadAnswers;
  let serial: SerialRequests;
  let restore: () => void;
  let sockets: Socket[] = [];

  beforeAll(async () => {
    folder = join(mkdtempSync(join(process.env.RELAY_TEST_FOLDER as string, 'c-')), 'dist-console');
    mkdirSync(join(folder, 'assets'), { recursive: true });
    writeFileSync(join(folder, 'index.html'), '<!doctype html><title>Console</title>');
    writeFileSync(join(folder, 'assets', 'app-1a2b.js'), 'x'.repeat(LARGE));
    scenario = await Scenario.open({}, { consoleFolder: folder });
    answers = scenario.relay.get(UnreadAnswers);
    serial = scenario.relay.get(SerialRequests);
    const [bytes, waiting] = [answers.limits.bytes, serial.limits.waiting];
    restore = () => {
      answers.limits.bytes = bytes;
      serial.limits.waiting = waiting;
    };
  });
  afterEach(async () => {
    for (const each of sockets) each.destroy();
    sockets = [];
    restore();
  });
  afterAll(() => scenario.close());

  /** Sends requests on one connection, without waiting for answers. */
  function ask(text: string) {
    const { hostname, port } = new URL(scenario.relay.url);
    const socket = connect(Number(port), hostname);
    sockets.push(socket);
    const client = { socket, text: '', isClosed: false };
    socket.on('error', () => {});
    socket.on('close', () => {
      client.isClosed = true;
    });
    socket.write(text);
    return client;
  }
  /** Reads what has arrived and arrives. */
  function read(client: ReturnType<typeof ask>) {
    client.socket.on('data', (data) => {
      client.text += data.toString('latin1');
    });
    return client;
  }
  const get = (path: string, token?: string) =>
    `GET ${path} HTTP/1.1\r\nHost: relay\r\n${token ? `Authorization: Bearer ${token}\r\n` : ''}\r\n`;
  const metric = async (name: string) => {
    const { text } = await scenario.api.get('/admin/metrics/prometheus', await scenario.relay.login());
    return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
  };

  test('requests of a connection begin one after the other, in their order, and all are answered', async () => {
    const statuses = [200, 404, 200, 404, 200];
    const client = read(ask(statuses.map((status) => get(status === 200 ? '/health/live' : '/nowhere')).join('')));
    const answered = () => [...client.text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
    await until(() => answered().length === statuses.length);
    expect(answered()).toEqual(statuses);
  });

  test('a sale that is sent behind another request is stored once', async () => {
    const { id: restaurantId, owner } = await scenario.restaurant('STORE-1');
    const sold = JSON.stringify(sale());
    const client = read(
      ask(
        `${get('/health/live')}POST /webhooks/terminal HTTP/1.1\r\nHost: relay\r\nContent-Type: application/json\r\n` +
          `Authorization: Bearer ${TERMINAL_TOKEN}\r\nContent-Length: ${Buffer.byteLength(sold)}\r\n\r\n${sold}`,
      ),
    );
    await until(() => client.text.includes('jobId'));
    const { body } = await scenario.api.get(`/restaurants/${restaurantId}/orders`, owner.token).expect(200);
    expect(body.data).toHaveLength(1);
  });

  test(`a connection with more than ${MAY_WAIT} requests that wait is closed, and none of them begins (L159)`, async () => {
    const closed = () => metric('relay_pipelined_connections_closed_total');
    const before = await closed();
    const bystander = read(ask(get('/console/assets/app-1a2b.js')));
    const client = ask(get('/console/assets/app-1a2b.js') + get('/nowhere').repeat(1_000));
    await until(() => client.isClosed);
    expect(await closed()).toBe(before + 1);
    expect(scenario.relay.logged).toContainEqual(
      expect.objectContaining({ event: 'http.pipelined', waiting: MAY_WAIT + 1 }),
    );
    expect(scenario.relay.logged.filter(({ path }) => path === '/nowhere')).toEqual([]);
    await until(() => bystander.text.length > LARGE);
  });

  test('over all connections the number has a bound: beyond it the connection with the most is closed (L159)', async () => {
    serial.limits.waiting = 12;
    const [few, many] = [5, 8].map((waiting) =>
      ask(get('/console/assets/app-1a2b.js') + get('/nowhere').repeat(waiting)),
    );
    await until(() => many?.isClosed);
    expect(few?.isClosed).toBe(false);
  });

  test('answers have a bound in bytes: beyond, the one that has waited the longest is closed (L158)', async () => {
    const { id: restaurantId, owner } = await scenario.restaurant('STORE-2');
    await scenario.relay.accept(sale({ storeCode: 'STORE-2', transactionKey: 'LONG', note: 'x'.repeat(900_000) }));
    const path = `/restaurants/${restaurantId}/orders/LONG`;
    const { text } = await scenario.api.get(path, owner.token).expect(200);
    expect(text.length).toBeGreaterThan(900_000);
    answers.limits.bytes = 1.5 * text.length;
    const closed = () => metric('relay_unread_answers_closed_total');
    const before = await closed();
    // what the kernel takes is read
    const unread = () => ask(get(path, owner.token).repeat(MAY_WAIT));
    const first = unread();
    await until(async () => (await metric('relay_unread_answer_bytes')) === text.length);
    const second = unread();
    await until(async () => (await closed()) === before + 1);
    await until(async () => (await metric('relay_unread_answer_bytes')) === text.length);
    read(first);
    await until(() => first.isClosed);
    expect(second.isClosed).toBe(false);
    second.socket.destroy();
    await until(async () => (await metric('relay_unread_answer_bytes')) === 0);
  });

  (process.platform === 'linux' ? test : test.skip)(
    'a file of the console keeps no descriptor, however many ask for it and read nothing',
    async () => {
      const clients = Array.from({ length: 20 }, () => ask(get('/console/assets/app-1a2b.js').repeat(MAY_WAIT)));
      await Promise.all(clients.map((client) => until(() => client.socket.bytesRead > 0)));
      const open = readdirSync('/proc/self/fd').map((fd) => {
        try {
          return readlinkSync(`/proc/self/fd/${fd}`);
        } catch {
          return '';
        }
      });
      expect(open.filter((path) => path.startsWith(folder))).toEqual([]);
    },
  );

  test.each(['/docs-json', '/docs-json?x', '/docs-json/', '/docs-jso%6e', '/docs-json#x'])(
    'the OpenAPI document is written once, by whatever form of its path: %s',
    async (path) => {
      await scenario.api.get('/docs-json').expect(200);
      const write = jest.spyOn(JSON, 'stringify');
      const client = read(ask(get(path)));
      await until(() => client.text.endsWith('}'));
      expect(client.text).toMatch(/^HTTP\/1.1 200 /);
      expect(
        write.mock.calls.filter(([value]) => value !== null && typeof value === 'object' && 'openapi' in value),
      ).toEqual([]);
      write.mockRestore();
    },
  );

  test('the OpenAPI document is the same in every answer, and counts as one of each (L158)', async () => {
    const [first, again] = [await scenario.api.get('/docs-json'), await scenario.api.get('/docs-json')];
    expect(again.text).toBe(first.text);
    expect(again.headers['content-type']).toBe(first.headers['content-type']);
    answers.limits.bytes = 2.5 * Buffer.byteLength(first.text);
    const closed = () => metric('relay_unread_answers_closed_total');
    const before = await closed();
    // what the kernel takes is read
    for (let n = 0; n < 3; n++) ask(get('/docs-json').repeat(MAY_WAIT));
    await until(async () => (await closed()) > before);
  });
});
