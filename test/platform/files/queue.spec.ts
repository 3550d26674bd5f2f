import { setImmediate } from 'node:timers/promises';
import type { PrismaService } from '../../../src/platform/database/prisma.service.js';
import { FileQueue } from '../../../src/platform/files/file-queue.js';
import { AT_ONCE } from '../../../src/platform/spare-core.js';

/** How long each work takes, ms. */
const TAKES_MS = 1_000;

const NEVER = new AbortController().signal;

/** Work that ends when the test says so. */
class Work {
  readonly begun: string[] = [];
  private readonly ends = new Map<string, () => void>();
  private readonly leaves: AbortController[] = [];

  constructor(private readonly queue: FileQueue) {}

  /** @param of the restaurant, or restaurant and account as `a/ana`, or with the founder as `a/ana/eva` */
  start(of: string, name: string, leave = new AbortController()): Promise<string> {
    const [restaurantId = '', userId, foundedBy] = of.split('/');
    this.leaves.push(leave);
    const worker = {
      restaurantId,
      ...(userId !== undefined && { userId }),
      ...(foundedBy !== undefined && { foundedBy }),
    };
    const work = this.queue.run(worker, leave.signal, () => {
      this.begun.push(name);
      return new Promise<string>((resolve) => this.ends.set(name, () => resolve(name)));
    });
    work.catch(() => undefined);
    return work;
  }

  /** Ends work that has taken this time. */
  async end(name: string, tookMs = TAKES_MS): Promise<void> {
    // what has its turn begins
    await setImmediate();
    clock.ms += tookMs;
    this.ends.get(name)?.();
    await setImmediate();
  }

  /** What waits has no turn any more. */
  leave(): void {
    for (const each of this.leaves) each.abort();
  }
}

const clock = { ms: 0 };
const codeOf = (error: { getResponse(): { code: string } }) => error.getResponse().code;

