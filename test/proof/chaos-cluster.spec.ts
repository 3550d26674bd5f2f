import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { post } from '../../proof/chaos/client.js';
import { outageLines, outagesOf } from '../../proof/chaos/cluster/outages.js';
import { clusterPlanOf, DEATHS, type Step, TTL_MS } from '../../proof/chaos/cluster/plan.js';
import type { ClientOrder } from '../../proof/chaos/history.js';
import { readOptions } from '../../proof/chaos/options.js';
import { Random } from '../../proof/random.js';

const stepsOf = (args: string[], seed = 'a'): Step[] => {
  const { cluster } = readOptions(['--cluster', ...args], {});
  if (!cluster) throw new Error('no cluster');
  return clusterPlanOf(cluster.size, new Random(seed));
};

describe('the plan of a night on the cluster', () => {
  test('the same seed gives the same steps, another seed others', () => {
    expect(stepsOf([])).toEqual(stepsOf([]));
    expect(stepsOf([])).not.toEqual(stepsOf([], 'b'));
  });

  test('a long night has 10 deaths of leaders in every way, 5 switchovers and 3 losses of quorum, of both kinds', () => {
    const faults = stepsOf([]).map(({ fault }) => fault);
    const of = (kind: string) => faults.filter((fault) => fault.kind === kind);
    expect([of('leader').length, of('switchover').length, of('quorum').length]).toEqual([10, 5, 3]);
    expect(new Set(faults.flatMap((fault) => (fault.kind === 'leader' ? [fault.dies] : [])))).toEqual(new Set(DEATHS));
    const standbyToo = faults.flatMap((fault) => (fault.kind === 'quorum' ? [fault.standbyToo] : []));
    expect(new Set(standbyToo)).toEqual(new Set([true, false]));
    for (const fault of faults) if (fault.kind === 'pause') expect(fault.forMs).toBeGreaterThan(TTL_MS);
    expect(faults.some((fault) => fault.kind === 'standbys' && fault.leaderDies)).toBe(true);
  });

  test('a short night has each fault once, and relays, HAProxy and PgBouncer die beside them', () => {
    const steps = stepsOf(['--short']);
    const kinds = steps.map(({ fault }) => fault.kind).toSorted();
    expect(kinds).toEqual(['leader', 'pause', 'quorum', 'standbys', 'switchover']);
    const beside = new Set(steps.flatMap((step) => step.beside.map(({ kind }) => kind)));
    for (const kind of ['relay-kill', 'haproxy', 'pgbouncer', 'pos', 'reset']) expect(beside).toContain(kind);
  });

  test('asynchronous, the leader dies when it alone has the last sales', () => {
    const faults = stepsOf(['--short', '--asynchronous']).map(({ fault }) => fault);
    expect(faults.some((fault) => fault.kind === 'standbys' && fault.leaderDies)).toBe(true);
  });

  test.each([
    [['--asynchronous'], '--asynchronous needs --cluster'],
    [['--leader-kills', '3'], '--leader-kills needs --cluster'],
    [['--cluster', '--switchovers', 'x'], '--switchovers must be a whole number from 0, not "x"'],
  ])('%j is refused with an error that names it', (args, message) => {
    expect(() => readOptions(args, {})).toThrow(message);
  });
});

describe('how long nothing was accepted', () => {
  const acceptedAt = (...times: number[]): ClientOrder[] =>
    times.map((until) => ({
      ...{ key: `C-${until}`, testMode: false, content: '', store: 'POS-1', cancels: [] },
      posts: [
        { at: until - 5, until: until - 3, instance: 0, status: 503, code: null, jobId: null },
        { at: until - 1, until, instance: 0, status: 200, code: null, jobId: 'job' },
      ],
    }));

  test('the longest time between two accepted sales that meets the fault, and no other', () => {
    const orders = acceptedAt(100, 200, 5_200, 5_300, 5_400, 20_000);
    const trials = [{ name: 'switchover', at: 150, until: 5_250 }];
    expect(outagesOf(trials, orders)).toEqual([{ name: 'switchover', ms: [5_000] }]);
  });

  test('faults of one name are printed with the least, the median and the most', () => {
    const orders = acceptedAt(0, 1_000, 4_000, 9_000);
    const trials = [0, 1_500, 4_500].map((at) => ({ name: 'kill', at, until: at + 100 }));
    expect(outageLines(outagesOf(trials, orders)).at(-1)).toBe('    1.0    3.0    5.0  kill (3 times)');
  });
});

test('a 502 of a balancer is no answer: the sale may be stored, and is sent again', async () => {
  const server = createServer((_, response) => response.writeHead(502).end('<html>Bad Gateway</html>'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const door = { number: 1, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  const call = await post(door, '/webhooks/terminal', 'token', {});
  expect(call).toMatchObject({ instance: 1, status: null, code: 'balancer 502' });
  server.close();
  server.closeAllConnections();
});
