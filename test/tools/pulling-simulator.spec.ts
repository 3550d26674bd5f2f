import { EventReceiver } from '../../tools/simulator/open-delivery/event-receiver.js';
import { type PullingFault, readPullingOptions } from '../../tools/simulator/open-delivery/options.js';
import { PullingSimulator } from '../../tools/simulator/open-delivery/pulling-simulator.js';
import { type PosEvent, type PulledOrder, ticketOrder, wrongSum } from '../../tools/simulator/open-delivery/wire.js';
import { renderTicket } from '../../tools/simulator/ticket.js';
import { PullingPos } from '../capabilities/open-delivery/pulling.js';
import { deviationFrom } from '../capabilities/open-delivery/standard.js';
import { Scenario } from '../support/scenario.js';
import { until } from '../support/until.js';
import { LossyLine } from './lossy-line.js';

describe('the simulated POS that pulls', () => {
  const scenario = Scenario.ofSuite({ OUTBOX_PACE: 'eager', OUTBOX_MAX_ATTEMPTS: '3', OUTBOUND_ALLOW: '127.0.0.1' });
  const lines: LossyLine[] = [];
  afterEach(() => {
    for (const line of lines.splice(0)) line.close();
  });

  /** A restaurant, its simulated POS, and the line between the POS and the relay. */
  const open = async ({ fault, times = Number.POSITIVE_INFINITY, loses, now, listen }: Given = {}) => {
    const { restaurant, pos } = await PullingPos.ofRestaurant(() => scenario);
    const line = new LossyLine(scenario.relay.url, loses);
    lines.push(line);
    const { clientId, clientSecret } = pos.credentials;
    const seen: { readonly orders: PulledOrder[]; readonly cancelled: string[]; readonly notes: string[] } = {
      ...{ orders: [], cancelled: [], notes: [] },
    };
    const simulator = new PullingSimulator(
      { relay: await line.open(), clientId, clientSecret, fault, times, late: 70_000, listen },
      {
        onOrder: (order) => seen.orders.push(order),
        onCancel: (orderId) => seen.cancelled.push(orderId),
        onNote: (note) => seen.notes.push(note),
      },
      now,
    );
    const sentTo = (path: string) => line.passed.filter((each) => each.path.endsWith(path));
    return { restaurant, pos, simulator, seen, line, sentTo };
  };
  interface Given {
    readonly fault?: PullingFault;
    readonly times?: number;
    readonly loses?: ConstructorParameters<typeof LossyLine>[1];
    readonly now?: () => number;
    readonly listen?: number;
  }
  const statusOf = async (jobId: string) => (await scenario.jobs.get(jobId)).status;

  test('prints an order whose sums agree, acknowledges and confirms it in the form of the standard', async () => {
    const { restaurant, simulator, seen, sentTo } = await open();
    const jobId = await restaurant.sell();
    await simulator.step();
    await simulator.step();
    expect(seen.orders).toMatchObject([{ id: jobId }]);
    const [order] = seen.orders as [PulledOrder];
    expect(wrongSum(order)).toBeUndefined();
    expect(renderTicket(ticketOrder(order))).toContain(order.displayId);
    expect(await statusOf(jobId)).toBe('SENT');
    const [acknowledgment] = sentTo('/acknowledgment');
    for (const event of JSON.parse(acknowledgment?.body as string))
      expect(deviationFrom('AckEvents', event)).toBeNull();
    const [confirmed] = sentTo('/confirm');
    expect(deviationFrom('OrderConfirmed', JSON.parse(confirmed?.body as string))).toBeNull();
    // CREATED, and CONFIRMED, by which the relay repeats what the POS has said
    expect(simulator).toMatchObject({ repeated: 0, acknowledged: 2 });
  });

  test.each<[fault: PullingFault, steps: number, repeated: number]>([
    ['lost-polls', 3, 0],
    ['lost-acknowledgements', 3, 0],
    ['twice', 2, 0],
    ['never', 3, 1],
  ])(
    'with the fault %s it prints each order once, and each is acknowledged in the end',
    async (fault, steps, repeated) => {
      const { restaurant, simulator, seen } = await open({ fault, times: 1 });
      const jobId = await restaurant.sell();
      for (let step = 0; step < steps; step++) await simulator.step();
      expect(seen.orders.map(({ id }) => id)).toEqual([jobId]);
      expect(await statusOf(jobId)).toBe('SENT');
      expect(simulator.repeated).toBe(repeated);
    },
  );

  test('with the fault refuse it names all items in invalidItems', async () => {
    const { restaurant, simulator, seen, sentTo } = await open({ fault: 'refuse' });
    const jobId = await restaurant.sell();
    await simulator.step();
    const [refused] = sentTo('/requestCancellation');
    const body = JSON.parse(refused?.body as string);
    expect(deviationFrom('RequestCancelled', body)).toBeNull();
    expect(body.invalidItems).toEqual(seen.orders[0]?.items.map(({ id }) => id));
    expect(sentTo('/confirm')).toEqual([]);
    expect(await statusOf(jobId)).toBe('DLQ');
    await simulator.step();
    expect(seen.cancelled).toEqual([jobId]);
  });

  test('with the fault late it acknowledges after that time, and discards the event that came meanwhile', async () => {
    let now = 0;
    const { restaurant, simulator, seen } = await open({ fault: 'late', times: 1, now: () => now });
    const jobId = await restaurant.sell();
    await simulator.step();
    await simulator.step();
    expect(await statusOf(jobId)).toBe('PROCESSING');
    now = 70_000;
    await simulator.step();
    expect(await statusOf(jobId)).toBe('SENT');
    expect([seen.orders.length, simulator.repeated > 0]).toEqual([1, true]);
  });

  test('a cancel is printed; every third answer is lost on the line', async () => {
    let answers = 0;
    const { restaurant, simulator, seen } = await open({
      loses: ({ path }) => path !== '/oauth/token' && answers++ % 3 === 0,
    });
    const jobId = await restaurant.sell();
    for (let step = 0; step < 8; step++) await simulator.step();
    expect(await statusOf(jobId)).toBe('SENT');
    expect(seen.notes.some((note) => note.startsWith('no answer: '))).toBe(true);
    const { displayId } = seen.orders[0] as PulledOrder;
    await scenario.api.post(`/restaurants/${restaurant.id}/orders/${displayId}/cancel`, restaurant.token).expect(202);
    for (let step = 0; step < 8; step++) await simulator.step();
    expect(seen.cancelled).toEqual([jobId]);
    expect(seen.orders).toHaveLength(1);
  });

  test('with --listen it gets each event once, acknowledges none, and refuses a signature that it does not know', async () => {
    const { restaurant, pos, simulator, seen, line, sentTo } = await open({ listen: 0 });
    const stored: PosEvent[] = [];
    const receiver = (secret: string) =>
      new EventReceiver(secret, (event) => {
        stored.push(event);
        simulator.receive(event);
      });
    const reaches = async (job: string, status: string) => {
      await scenario.relay.tick();
      await until(async () => (await statusOf(job)) === status);
    };
    const receivers = [receiver('of another POS'), receiver(pos.credentials.clientSecret)];
    const [stranger, own] = (await Promise.all(receivers.map((each) => each.listen(0)))) as [string, string];
    const sendTo = (posBaseUrl: string) =>
      scenario.api.patch(`/restaurants/${restaurant.id}`, restaurant.token, { posBaseUrl }).expect(200);
    await sendTo(stranger);
    const jobId = await restaurant.sell();
    await reaches(jobId, 'FAILED');
    expect(await scenario.jobs.get(jobId)).toMatchObject({ cause: 'sign_in' });
    await sendTo(own);
    await scenario.jobs.makeDue(jobId);
    await reaches(jobId, 'SENT');
    expect(stored).toMatchObject([{ eventId: jobId, eventType: 'CREATED', orderId: jobId }]);
    await simulator.step();
    simulator.receive(stored[0] as PosEvent);
    await simulator.step();
    expect(seen.orders.map(({ id }) => id)).toEqual([jobId]);
    expect(line.passed.map(({ path }) => path)).toEqual([
      '/oauth/token',
      `/v1/orders/${jobId}`,
      `/v1/orders/${jobId}/confirm`,
    ]);
    expect(sentTo('/confirm')).toMatchObject([{ status: 202 }]);
    const key = await scenario.keyOf(jobId);
    const { body } = await scenario.cancel(restaurant.id, key, restaurant.token).expect(202);
    await reaches(body.data.jobId, 'SENT');
    await simulator.step();
    expect(seen.cancelled).toEqual([jobId]);
    for (const each of receivers) each.close();
  });

  test('credentials that are wrong end it', async () => {
    const simulator = new PullingSimulator({
      ...{ relay: scenario.relay.url, clientId: crypto.randomUUID(), clientSecret: 'none' },
      ...{ times: 0, late: 0 },
    });
    await expect(simulator.step()).rejects.toThrow('UNAUTHENTICATED');
  });
});

test.each([
  [[], {}, '--client-id'],
  [['--fault', 'none'], { CLIENT_ID: 'a', CLIENT_SECRET: 'b' }, '--fault must be one of lost-polls'],
  [['--listen', 'x'], { CLIENT_ID: 'a', CLIENT_SECRET: 'b' }, '--listen must be a whole number'],
  [['--relay', 'here'], { CLIENT_ID: 'a', CLIENT_SECRET: 'b' }, '--relay must be a URL'],
])('options %j are refused in one line', (args, env, says) => {
  expect(() => readPullingOptions(['--open-delivery', ...args], env)).toThrow(says);
});
