import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { readOptions } from '../../proof/chaos/options.js';
import { type PlannedFault, PRESSURES, planOf } from '../../proof/chaos/plan.js';
import { DatabaseProxy, STATEMENT } from '../../proof/postgres/proxy.js';
import { Random } from '../../proof/random.js';
import { until } from '../support/until.js';

describe('the plan of a chaos run', () => {
  const { size } = readOptions(['--kills', '50', '--restarts', '5', '--failovers', '3'], { SEED: 'a' });
  const planned = (seed: string) => planOf({ ...size, leaseMs: 6_000 }, new Random(seed));

  test('the same seed gives the same plan, another seed another plan', () => {
    expect(planned('a')).toEqual(planned('a'));
    expect(planned('a')).not.toEqual(planned('b'));
  });

  test('it has the requested number of faults of each kind, ordered by time, on every instance', () => {
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
  ])('%j is refused with an error that names it', (args, message) => {
    expect(() => readOptions(args, {})).toThrow(message);
  });
});

describe('the proxy in front of the database', () => {
  test('it drops the answer to a statement, and all later data of that connection only', async () => {
    const server = createServer((socket) => socket.on('error', () => {}).pipe(socket)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const proxy = new DatabaseProxy(() => ({ host: '127.0.0.1', port: (server.address() as AddressInfo).port }));
    const port = await proxy.listen();
    const clients = [new EchoClient(port), new EchoClient(port)] as const;
    const [cut, other] = clients;

    await cut.hears('before');
    proxy.loses = (sent) => STATEMENT.test(sent);
    cut.say('Q\0\0\0\x0dSELECT 1');
    await until(() => proxy.lost === 1);
    proxy.loses = undefined;
    cut.say('after');
    await other.hears('all the while');
    expect(cut.heard).toBe('before');

    for (const client of clients) client.close();
    proxy.close();
    server.close();
  });
});

/** A client of an echo server. */
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

test('every time that an instance with a shifted clock reads is shifted', () => {
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
  // Date() has no milliseconds
  for (const time of times) {
    expect(time + 600_000).toBeGreaterThanOrEqual(before - 1_000);
    expect(time + 600_000).toBeLessThanOrEqual(Date.now());
  }
  expect(same).toEqual([5, true, true, 0]);
});
