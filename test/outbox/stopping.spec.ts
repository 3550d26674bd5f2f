import { once } from 'node:events';
import { Agent, request } from 'node:http';
import type { PosSimulator } from '../../tools/simulator/simulator.js';
import { sale } from '../support/client.js';
import { EAGER, TERMINAL_TOKEN } from '../support/environment.js';
import type { TestRelay } from '../support/relay.js';
import { Scenario } from '../support/scenario.js';
import type { Jobs } from './jobs.js';

/** What SIGTERM does before the process ends: close the application. */
describe('stopping (O20)', () => {
  let scenario: Scenario;
  let jobs: Jobs;
  let pos: PosSimulator;
  let relay: TestRelay;

  beforeAll(async () => {
    scenario = await Scenario.ofProcesses(EAGER);
    ({ jobs, pos } = scenario);
  });
  beforeEach(async () => {
    await scenario.empty();
    pos.orderCalls = 0;
    relay = await scenario.start();
    await relay.createRestaurant();
  });
  afterAll(() => scenario.close());

  test('during a call that gets no answer: it ends at the deadline of the call, and the job is FAILED', async () => {
    await relay.close();
    relay = await scenario.start({ POS_TIMEOUT_MS: '300' });
    pos.behave({ mode: 'hang' });
    const id = await relay.accept(sale());
    await pos.when(() => pos.orderCalls === 1);
    await relay.close();
    expect(await jobs.get(id)).toMatchObject({ status: 'FAILED', attempts: 1 });
  });

  test('between claim and call: the job is released, with the same due time', async () => {
    pos.behave({ mode: 'gate', register: 'before', times: 1, paths: ['/auth'] });
    const id = await relay.accept(sale());
    await pos.when(() => pos.waiting === 1);
    const closed = relay.close();
    pos.release();
    await closed;
    expect(await jobs.get(id)).toMatchObject({ status: 'PENDING', attempts: 0, locked_by: null });
    expect(pos.orderCalls).toBe(0);
  });

  test('during a webhook on a keep-alive connection: it is answered, and the relay ends', async () => {
    const text = JSON.stringify(sale());
    const call = request(`${relay.url}/webhooks/terminal`, {
      method: 'POST',
      agent: new Agent({ keepAlive: true }),
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${TERMINAL_TOKEN}` },
    });
    const answered = once(call, 'response');
    call.write(text.slice(0, 10));
    await jobs.until(async () => call.socket?.connecting === false);
    const closed = relay.close();
    call.end(text.slice(10));
    const [answer] = await answered;
    answer.resume();
    expect([200, 503]).toContain(answer.statusCode);
    await closed;
  });
});
