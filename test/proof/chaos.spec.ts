import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Fault } from '../../proof/chaos/history.js';
import { readOptions } from '../../proof/chaos/options.js';
import { type PlannedFault, PRESSURES, planOf } from '../../proof/chaos/plan.js';
import { judge } from '../../proof/chaos/verdict.js';
import { DatabaseProxy, STATEMENT } from '../../proof/postgres/proxy.js';
import { Random } from '../../proof/random.js';
import { until } from '../support/until.js';
import { ToldHistory } from './chaos-history.js';

/** The rules that a history breaks. */
const brokenBy = ({ history }: ToldHistory) => [...new Set(judge(history).violations.map(({ rule }) => rule))];

/** Accepted, sent, delivered. */
function delivered(): ToldHistory {
  const told = new ToldHistory();
  told.post(200);
  const lock = told.lock();
  told.cook();
  told.settle(lock, 'SENT');
  return told;
}

/** Accepted, cooked, lost by its worker after that, and cooked again. */
function doubled({ answered = true } = {}): ToldHistory {
  const told = new ToldHistory();
  told.post(200);
  const lost = told.lock();
  told.cook({ answered });
  told.expire(lost);
  const lock = told.lock('CREATE', 200);
  told.cook({ pid: 200 });
  told.settle(lock, 'SENT');
  return told;
}

/** Delivered, then cancelled at the POS. */
function cancelled(): ToldHistory {
  const told = delivered();
  told.cancel();
  const lock = told.lock('CANCEL');
  told.cancelAtPos();
  told.settle(lock, 'SENT', 'CANCEL');
  return told;
}

