import { Batcher, type BatcherOptions, type Held } from '../../../src/platform/database/batch/batcher.js';
import { NotWrittenError } from '../../../src/platform/database/batch/row-queue.js';
import { until } from '../../support/until.js';

interface Row {
  readonly name: string;
  readonly length: number;
  readonly keys: readonly string[];
  readonly source: string;
}

const row = (name: string, { length = 1, source = name } = {}): Row => ({ name, length, keys: [name], source });
const rows = (count: number, prefix: string, source?: string) =>
  Array.from({ length: count }, (_, i) => row(`${prefix}${i}`, source ? { source } : {}));
const outage = () => Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' });
const refusal = () => new Error('violates check constraint');

/** The turns of the event loop from `add` to the statement. */
const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

const LIMITS: BatcherOptions<Row> = { parallel: 2, most: 100, retry: false };

/** Statements that end when the test says so. */
function heldStatements(options: Partial<BatcherOptions<Row>> = {}) {
  const begun: { names: string[]; end: () => void; fail: (error: Error) => void }[] = [];
  const batcher = new Batcher<Row, string>(
    (group) =>
      new Promise((resolve, reject) => {
        const names = group.map(({ name }) => name);
        begun.push({ names, end: () => resolve(names.map((name) => `${name}!`)), fail: reject });
      }),
    { ...LIMITS, ...options },
  );
  return { begun, batcher };
}

/** Statements that end at once; those with a bad row fail. */
function statements(options: Partial<BatcherOptions<Row>> = {}) {
  const executed: string[][] = [];
  const written = new Set<string>();
  const database = { isAway: false, refuses: (name: string) => name.startsWith('bad') };
  const batcher = new Batcher<Row, string>(
    async (group) => {
      const names = group.map(({ name }) => name);
      executed.push(names);
      await turn();
      if (database.isAway) throw outage();
      if (names.some(database.refuses)) throw refusal();
      for (const name of names) written.add(name);
      return names;
    },
    { ...LIMITS, ...options },
  );
  return { executed, written, database, batcher };
}

describe('W29: a batch', () => {
  test('is written at once when a statement is free; later rows wait together', async () => {
    const { begun, batcher } = heldStatements();
    const answers = [];
    for (const name of ['a', 'b', 'c', 'd']) {
      answers.push(batcher.add(row(name)));
      await turn();
    }
    expect(begun.map(({ names }) => names)).toEqual([['a'], ['b']]);
    begun[0]?.end();
    await turn();
    expect(begun.map(({ names }) => names)).toEqual([['a'], ['b'], ['c', 'd']]);
    for (const { end } of begun) end();
    expect(await Promise.all(answers)).toEqual(['a!', 'b!', 'c!', 'd!']);
  });

  test('holds no two rows of one key, at most 100 rows and 1 MiB', async () => {
    const { begun, batcher } = heldStatements();
    for (const name of ['a', 'a', 'b']) void batcher.add(row(name));
    await turn();
    expect(begun.map(({ names }) => names)).toEqual([['a', 'b'], ['a']]);
    for (const each of rows(150, 'k')) void batcher.add(each);
    for (const [name, length] of Object.entries({ large: 2_000_000, x: 700_000, y: 700_000 }))
      void batcher.add(row(name, { length }));
    for (let i = 0; i < begun.length; i++) {
      begun[i]?.end();
      await turn();
    }
    expect(begun.slice(2).map(({ names }) => names.length)).toEqual([100, 51, 1, 1]);
    expect(begun.slice(3).map(({ names }) => names.at(-1))).toEqual(['x', 'large', 'y']);
  });
});

describe('W51: parties take turns', () => {
  test('many rows of one do not delay those of another, and its own keep their order', async () => {
    const { begun, batcher } = heldStatements();
    const of = (name: string, party: string, source = name) => ({ ...row(name, { source }), party });
    for (const name of ['a', 'b']) {
      void batcher.add(row(name));
      await turn();
    }
    for (let n = 0; n < 150; n++) void batcher.add(of(`busy${n}`, 'chain'));
    for (const name of ['new0', 'new1']) void batcher.add(of(name, 'new'));
    begun[0]?.end();
    await turn();
    expect(begun[2]?.names.slice(0, 5)).toEqual(['busy0', 'new0', 'busy1', 'new1', 'busy2']);
    expect(begun[2]?.names).toHaveLength(100);
    // who was served last is last in the next statement
    void batcher.add(of('third', 'third'));
    begun[1]?.end();
    await turn();
    expect(begun[3]?.names.slice(0, 3)).toEqual(['busy98', 'third', 'busy99']);
  });
});