describe('turns of work with files', () => {
  let work: Work;
  beforeEach(() => {
    jest.spyOn(performance, 'now').mockImplementation(() => clock.ms);
    work = new Work(Object.assign(new FileQueue({} as PrismaService), { atOnce: 2 }));
  });

  afterEach(() => {
    work.leave();
    jest.restoreAllMocks();
  });

  test('two at once, one of each restaurant; the next is of the restaurant that has worked least recently (J16, L98)', async () => {
    const all = [
      ...[work.start('a', 'a1'), work.start('a', 'a2'), work.start('a', 'a3'), work.start('b', 'b1')],
      ...[work.start('b', 'b2'), work.start('c', 'c1')],
    ];
    await setImmediate();
    expect(work.begun).toEqual(['a1', 'b1']);
    for (const [name, next] of [
      ['a1', 'c1'],
      ['b1', 'a2'],
      ['c1', 'b2'],
      ['a2', 'a3'],
    ] as const) {
      await work.end(name);
      expect(work.begun.at(-1)).toBe(next);
    }
    await work.end('b2');
    await work.end('a3');
    expect(await Promise.all(all)).toEqual(['a1', 'a2', 'a3', 'b1', 'b2', 'c1']);
  });

  test('one core is left to the sales (L98)', () => {
    expect(new FileQueue({} as PrismaService).atOnce).toBe(AT_ONCE);
  });

  test('a person with eight restaurants has one turn at a time, and what one of them worked counts for all (J16)', async () => {
    for (let i = 0; i < 3; i++) void work.start(`r${i}/ana`, `ana ${i}`);
    void work.start('n/ben', 'ben');
    await setImmediate();
    expect(work.begun).toEqual(['ana 0', 'ben']);
    void work.start('m/cem', 'cem 0');
    await work.end('ben', 500);
    void work.start('n/ben', 'ben again');
    void work.start('k/cem', 'cem 1');
    await work.end('ana 0');
    // cem is at work, and ben has worked less than ana
    expect(work.begun.slice(2)).toEqual(['cem 0', 'ben again']);
    await work.end('ben again', 0);
    await work.end('cem 0', 0);
    expect(work.begun.slice(4)).toEqual(['ana 1', 'cem 1']);
    for (const name of ['ana 1', 'cem 1', 'ana 2']) await work.end(name);
  });

  test('restaurants and accounts of one founder count as one: a neighbour finds room, and is next (J16, O44)', async () => {
    for (let i = 0; i < 22; i++) void work.start(`r${i}/u${i}/eva`, `eva ${i}`);
    void work.start('n/ben', 'ben');
    await work.end('eva 0');
    expect(work.begun).toEqual(['eva 0', 'eva 1', 'ben']);
  });

  test('beyond three that wait, an account gets a 429 in each of its restaurants (J16, L112)', async () => {
    for (const id of ['x', 'y']) void work.start(id, id);
    for (let i = 0; i < 3; i++) void work.start(`r${i}/ana`, `ana ${i}`);
    expect(await work.start('r4/ana', 'ana 4').catch(codeOf)).toBe('TOO_MANY_UPLOADS');
    const other = work.start('r4/ben', 'ben');
    await work.end('x');
    await work.end('y');
    await work.end('ana 0');
    await work.end('ben');
    expect(await other).toBe('ben');
  });

  test('beyond three that wait, a restaurant gets a 429; beyond twenty of all, any gets a 503 (J16, L112)', async () => {
    const kept: Promise<unknown>[] = ['x', 'y'].map((id) => work.start(id, id));
    for (let i = 0; i < 3; i++) kept.push(work.start('a', `a${i}`));
    expect(await work.start('a', 'a3').catch(codeOf)).toBe('TOO_MANY_UPLOADS');
    for (let i = 3; i < 20; i++) kept.push(work.start(`r${i}`, `r${i}`));
    expect(await work.start('z', 'z').catch(codeOf)).toBe('TOO_MUCH_FILE_WORK');
    await setImmediate();
    expect(work.begun).toEqual(['x', 'y']);
    work.leave();
    expect((await Promise.allSettled(kept.slice(2))).every(({ status }) => status === 'rejected')).toBe(true);
  });

  test('who has worked least recently is next, however long others wait; at a tie the oldest turn (J16)', async () => {
    void work.start('x', 'x');
    await work.end('x', 5_000);
    void work.start('y', 'y');
    await work.end('y', 1_000);
    for (const id of ['p', 'q']) void work.start(id, id);
    for (const [id, name] of ['x1', 'y1', 'b1', 'a1'].map((each) => [each.slice(0, 1), each] as const))
      void work.start(id, name);
    await work.end('p');
    await work.end('q');
    await work.end('b1');
    await work.end('a1');
    expect(work.begun).toEqual(['x', 'y', 'p', 'q', 'b1', 'a1', 'y1', 'x1']);
  });

  test('work counts half after a minute, and is forgotten after ten (J16, L156)', async () => {
    void work.start('x', 'x');
    await work.end('x', 10_000);
    clock.ms += 120_000;
    for (const id of ['y', 'p', 'q']) void work.start(id, id);
    // 2.5 s of x are left
    await work.end('y', 3_000);
    for (const [id, name] of [
      ['y', 'y1'],
      ['x', 'x1'],
    ] as const)
      void work.start(id, name);
    await work.end('p');
    expect(work.begun.at(-1)).toBe('x1');
    await work.end('x1');
    await work.end('y1');
    clock.ms += 600_000;
    for (const [id, name] of [
      ['r', 'r'],
      ['x', 'x2'],
      ['s', 's'],
    ] as const)
      void work.start(id, name);
    await work.end('q');
    expect(work.begun.slice(-2)).toEqual(['r', 'x2']);
  });

  test('a full queue has room for a restaurant that has worked less: the newest turn of the one that has worked most gets the 503 (J16)', async () => {
    for (const id of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) {
      void work.start(id, id);
      await work.end(id, id === 'c' ? 9_000 : 5_000);
    }
    for (const id of ['x', 'y']) void work.start(id, id);
    const turns = new Map<string, Promise<string>>();
    for (const id of ['a', 'b', 'c', 'd', 'e', 'f', 'g'])
      for (let i = 1; i <= 3 && turns.size < 20; i++) turns.set(`${id}${i}`, work.start(id, `${id}${i}`));
    const first = work.start('n', 'n1');
    expect(await turns.get('c3')?.catch((error) => error)).toMatchObject({
      status: 503,
      response: { code: 'TOO_MUCH_FILE_WORK', retryAfterSeconds: 5 },
    });
    // who has worked as much as others that wait, or more, has no room
    expect(await work.start('c', 'c4').catch(codeOf)).toBe('TOO_MUCH_FILE_WORK');
    const second = work.start('n', 'n2');
    expect(await turns.get('c2')?.catch(codeOf)).toBe('TOO_MUCH_FILE_WORK');
    await work.end('x');
    await work.end('n1');
    await work.end('n2');
    expect(await Promise.all([first, second])).toEqual(['n1', 'n2']);
  });

  test('at a tie the restaurant with most turns gives way, unless the newcomer would have as many (J16)', async () => {
    for (const id of ['x', 'y']) void work.start(id, id);
    const turns = new Map<string, Promise<string>>();
    for (let i = 0; i < 18; i++) turns.set(`r${i}`, work.start(`r${i}`, `r${i}`));
    for (const name of ['a1', 'a2']) turns.set(name, work.start('a', name));
    void work.start('z', 'z1');
    expect(await turns.get('a2')?.catch(codeOf)).toBe('TOO_MUCH_FILE_WORK');
    for (const id of ['z', 'q']) expect(await work.start(id, 'late').catch(codeOf)).toBe('TOO_MUCH_FILE_WORK');
  });

  test('work whose client has gone has no turn, and makes room for others (J16)', async () => {
    const gone = new AbortController();
    for (const id of ['x', 'y']) void work.start(id, id);
    const left = work.start('a', 'a1', gone);
    const next = work.start('a', 'a2');
    gone.abort();
    await expect(left).rejects.toThrow('the client has closed the connection');
    await work.end('x');
    expect(work.begun).toEqual(['x', 'y', 'a2']);
    await work.end('a2');
    await next;
    await expect(work.start('b', 'b', gone)).rejects.toThrow('the client has closed the connection');
  });

  test('work that fails gives its turn on (J16)', async () => {
    const queue = new FileQueue({} as PrismaService);
    const failing = () => Promise.reject(new Error('no such file'));
    await expect(queue.run({ restaurantId: 'a' }, NEVER, failing)).rejects.toThrow('no such file');
    expect(await queue.run({ restaurantId: 'a' }, NEVER, () => Promise.resolve(1))).toBe(1);
  });
});
