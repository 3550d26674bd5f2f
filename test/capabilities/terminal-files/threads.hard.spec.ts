import type { Worker } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';
import { FileThreads } from '../../../src/capabilities/terminal-files/reading/file-threads.js';
import type { Mapping } from '../../../src/capabilities/terminal-files/rules/terminal-file.js';

const NEVER = new AbortController().signal;
const mapping: Mapping = {
  ...{
    reference: 0,
    authorisation: null,
    terminal: null,
    date: 1,
    time: null,
    amount: 2,
    debit: null,
    kind: null,
    tender: null,
  },
  ...{
    currency: null,
    decimal: 'point',
    dateOrder: 'YMD',
    zone: 'UTC',
    kinds: [],
    status: null,
    statuses: [],
    instalment: null,
  },
};
const rules = { columns: ['a', 'b', 'c'], mapping, currency: null };
const clock = { timezone: 'UTC', dayClosesAt: '04:00' };
/** Nothing was decided before. */
const decisions = async () => [];
/** Far more rows than a file may have. */
const ROWS = 200_000;
const content = () => gzipSync(`[${'[1,"R","2026-11-20","1"],'.repeat(ROWS - 1)}[1,"R","2026-11-20","1"]]`);

describe('threads for files', () => {
  const threads = new FileThreads();
  afterAll(() => threads.onApplicationShutdown());

  test('a file that needs too much memory is refused, and ends its thread alone (J17, L113)', async () => {
    const small = new FileThreads();
    small.limits.memoryMb = 24;
    const compared = small.run('compareNew', { content: content(), rules, clock }, NEVER, { decisions });
    await expect(compared).rejects.toThrow('reading it needs too much memory');
    const one = await small.run('preview', { content: gzipSync('[[1,"R","2026-11-20","1"]]'), rules, clock }, NEVER);
    expect(one.counts.sales).toEqual({ count: 1, cents: 100 });
    await small.onApplicationShutdown();
  }, 120_000);

  test('a file that needs too much time is refused (J17, L113)', async () => {
    const quick = new FileThreads();
    quick.limits.longestMs = 1;
    const preview = quick.run('preview', { content: content(), rules, clock }, NEVER);
    await expect(preview).rejects.toThrow('reading it takes too long');
  });

  test('a file that is refused leaves its thread to the next one (J17)', async () => {
    const some = new FileThreads();
    const { all } = some as unknown as { readonly all: ReadonlySet<Worker> };
    const one = () => some.run('preview', { content: gzipSync('[[1,"R","2026-11-20","1"]]'), rules, clock }, NEVER);
    await one();
    const before = [...all];
    for (const bytes of [Buffer.from('a,b\n"'), Buffer.alloc(1_000, '"')])
      await expect(some.run('read', { bytes, zone: 'UTC' }, NEVER)).rejects.toMatchObject({ status: 422 });
    expect((await one()).counts.sales).toEqual({ count: 1, cents: 100 });
    expect([...all]).toEqual(before);
    await some.onApplicationShutdown();
  });

  test('a preview of as many rows needs no such memory (J18)', async () => {
    const small = new FileThreads();
    small.limits.memoryMb = 24;
    const { counts, rows } = await small.run('preview', { content: content(), rules, clock }, NEVER);
    await small.onApplicationShutdown();
    expect([counts.rows, rows.length]).toEqual([ROWS, 20]);
  }, 120_000);

  test('other requests have their turn while a thread works (J17)', async () => {
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    await threads.run('preview', { content: content(), rules, clock }, NEVER);
    clearInterval(timer);
    expect(turns).toBeGreaterThan(100);
  }, 120_000);

  test('work ends with its client (J16)', async () => {
    const gone = new AbortController();
    const days = () => new Promise<never>(() => setImmediate(() => gone.abort()));
    const input = { content: gzipSync('[[1,"R","2026-11-20","1"]]'), rules, clock };
    await expect(threads.run('compareNew', input, gone.signal, { days, decisions })).rejects.toThrow(
      'the client has closed',
    );
  });
});