describe('W30: a row that the database refuses', () => {
  test.each([0, 37, 99])('at place %i of 100 costs about 2 log2(100) statements, and fails alone', async (place) => {
    const { executed, written, batcher } = statements();
    const group = rows(99, 'good').toSpliced(place, 0, row('bad'));
    const answers = await Promise.allSettled(group.map((each) => batcher.add(each)));
    expect(answers.filter(({ status }) => status === 'rejected')).toHaveLength(1);
    expect(written.size).toBe(99);
    expect(executed.length).toBeLessThanOrEqual(1 + 2 * Math.ceil(Math.log2(100)));
    // the half without it is written first
    const [, first, second] = executed as [string[], string[], string[]];
    expect([first, second].filter((names) => !names.includes('bad'))).toHaveLength(1);
    expect(Math.min(first.length, second.length)).toBe(50);
  });

  test('and further rows of its source are written in separate statements, one at a time', async () => {
    const { begun, batcher } = heldStatements();
    const failures: unknown[] = [];
    const addBad = () => batcher.add(row(`bad${failures.length}`, { source: 'S' })).catch((e) => failures.push(e));
    void addBad();
    await turn();
    begun[0]?.fail(refusal());
    await turn();
    // its source is suspect now
    const bad = Array.from({ length: 20 }, addBad);
    await turn();
    expect(begun.slice(1).map(({ names }) => names.length)).toEqual([1]);
    const good = rows(250, 'good').map((each) => batcher.add(each));
    await turn();
    expect(begun.slice(2).map(({ names }) => names.length)).toEqual([100, 100]);
    begun[2]?.end();
    await turn();
    expect(begun.slice(4).map(({ names }) => names.length)).toEqual([50]);
    for (let i = 1; i < begun.length; i++) {
      if (begun[i]?.names[0]?.startsWith('bad')) begun[i]?.fail(refusal());
      else begun[i]?.end();
      await turn();
    }
    await Promise.all([...good, ...bad]);
    expect(failures).toHaveLength(21);
    for (const { names } of begun) expect(new Set(names.map((name) => name.startsWith('bad'))).size).toBe(1);
  });

  test('100 of one source among 100 good rows cost fewer than 400 statements', async () => {
    const { executed, written, batcher } = statements();
    const mixed = rows(100, 'good').flatMap((good, i) => [good, row(`bad${i}`, { source: 'S' })]);
    await Promise.allSettled(mixed.map((each) => batcher.add(each)));
    expect(written.size).toBe(100);
    expect(executed.length).toBeLessThan(2 * 200);
    // later good rows cost no extra statement
    const before = executed.length;
    await Promise.allSettled(rows(100, 'later').map((each) => batcher.add(each)));
    expect(executed.slice(before)).toHaveLength(1);
  });

  test('an outage is not a refusal: each row gets its error, and there is no further statement', async () => {
    const { executed, database, batcher } = statements();
    database.isAway = true;
    const answers = await Promise.allSettled(rows(50, 'good').map((each) => batcher.add(each)));
    expect(answers.map(({ status }) => status)).toEqual(Array(50).fill('rejected'));
    expect(executed).toHaveLength(1);
  });
});