describe('the verdict of a chaos run', () => {
  test.each([
    ['delivered', delivered],
    ['delivered, then cancelled', cancelled],
  ])('an order that was %s breaks nothing', (_, told) => {
    const verdict = judge(told().history);
    expect(verdict).toMatchObject({ sent: 1, accepted: 1, delivered: 1, violations: [], doubles: [] });
  });

  test('an accepted sale that the relay does not have is lost', () => {
    const told = delivered();
    told.jobs.length = 0;
    expect(brokenBy(told)).toEqual(['lost']);
  });

  test('a sale that was refused as a duplicate counts as accepted, so it can be lost', () => {
    const told = new ToldHistory();
    told.post(503);
    told.post(400, 'DUPLICATE_TRANSACTION');
    expect(brokenBy(told)).toEqual(['lost']);
  });

  test('a sale that nobody accepted is not lost, but stuck', () => {
    const told = new ToldHistory();
    told.post(503);
    told.post(null);
    expect(brokenBy(told)).toEqual(['stuck']);
  });

  test('an order that is SENT, and that the POS never took, is lost', () => {
    const told = delivered();
    told.pos.length = 0;
    expect(brokenBy(told)).toEqual(['lost']);
  });

  test('an accepted cancel that the relay does not have is lost', () => {
    const told = delivered();
    told.order.cancels.push({ at: told.now, until: told.now, instance: 0, status: 202, code: null, jobId: 'x' });
    expect(brokenBy(told)).toEqual(['lost']);
  });

  test.each(['PENDING', 'FAILED', 'DLQ'])('a job that is %s at the end is stuck', (status) => {
    const told = delivered();
    Object.assign(told.jobs[0] as object, { status });
    expect(brokenBy(told)).toEqual(['stuck']);
  });

  test('an order that no terminal sent is unexpected', () => {
    const told = delivered();
    told.cook({ orderId: 'C-2' });
    expect(brokenBy(told)).toEqual(['unexpected']);
  });

  test('an order that is a cent dearer at the POS is unexpected', () => {
    const told = new ToldHistory();
    told.post(200);
    const lock = told.lock();
    told.cook({ content: told.order.content.replace('1250', '1251') });
    told.settle(lock, 'SENT');
    expect(brokenBy(told)).toEqual(['unexpected']);
  });

  test('a double without a fault that explains it is found', () => {
    expect(brokenBy(doubled())).toEqual(['doubled without a reason']);
  });

  test('a double is explained by an answer that the POS never gave', () => {
    const { violations, doubles } = judge(doubled({ answered: false }).history);
    expect(violations).toEqual([]);
    expect(doubles).toEqual([expect.objectContaining({ key: 'C-1', reason: 'the POS gave no answer' })]);
  });

  test.each<[string, Partial<Fault>, Partial<Fault>]>([
    ['the death of the process that had asked', { kind: 'kill', pid: 100 }, { kind: 'kill', pid: 200 }],
    ['the dead line of its instance', { kind: 'half-open', instance: 0 }, { kind: 'half-open', instance: 1 }],
  ])('a double is explained by %s, not by that of another', (_, own, anothers) => {
    const reasonWith = (fault: Partial<Fault>) => {
      const told = doubled();
      const at = (told.pos[0]?.at ?? 0) + 1;
      told.faults.push({ at, until: at, kind: 'kill', instance: 0, text: '', ...fault });
      return judge(told.history).doubles[0]?.reason ?? null;
    };
    expect(reasonWith(own)).toContain(own.kind);
    expect(reasonWith(anothers)).toBeNull();
  });

  test('no double is explained where the POS refuses duplicates, or can be asked', () => {
    const told = doubled({ answered: false });
    told.strictStores.add('POS-1');
    expect(brokenBy(told)).toEqual(['doubled without a reason']);
  });

  test('a double after an attempt that was answered with a refusal is not explained', () => {
    const told = new ToldHistory();
    told.post(200);
    const first = told.lock();
    told.cook({ answered: false });
    Object.assign(told.settle(first, 'FAILED'), { reach: 'ANSWERED', httpStatus: 429 });
    const second = told.lock();
    told.cook();
    told.settle(second, 'SENT');
    expect(brokenBy(told)).toEqual(['doubled without a reason']);
  });

  test('two orders of one claim are not explained', () => {
    const told = new ToldHistory();
    told.post(200);
    const lock = told.lock();
    told.cook({ answered: false });
    told.cook();
    told.settle(lock, 'SENT');
    expect(brokenBy(told)).toEqual(['doubled without a reason']);
  });

  test('an order that is locked after its cancel was accepted is sent after its cancel', () => {
    const told = new ToldHistory();
    told.post(200);
    told.cancel();
    const lock = told.lock();
    told.cook();
    told.settle(lock, 'SENT');
    const cancel = told.lock('CANCEL');
    told.cancelAtPos();
    told.settle(cancel, 'SENT', 'CANCEL');
    expect(brokenBy(told)).toEqual(['sent after its cancel']);
  });

  test('an order that is cooked after its cancel was called is sent after its cancel', () => {
    const told = cancelled();
    told.cook();
    expect(brokenBy(told)).toContain('sent after its cancel');
  });

  test('a cancel that is SENT, and that the POS never got, leaves the order not cancelled', () => {
    const told = cancelled();
    told.pos.pop();
    expect(brokenBy(told)).toEqual(['not cancelled']);
  });

  test('a job that is settled by a worker who had lost it is settled twice', () => {
    const told = new ToldHistory();
    told.post(200);
    const lost = told.lock();
    told.expire(lost);
    const lock = told.lock('CREATE', 200);
    told.cook();
    // the lock is the other's: without looking at it, the first settles what the second holds
    told.settle(lock, 'SENT');
    Object.assign(told.attemptWrites.at(-1) as object, { attemptId: lost.split('/')[1] });
    expect(brokenBy(told)).toEqual(['settled twice']);
  });

  test('a job that is settled again after it was SENT is settled twice', () => {
    const told = delivered();
    told.move('CREATE', 'SENT', 'SENT');
    expect(brokenBy(told)).toEqual(['settled twice']);
  });

  test('a claim that ends twice is settled twice', () => {
    const told = delivered();
    const lock = told.moves.find(({ toLock }) => toLock)?.toLock as string;
    told.settle(lock, 'SENT');
    expect(brokenBy(told)).toEqual(['settled twice']);
  });

  test('an answer that came after the lease counts once, while nobody has followed it up', () => {
    const told = new ToldHistory();
    told.post(200);
    const lock = told.lock();
    told.cook();
    told.expire(lock);
    const { at, tx } = told.move('CREATE', 'PENDING', 'SENT');
    const late = { at, tx, attemptId: lock.split('/')[1] as string, jobId: 'job-CREATE', was: 'LOST', outcome: 'SENT' };
    told.attemptWrites.push(late);
    expect(brokenBy(told)).toEqual([]);
    told.attemptWrites.pop();
    expect(brokenBy(told)).toEqual(['settled twice']);
  });

  test.each<[string, (told: ToldHistory) => void]>([
    ['a lease that the reaper did not wait for', (told) => told.expire(told.lock(), 3_000)],
    [
      'a claim whose attempt is not counted',
      (told) => {
        told.lock();
        Object.assign(told.moves.at(-1) as object, { fromAttempts: 1 });
      },
    ],
    [
      'a delivered order that waits again',
      (told) => {
        told.settle(told.lock(), 'SENT');
        told.move('CREATE', 'SENT', 'PENDING', { toAttempts: 0 });
      },
    ],
    ['an order that is parked without a claim', (told) => void told.move('CREATE', 'PENDING', 'DLQ')],
  ])('%s is an illegal move', (_, happens) => {
    const told = new ToldHistory();
    told.post(200);
    happens(told);
    expect(brokenBy(told)).toContain('illegal move');
  });

  test('two 200 for one sale, and answers that name different jobs, are accepted twice', () => {
    const told = delivered();
    told.order.posts.push({ at: 0, until: 0, instance: 1, status: 200, code: null, jobId: 'another' });
    expect(brokenBy(told)).toEqual(['accepted twice']);
    expect(judge(told.history).violations).toHaveLength(2);
  });

  test.each([401, 404, 409, 500])('a sale that is answered %d got a wrong answer', (status) => {
    const told = delivered();
    told.post(status, 'SOMETHING');
    expect(brokenBy(told)).toEqual(['wrong answer']);
  });

  test('an order that is parked as a duplicate of what an earlier attempt delivered is found', () => {
    const told = new ToldHistory();
    told.post(200);
    const first = told.lock();
    told.cook({ answered: false });
    told.settle(first, 'FAILED');
    Object.assign(told.settle(told.lock(), 'DLQ'), { reach: 'ANSWERED', httpStatus: 400, errorCode: '904' });
    expect(brokenBy(told)).toContain('parked though delivered');
  });

  test.each([
    ['viewer', 500, ['wrong answer']],
    ['viewer', 200, []],
    ['viewer', 503, []],
    ['viewer', null, []],
    ['tenant with refused rows', 200, ['lost']],
    ['tenant with refused rows', 500, []],
  ] as const)('a %s that is answered %s: %j', (who, status, broken) => {
    const told = delivered();
    told.bystanders.push({ who, path: '/', status, code: null });
    expect(brokenBy(told)).toEqual(broken);
  });
});

