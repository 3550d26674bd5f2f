import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { pino } from 'pino';
import request from 'supertest';
import { createApp, listen } from '../../src/app.js';
import { loadConfig } from '../../src/platform/config/config.js';
import type { Log } from '../../src/platform/telemetry/log.js';
import { sale } from '../support/client.js';
import { ADMIN, EAGER } from '../support/environment.js';
import { Scenario } from '../support/scenario.js';
import { marked } from '../support/secrets.js';

describe('the order of a start (S17)', () => {
  let scenario: Scenario;

  beforeEach(async () => {
    scenario = await Scenario.open();
  });
  afterEach(() => scenario.close());

  const created = (changes: Record<string, string>) =>
    createApp(loadConfig({ ...scenario.environment, ...changes }), pino({ level: 'silent' }) as unknown as Log);

  test('a process that cannot listen has claimed no job and created no account', async () => {
    await scenario.relay.createRestaurant();
    const id = await scenario.relay.accept(sale());
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const app = await created({ ...EAGER, ADMIN_EMAIL: 'late@example.com', ADMIN_PASSWORD: marked('never used') });
    await expect(listen(app, (other.address() as AddressInfo).port, '127.0.0.1')).rejects.toThrow('EADDRINUSE');
    await app.close();
    other.close();
    expect(await scenario.jobs.get(id)).toMatchObject({ status: 'PENDING', attempts: 0, locked_by: null });
    expect(await scenario.database.query('SELECT email FROM users')).toEqual([{ email: ADMIN.email }]);
    expect(scenario.pos.orders.size).toBe(0);
  });

  test('a sign-in that arrives as soon as the process listens waits for the first administrator', async () => {
    const first = { email: 'first@example.com', password: marked('of the administrator') };
    const app = await created({ ADMIN_EMAIL: first.email, ADMIN_PASSWORD: first.password });
    const listening = listen(app, 0, '127.0.0.1');
    await once(app.getHttpServer(), 'listening');
    const { port } = app.getHttpServer().address() as AddressInfo;
    await request(`http://127.0.0.1:${port}`).post('/auth/login').send(first).expect(200);
    await listening;
    await app.close();
  });
});

describe('addresses in the log (S18)', () => {
  test('the start logs console, docs and webhook; a parked order is logged with its restaurant and its page', async () => {
    const scenario = await Scenario.ofProcesses({ ...EAGER, PUBLIC_URL: 'https://relay.example/' });
    scenario.pos.behave({ mode: 'status', status: 422, errorCode: 310 });
    const relay = await scenario.startProcess({ POS_TIMEOUT: '100' });
    expect(await relay.logged('relay.started')).toMatchObject({
      url: expect.stringContaining('http://127.0.0.1:'),
      docs: 'https://relay.example/docs',
      webhook: 'https://relay.example/webhooks/terminal',
      console: 'https://relay.example/console/',
    });
    expect(await relay.logged('config.unknown_variables')).toMatchObject({
      variables: ['POS_TIMEOUT: did you mean POS_TIMEOUT_MS?'],
    });
    const restaurantId = await relay.createRestaurant({ name: 'Trattoria Blu' });
    await relay.accept(sale({ transactionKey: 'SALE-7' }));
    await relay.accept(sale({ transactionKey: 'a/b' }));
    const orders = `https://relay.example/console/r/${restaurantId}/orders`;
    for (const [eventKey, page] of [
      ['SALE-7', `${orders}/SALE-7`],
      ['a/b', `${orders}/key?key=a%2Fb`],
    ])
      expect(await relay.logged('alarm.job_parked', (line) => line.eventKey === eventKey)).toMatchObject({
        restaurant: 'Trattoria Blu',
        page,
      });
    await relay.stop();
    await scenario.close();
  });

  test('the start names no address of the documentation that API_DOCS=false has switched off (H8)', async () => {
    const scenario = await Scenario.ofProcesses({ API_DOCS: 'false' });
    const relay = await scenario.startProcess();
    const started = await relay.logged('relay.started');
    expect(started).toHaveProperty('webhook');
    expect(started).not.toHaveProperty('docs');
    await relay.stop();
    await scenario.close();
  });

  test('a development log is one line for each event', async () => {
    const { default: pretty } = await import('pino-pretty');
    const { PRETTY } = await import('../../src/platform/telemetry/log.js');
    const line = { level: 30, event: 'webhook.accepted', job: 'J-1', warnings: ['items'], ms: 3, msg: 'stored' };
    expect(pretty.prettyFactory(PRETTY)(line)).toMatch(/^[^\n]*webhook\.accepted stored[^\n]*J-1[^\n]*\n$/);
  });
});
