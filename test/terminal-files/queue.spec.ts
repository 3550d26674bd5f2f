import { setImmediate } from 'node:timers/promises';
import { FileQueue } from '../../src/terminal-files/file-queue.js';

const NEVER = new AbortController().signal;

/** Work that ends when the test says so. */
class Work {
  readonly begun: string[] = [];
  private readonly ends = new Map<string, () => void>();
  private readonly leaves: AbortController[] = [];

  constructor(private readonly queue: FileQueue) {}

  start(restaurantId: string, name: string, leave = new AbortController()): Promise<string> {
    this.leaves.push(leave);
    const work = this.queue.run(restaurantId, leave.signal, () => {
      this.begun.push(name);
      return new Promise<string>((resolve) => this.ends.set(name, () => resolve(name)));
    });
    work.catch(() => undefined);
    return work;
  }

  async end(name: string): Promise<void> {
    this.ends.get(name)?.();
    await setImmediate();
  }

  /** What waits has no turn any more. */
  leave(): void {
    for (const each of this.leaves) each.abort();
  }
}

const codeOf = (error: { getResponse(): { code: string } }) => error.getResponse().code;

describe('turns of work with files', () => {
  let work: Work;
  beforeEach(() => {
    work = new Work(new FileQueue());
  });

  afterEach(() => work.leave());

  test('two at once, one of each restaurant; the others by restaurant in turn (J16, L98)', async () => {
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
    const queue = new FileQueue();
    const failing = () => Promise.reject(new Error('no such file'));
    await expect(queue.run('a', NEVER, failing)).rejects.toThrow('no such file');
    expect(await queue.run('a', NEVER, () => Promise.resolve(1))).toBe(1);
  });
});