describe('the plan of a chaos run', () => {
  const { size } = readOptions(['--kills', '50', '--restarts', '5', '--failovers', '3'], { SEED: 'a' });
  const planned = (seed: string) => planOf({ ...size, leaseMs: 6_000 }, new Random(seed));

  test('a seed repeats it, another seed makes another', () => {
    expect(planned('a')).toEqual(planned('a'));
    expect(planned('a')).not.toEqual(planned('b'));
  });

  test('it has as many faults of each kind as were asked for, in the order of time, and meets every instance', () => {
    const plan = planned('a');
    const of = <Kind extends PlannedFault['kind']>(kind: Kind) =>
      plan.filter((fault): fault is Extract<PlannedFault, { kind: Kind }> => fault.kind === kind);
    expect([of('kill').length, of('restart').length, of('failover').length]).toEqual([50, 5, 3]);
    expect(plan.map(({ atMs }) => atMs)).toEqual(plan.map(({ atMs }) => atMs).toSorted((one, other) => one - other));
    expect(new Set(of('kill').map(({ instance }) => instance)).size).toBe(4);
    for (const { forMs } of of('stop')) expect(forMs).toBeGreaterThan(6_000);
    for (const kind of PRESSURES) expect(of(kind).length).toBeGreaterThan(0);
  });

  test.each([
    [['--kills', 'many'], '--kills must be a whole number from 0, not "many"'],
    [['--instances', '0'], '--instances must be a whole number from 1, not "0"'],
    [['--pos', 'kind'], '--pos must be one of mixed, plain, refusing, asked, not "kind"'],
  ])('%j is refused with a line that names it', (args, message) => {
    expect(() => readOptions(args, {})).toThrow(message);
  });
});

describe('the proxy in front of the database', () => {
  test('it loses the answer to a statement, and all that follows on that connection alone', async () => {
    const server = createServer((socket) => socket.on('error', () => {}).pipe(socket)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const proxy = new DatabaseProxy(() => ({ host: '127.0.0.1', port: (server.address() as AddressInfo).port }));
    const port = await proxy.listen();
    const clients = [new EchoClient(port), new EchoClient(port)] as const;
    const [deaf, other] = clients;

    await deaf.hears('before');
    proxy.loses = (sent) => STATEMENT.test(sent);
    deaf.say('Q\0\0\0\x0dSELECT 1');
    await until(() => proxy.lost === 1);
    proxy.loses = undefined;
    deaf.say('after');
    await other.hears('all the while');
    expect(deaf.heard).toBe('before');

    for (const client of clients) client.close();
    proxy.close();
    server.close();
  });
});

/** A client of a server that answers everything with itself. */
class EchoClient {
  heard = '';
  private readonly socket: Socket;

  constructor(port: number) {
    this.socket = connect(port, '127.0.0.1').on('data', (bytes) => {
      this.heard += bytes;
    });
  }

  say(text: string): void {
    this.socket.write(text);
  }

  async hears(text: string): Promise<void> {
    this.say(text);
    await until(() => this.heard.endsWith(text));
  }

  close(): void {
    this.socket.destroy();
  }
}

test('an instance whose clock is shifted reads shifted times everywhere', () => {
  const preload = new URL('../../proof/chaos/preload.mjs', import.meta.url).href;
  const code = `
    const times = [Date.now(), new Date().getTime(), Date.parse(new Date().toISOString()), Date.parse(Date())];
    const same = [new Date(5).getTime(), new Date() instanceof Date, new Date().constructor === Date, Date.UTC(1970, 0)];
    process.stdout.write(JSON.stringify({ times, same }));`;
  const before = Date.now();
  const { stdout, stderr } = spawnSync(process.execPath, ['--import', preload, '--input-type=module', '-e', code], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, CHAOS_CLOCK_MS: '-600000' },
  });
  expect(stderr).toBe('');
  const { times, same } = JSON.parse(stdout) as { times: number[]; same: unknown[] };
  // a second is what Date() leaves out
  for (const time of times) {
    expect(time + 600_000).toBeGreaterThanOrEqual(before - 1_000);
    expect(time + 600_000).toBeLessThanOrEqual(Date.now());
  }
  expect(same).toEqual([5, true, true, 0]);
});