describe('W30: a bounded queue', () => {
  const bound = { rows: 6, length: 100 };

  test('refuses rows beyond its number or characters, and takes more when there is room; a single row may be longer', async () => {
    const { begun, batcher } = heldStatements({ bound });
    const taken = rows(5, 'a').map((each) => batcher.add(each));
    await expect(batcher.add(row('long', { length: 96 }))).rejects.toThrow(NotWrittenError);
    taken.push(batcher.add(row('last', { length: 95 })));
    await expect(batcher.add(row('one more'))).rejects.toThrow(NotWrittenError);
    await turn();
    begun[0]?.end();
    await Promise.all(taken);
    const next = batcher.add(row('longer than the bound', { length: 1_000 }));
    await turn();
    begun[1]?.end();
    expect(await next).toBe('longer than the bound!');
  });

  test('drops a row whose caller has gone, unless its statement has begun', async () => {
    const { begun, batcher } = heldStatements({ bound, parallel: 1 });
    const caller = new AbortController();
    const inStatement = batcher.add(row('in statement'), caller.signal);
    await turn();
    const waiting = batcher.add(row('waiting'), caller.signal);
    const wanted = batcher.add(row('wanted'));
    caller.abort();
    await expect(waiting).rejects.toThrow(NotWrittenError);
    await expect(batcher.add(row('too late'), caller.signal)).rejects.toThrow(NotWrittenError);
    begun[0]?.end();
    expect(await inStatement).toBe('in statement!');
    await turn();
    begun[1]?.end();
    await wanted;
    expect(begun.map(({ names }) => names)).toEqual([['in statement'], ['wanted']]);
  });

  test('drops it also from the rows that are written separately', async () => {
    const { begun, batcher } = heldStatements();
    const caller = new AbortController();
    const [first, second, third] = ['bad', 'b', 'c'].map((name) => batcher.add(row(name), caller.signal));
    await turn();
    begun[0]?.fail(refusal());
    await turn();
    expect(begun[1]?.names).toEqual(['b', 'bad']);
    caller.abort();
    await expect(third).rejects.toThrow(NotWrittenError);
    begun[1]?.end();
    expect(await Promise.all([first, second])).toEqual(['bad!', 'b!']);
    await turn();
    expect(begun).toHaveLength(2);
  });
});

describe('O26: with retry', () => {
  const RETRY_LIMIT_MS = 60_000;

  function retrying() {
    const held: Held<Row>[] = [];
    const limit = { ms: RETRY_LIMIT_MS };
    const retry = { limitMs: () => limit.ms, onHeld: (each: Held<Row>) => held.push(each) };
    return { held, limit, retry };
  }

  test('after an outage whole batches are written again; one report has the number of rows', async () => {
    const { held, retry } = retrying();
    const { executed, written, database, batcher } = statements({ retry });
    database.isAway = true;
    const answers = rows(150, 'r').map((each) => batcher.add(each));
    await until(() => executed.length >= 4);
    expect(held).toEqual([expect.objectContaining({ rows: 100 })]);
    database.isAway = false;
    const before = executed.length;
    await Promise.all(answers);
    expect(written.size).toBe(150);
    expect(executed.length - before).toBeLessThan(10);
  });

  test('a refused row is retried alone, and the others of its batch are written', async () => {
    const { held, retry } = retrying();
    const { executed, written, database, batcher } = statements({ retry });
    const good = rows(99, 'good').map((each) => batcher.add(each));
    const bad = batcher.add(row('bad'));
    await Promise.all(good);
    await until(() => held.length > 0);
    expect(held).toEqual([expect.objectContaining({ row: expect.objectContaining({ name: 'bad' }), rows: 1 })]);
    const tries = () => executed.filter((names) => names.join() === 'bad').length;
    await until(() => tries() > 2);
    expect(written.has('bad')).toBe(false);
    database.refuses = () => false;
    expect(await bad).toBe('bad');
  });

  test('a row that another session has locked is found while other statements succeed', async () => {
    const { retry } = retrying();
    const { begun, batcher } = heldStatements({ retry });
    const locked = batcher.add(row('locked'));
    const neighbour = batcher.add(row('neighbour'));
    await turn();
    expect(begun[0]?.names).toEqual(['locked', 'neighbour']);
    begun[0]?.fail(outage());
    // both halves at once
    await until(() => begun.length === 3);
    expect(begun.slice(1).map(({ names }) => names)).toEqual([['locked'], ['neighbour']]);
    begun[2]?.end();
    expect(await neighbour).toBe('neighbour!');
    begun[1]?.fail(outage());
    await turn();
    const later = rows(100, 'later').map((each) => batcher.add(each));
    await until(() => begun.length === 5);
    const sizes = begun.slice(3).map(({ names }) => names.length);
    expect(sizes.toSorted((a, b) => a - b)).toEqual([1, 100]);
    for (const { end } of begun.slice(3)) end();
    await Promise.all([...later, locked]);
  });

  test('ends with the error when its limit has passed', async () => {
    const { limit, retry } = retrying();
    const { executed, database, batcher } = statements({ retry });
    database.isAway = true;
    const given = batcher.add(row('a'));
    await until(() => executed.length > 1);
    limit.ms = 0;
    await expect(given).rejects.toThrow('ECONNREFUSED');
  });
});
