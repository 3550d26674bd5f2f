import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const SRC = fileURLToPath(new URL('../src/', import.meta.url));

/** What each room may import of ours, beside itself. A new direction is a decision: make it here. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  environment: ['domain'],
  'kept-secret': ['environment'],
  config: ['domain', 'environment', 'kept-secret'],
  log: ['config'],
  problem: [],
  metrics: [],
  'query-time': ['domain'],
  'secret-box': ['config'],
  database: ['config', 'log'],
  pos: ['domain', 'config', 'log', 'metrics', 'secret-box', 'database'],
  outbox: ['domain', 'config', 'log', 'metrics', 'problem', 'secret-box', 'database', 'pos'],
  auth: ['domain', 'config', 'log', 'problem', 'database'],
  webhook: ['domain', 'config', 'log', 'metrics', 'problem', 'database', 'auth', 'outbox'],
  'user-links': ['domain', 'problem', 'database', 'auth'],
  restaurants: [
    'query-time',
    'domain',
    'log',
    'problem',
    'secret-box',
    'database',
    'auth',
    'user-links',
    'outbox',
    'pos',
  ],
  orders: ['query-time', 'domain', 'config', 'log', 'problem', 'database', 'auth', 'user-links', 'outbox'],
  admin: ['query-time', 'domain', 'metrics', 'problem', 'database', 'auth', 'user-links', 'outbox'],
  health: ['auth', 'database'],
  body: ['problem'],
  'error.filter': ['log', 'database'],
  docs: [],
  'app.module': [
    ...[
      'config',
      'log',
      'metrics',
      'secret-box',
      'database',
      'webhook',
      'outbox',
      'auth',
      'user-links',
      'restaurants',
      'orders',
      'admin',
      'health',
    ],
    ...['body', 'error.filter'],
  ],
  app: ['config', 'log', 'app.module', 'body', 'docs', 'error.filter'],
  main: ['config', 'environment', 'log', 'app'],
  command: [],
  doctor: ['command', 'domain', 'config', 'environment', 'secret-box', 'database', 'pos'],
  demo: ['command', 'domain', 'pos'],
};

const FORBIDDEN_NAMES = /^(index|utils?|helpers?|common|shared|misc)(\.ts)?$/;

function sources(folder = SRC): string[] {
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .filter((path) => !path.endsWith('generated'))
    .flatMap((path) => (statSync(path).isDirectory() ? sources(path) : [path]));
}

const roomOf = (path: string) => (relative(SRC, path).split('/')[0] as string).replace(/\.ts$/, '');

function importsOf(path: string): string[] {
  const text = readFileSync(path, 'utf8');
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, to]) =>
    resolve(dirname(path), (to as string).replace(/\.js$/, '.ts')),
  );
}

describe('the house', () => {
  test('every room is known', () => {
    expect([...new Set(sources().map(roomOf))].filter((room) => !(room in MAY_IMPORT))).toEqual([]);
  });

  test.each(Object.keys(MAY_IMPORT))('%s imports only what it may', (room) => {
    const allowed = [room, ...(MAY_IMPORT[room] as string[])];
    const found = sources()
      .filter((path) => roomOf(path) === room)
      .flatMap((path) => importsOf(path).map((to) => [relative(SRC, path), roomOf(to)] as const))
      .filter(([, to]) => !allowed.includes(to));
    expect(found).toEqual([]);
  });

  test('no file imports itself in a circle', () => {
    const state = new Map<string, 'open' | 'done'>();
    const visit = (path: string, trail: string[]): void => {
      if (state.get(path) === 'done' || path.includes('/generated/')) return;
      if (state.get(path) === 'open')
        throw new Error(`circle: ${[...trail, path].map((p) => relative(SRC, p)).join(' -> ')}`);
      state.set(path, 'open');
      for (const to of importsOf(path)) visit(to, [...trail, path]);
      state.set(path, 'done');
    };
    for (const path of sources()) visit(path, []);
    expect(state.size).toBeGreaterThan(0);
  });

  test('the domain imports no package and does no I/O', () => {
    const foreign = sources(join(SRC, 'domain')).filter((path) =>
      /from '(?!\.)|process\.|Date\.now|Math\.random/.test(readFileSync(path, 'utf8')),
    );
    expect(foreign).toEqual([]);
  });

  test('no barrel, no drawer for odds and ends', () => {
    const names = sources().flatMap((path) => relative(SRC, path).split('/'));
    expect(names.filter((name) => FORBIDDEN_NAMES.test(name))).toEqual([]);
  });

  test('nobody but the job store writes jobs, and the retention removes them', () => {
    const writers = sources().filter((path) =>
      /(UPDATE|INSERT INTO|DELETE FROM) outbox_jobs|outboxJob\.(create|update|upsert|delete)/.test(
        readFileSync(path, 'utf8'),
      ),
    );
    expect(writers.map((path) => relative(SRC, path))).toEqual(['outbox/job-store.ts', 'outbox/retention.ts']);
  });
});
