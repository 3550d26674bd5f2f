import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { answer } from '../../tools/simulator/answer-forms.js';
import { sale } from '../support/client.js';
import { Scenario } from '../support/scenario.js';
import { until } from '../support/until.js';
import { ACCEPTED, type Deed, GRANTED, HostilePos, type Path } from './hostile-pos.js';

const DUPLICATE = answer(400, '{"errorCode":904,"message":"order exists"}');
const END_OF_HEAD = ACCEPTED.indexOf('\r\n\r\n') + 4;
const EVERY_POSITION = Array.from({ length: ACCEPTED.length + 1 }, (_, position) => position);

describe.each([
  ['ends', 'FIN'],
  ['resets', 'RST'],
] as const)('a POS that %s the connection in its answer', (_, how) => {
  let scenario: Scenario;
  let pos: HostilePos;

  beforeAll(async () => {
    pos = new HostilePos();
    scenario = await Scenario.open({
      POS_BASE_URL: await pos.listen(),
      POS_TIMEOUT_MS: '5000',
      OUTBOX_BATCH_SIZE: '200',
      OUTBOX_MAX_ATTEMPTS: '1000',
    });
    await scenario.relay.createRestaurant();
  });
  afterAll(async () => {
    await scenario.close();
    await pos.close();
  });

  /** Sends the first bytes of the answer, then ends the connection. */
  const breakOff = (path: Path, bytes: Buffer, positionOf: (request: string) => number) => {
    const deed: Deed = (socket, request) => {
      const part = bytes.subarray(0, positionOf(request));
      if (how === 'FIN') socket.end(part);
      else socket.write(part, () => socket.resetAndDestroy());
    };
    pos.deeds = { [path]: deed };
  };
  const ordered = (request: string): string => JSON.parse(request.split('\r\n\r\n')[1] as string).order_id;

  test('after each byte of the answer to an order: never lost, never parked, one request an attempt (D9, D11, D12)', async () => {
    const position = new Map<string, number>();
    const ids = [];
    for (const each of EVERY_POSITION) {
      const transaction = sale();
      position.set(String(transaction.transactionKey), each);
      ids.push(await scenario.relay.accept(transaction));
    }
    breakOff('/order', ACCEPTED, (request) => position.get(ordered(request)) ?? 0);
    await scenario.relay.tick();
    expect(pos.count('/order')).toBe(EVERY_POSITION.length);
    for (const [each, id] of ids.entries()) {
      const { status } = await scenario.jobs.get(id);
      const [attempt] = await scenario.jobs.attempts(id);
      // a reset may overtake the bytes before it
      if (each >= END_OF_HEAD && how === 'FIN') expect({ each, status }).toEqual({ each, status: 'SENT' });
      if (each < END_OF_HEAD) expect({ each, status }).toEqual({ each, status: 'FAILED' });
      expect(attempt).toMatchObject(
        status === 'SENT' ? { reach: 'ANSWERED', http_status: 200 } : { reach: 'UNKNOWN', http_status: null },
      );
    }
    // the POS has them all: each repeat is a duplicate
    pos.deeds = { '/order': (socket) => socket.write(DUPLICATE) };
    for (const id of ids) if ((await scenario.jobs.get(id)).status === 'FAILED') await scenario.jobs.makeDue(id);
    await scenario.relay.tick();
    expect(await scenario.jobs.countByStatus()).toEqual({ SENT: ids.length });
  });

  test('after each byte of a refusal: parked only when it is complete', async () => {
    const refusal = answer(422, '{"errorCode":310,"message":"no such product"}');
    for (let each = refusal.length - 20; each <= refusal.length; each++) {
      breakOff('/order', refusal, () => each);
      const id = await scenario.relay.accept(sale());
      await scenario.relay.tick();
      const { status } = await scenario.jobs.get(id);
      if (each < refusal.length) expect({ each, status }).toEqual({ each, status: 'FAILED' });
      else expect(status).toMatch(how === 'FIN' ? /DLQ/ : /DLQ|FAILED/);
    }
  });

  test('after each byte of the answer to a sign-in: the order is sent only with a token (D16)', async () => {
    await scenario.relay.createRestaurant({
      codeStoreTerminal: 'SIGN-IN',
      posIdPartner: 'own',
      posSecret: `own-${how}`,
    });
    const id = await scenario.relay.accept(sale({ storeCode: 'SIGN-IN' }));
    const orders = pos.count('/order');
    const bodyEnd = GRANTED.length;
    for (let each = 0; each < bodyEnd; each++) {
      breakOff('/auth', GRANTED, () => each);
      await scenario.jobs.makeDue(id);
      await scenario.relay.tick();
      expect({ each, ...(await scenario.jobs.get(id)) }).toMatchObject({ each, status: 'FAILED' });
    }
    expect(pos.count('/order')).toBe(orders);
    for (const attempt of await scenario.jobs.attempts(id)) expect(attempt).toMatchObject({ reach: 'NOT_SENT' });
    pos.deeds = {};
    await scenario.jobs.makeDue(id);
    await scenario.relay.tick();
    expect(await scenario.jobs.get(id)).toMatchObject({ status: 'SENT' });
  });
});

/** Listens, then blocks its only thread: the kernel completes a few connections, then none. */
const NEVER_ACCEPTS = `
  const server = require('node:net').createServer().listen({ port: Number(process.argv[1]), host: '127.0.0.1', backlog: 1 }, () => {
    require('node:fs').writeSync(1, 'listening');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });`;

test('a POS that never accepts: order, cancel and sign-in are FAILED at the deadline, and SENT when it accepts again', async () => {
  const pos = new HostilePos();
  const scenario = await Scenario.open({ POS_BASE_URL: await pos.listen(), POS_TIMEOUT_MS: '300' });
  const { port } = pos;
  const { id: restaurant, token, sell } = await scenario.restaurant('STORE-9');
  const delivered = await sell();
  await scenario.relay.tick();
  await pos.close();
  const blocked = spawn(process.execPath, ['-e', NEVER_ACCEPTS, String(port)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(blocked.stdout, 'data');
  // they fill the accept queue of the kernel
  const waiting = Array.from({ length: 4 }, () => connect(port, '127.0.0.1').on('error', () => {}));
  await until(() => waiting.filter(({ connecting }) => !connecting).length >= 2);

  await scenario.relay.createRestaurant({ codeStoreTerminal: 'SIGN-IN', posIdPartner: 'own', posSecret: 'own' });
  const { body } = await scenario.cancel(restaurant, await scenario.keyOf(delivered), token).expect(202);
  const ids = [await sell(), body.data.jobId, await scenario.relay.accept(sale({ storeCode: 'SIGN-IN' }))];
  await scenario.relay.tick();
  for (const id of ids) expect(await scenario.jobs.get(id)).toMatchObject({ status: 'FAILED', attempts: 1 });

  blocked.kill('SIGKILL');
  await once(blocked, 'exit');
  for (const socket of waiting) socket.destroy();
  const again = new HostilePos();
  await again.listen(port);
  for (const id of ids) await scenario.jobs.makeDue(id);
  await scenario.relay.tick();
  for (const id of ids) expect(await scenario.jobs.get(id)).toMatchObject({ status: 'SENT', attempts: 2 });
  await scenario.close();
  await again.close();
});
