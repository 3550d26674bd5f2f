import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const SRC = fileURLToPath(new URL('../src/', import.meta.url));
const ROOT = fileURLToPath(new URL('../', import.meta.url));
const CONSOLE = fileURLToPath(new URL('../console/src/', import.meta.url));
const MAX_LINES = 250;

/** What each room may import of ours, beside itself. A new direction is a decision: make it here. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  // the project's folder
  root: [],
  config: ['root', 'domain'],
  telemetry: ['config', 'domain'],
  secrets: ['config', 'telemetry'],
  database: ['root', 'config', 'telemetry'],
  http: ['root', 'domain', 'telemetry', 'database'],
  schedule: ['config', 'telemetry', 'database'],
  // what needs somebody: modules add theirs
  conditions: ['http'],
  audit: ['domain', 'telemetry', 'database', 'http'],
  outbound: ['config'],
  // how the bytes of an answer become text
  pos: ['domain', 'config', 'telemetry', 'secrets', 'database', 'outbound'],
  tracing: ['domain', 'config', 'telemetry', 'pos', 'outbound'],
  outbox: ['domain', 'config', 'telemetry', 'secrets', 'database', 'schedule', 'http', 'pos', 'tracing'],
  auth: ['domain', 'config', 'telemetry', 'database', 'http', 'audit'],
  'sender-keys': [
    'domain',
    'telemetry',
    'secrets',
    'database',
    'conditions',
    'schedule',
    'http',
    'audit',
    'auth',
    'user-links',
  ],
  // a sale under the key of another one is kept for people
  'refused-sales': ['domain', 'config', 'database', 'conditions', 'schedule', 'http', 'user-links', 'outbox'],
  webhook: [
    ...['domain', 'config', 'telemetry', 'database', 'http', 'auth', 'outbox', 'sender-keys', 'tracing'],
    'refused-sales',
  ],
  // who sends sales may ask what became of them
  receipts: [
    'domain',
    'config',
    'telemetry',
    'secrets',
    'database',
    'http',
    'auth',
    'outbox',
    'sender-keys',
    'webhook',
  ],
  'user-links': ['domain', 'secrets', 'database', 'http', 'audit', 'auth'],
  reports: ['domain', 'config', 'database', 'http', 'pos', 'outbox'],
  restaurants: [
    ...['domain', 'config', 'telemetry', 'secrets', 'database', 'http', 'audit', 'pos', 'auth', 'user-links'],
    'reports',
    // a setting that was missing makes its orders due
    'outbox',
  ],
  channels: [
    ...['domain', 'config', 'telemetry', 'secrets', 'database', 'http', 'audit', 'auth', 'user-links', 'outbound'],
  ],
  orders: ['domain', 'config', 'telemetry', 'database', 'http', 'audit', 'auth', 'user-links', 'outbox'],
  // a closing is mailed
  days: [
    ...[
      'domain',
      'config',
      'telemetry',
      'database',
      'schedule',
      'http',
      'audit',
      'user-links',
      'outbox',
      'pos',
      'channels',
    ],
  ],
  'terminal-files': [
    ...[
      'domain',
      'config',
      'telemetry',
      'database',
      'conditions',
      'schedule',
      'http',
      'audit',
      'user-links',
      'outbox',
      'pos',
    ],
    // how a CSV of the relay is asked for
    'reports',
  ],
  // one read for all viewers of a restaurant
  live: ['database', 'http', 'telemetry', 'auth', 'user-links', 'orders', 'reports', 'restaurants'],
  resend: [
    ...['domain', 'config', 'telemetry', 'database', 'http', 'audit', 'auth', 'user-links', 'outbox'],
    // how a path names an order
    'orders',
  ],
  // how a path names an order, and what is said of an erased one
  'personal-data': ['domain', 'config', 'telemetry', 'database', 'http', 'audit', 'user-links', 'orders'],
  tickets: [
    'domain',
    'config',
    'telemetry',
    'secrets',
    'database',
    'conditions',
    'schedule',
    'http',
    'audit',
    'auth',
    'user-links',
    'outbox',
  ],
  // who is told what, and when; the channels carry it
  alerts: [
    ...[
      'domain',
      'config',
      'telemetry',
      'secrets',
      'database',
      'conditions',
      'schedule',
      'http',
      'audit',
      'auth',
      'user-links',
      'outbox',
    ],
    'channels',
  ],
  admin: [...['domain', 'config', 'telemetry', 'database', 'http', 'audit', 'auth', 'outbox', 'orders']],
  health: ['auth', 'database', 'outbox'],
  console: ['root', 'domain', 'config', 'http', 'auth'],
  // how it reaches the mail server, and which addresses are called
  doctor: ['domain', 'config', 'secrets', 'database', 'http', 'pos', 'outbound', 'channels', 'user-links'],
  'app.module': [
    ...['config', 'telemetry', 'secrets', 'database', 'http', 'webhook', 'outbox', 'auth', 'user-links', 'restaurants'],
    ...['schedule', 'days', 'orders', 'live', 'resend', 'alerts', 'channels', 'tickets', 'admin', 'health', 'console'],
    ...['sender-keys', 'receipts', 'tracing', 'personal-data', 'terminal-files', 'refused-sales', 'doctor'],
  ],
  // what begins when the process listens: auth, outbox, secrets, schedule
  app: [...['config', 'telemetry', 'app.module', 'http', 'auth', 'outbox', 'schedule', 'secrets']],
  main: ['config', 'telemetry', 'http', 'outbox', 'app'],
};

/** The same for the console's page. No page imports another: `pages/*` stands for each of them. */
const PAGE_MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  browser: [],
  api: ['browser'],
  i18n: ['browser'],
  router: ['browser'],
  design: ['browser', 'api', 'i18n', 'router'],
  session: ['browser', 'api', 'i18n', 'router', 'design'],
  // the keys of the terminals: the set-up of a restaurant and the operators' page show the same panel
  'sender-keys': ['browser', 'api', 'i18n', 'design'],
  'pages/page-props': ['session'],
  'pages/*': [
    ...['browser', 'api', 'i18n', 'router', 'design', 'session', 'sender-keys', 'pages/page-props'],
    // the English of the findings, which imports nothing: command, API and page say the same
    'src/doctor/words',
    // the content of a ticket, which imports only the domain: printer and page say the same
    'src/domain/ticket',
    // the currencies that a restaurant may have: the form offers what the relay takes
    'src/domain/currency',
  ],
  routes: ['i18n', 'router', 'design', 'session', 'pages/page-props', 'pages/*'],
  app: ['i18n', 'router', 'design', 'session', 'routes', 'pages/*'],
  main: ['api', 'i18n', 'design', 'app', 'routes'],
};

const FORBIDDEN_NAMES = /^(index|utils?|helpers?|common|shared|misc)(\.ts)?$/;

function sources(folder = SRC): string[] {
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .filter((path) => !/generated$|node_modules$/.test(path))
    .flatMap((path) => (statSync(path).isDirectory() ? sources(path) : [path]));
}

const roomOf = (path: string) => (relative(SRC, path).split('/')[0] as string).replace(/\.ts$/, '');

function importsOf(path: string): string[] {
  const text = readFileSync(path, 'utf8');
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)]
    .map(([, to]) =>
      [to as string, (to as string).replace(/\.js$/, '.ts'), (to as string).replace(/\.js$/, '.tsx')]
        .map((name) => resolve(dirname(path), name))
        .find((file) => existsSync(file)),
    )
    .filter((file) => file !== undefined);
}

/** The room of a file of the console: its folder, or for a page the folder of the page. */
function consoleRoomOf(path: string): string {
  const [folder = '', page = ''] = relative(CONSOLE, path)
    .replace(/\.tsx?$/, '')
    .split('/');
  if (folder === '..') return relative(ROOT, path).replace(/\.ts$/, '');
  return folder === 'pages' ? `pages/${page}` : folder;
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

  test.each([
    ['src', SRC],
    ['the console', CONSOLE],
  ])('%s: no file imports itself in a circle', (_, folder) => {
    const state = new Map<string, 'open' | 'done'>();
    const visit = (path: string, trail: string[]): void => {
      if (state.get(path) === 'done' || path.includes('/generated/')) return;
      if (state.get(path) === 'open')
        throw new Error(`circle: ${[...trail, path].map((p) => relative(folder, p)).join(' -> ')}`);
      state.set(path, 'open');
      for (const to of importsOf(path)) visit(to, [...trail, path]);
      state.set(path, 'done');
    };
    for (const path of sources(folder)) visit(path, []);
    expect(state.size).toBeGreaterThan(50);
  });

  test('the console: no file is longer than 250 lines', () => {
    const long = sources(CONSOLE)
      .filter((path) => !path.endsWith('/api/schema.ts'))
      .filter((path) => readFileSync(path, 'utf8').trimEnd().split('\n').length > MAX_LINES);
    expect(long.map((path) => relative(CONSOLE, path))).toEqual([]);
  });

  test('the console: every room is known, imports only what it may, and no page imports another', () => {
    const isPage = (room: string) => room.startsWith('pages/') && !(room in PAGE_MAY_IMPORT);
    const nameOf = (room: string) => (isPage(room) ? 'pages/*' : room);
    const found = sources(CONSOLE).flatMap((path) => {
      const room = consoleRoomOf(path);
      const allowed = PAGE_MAY_IMPORT[nameOf(room)] ?? ['no such room'];
      return importsOf(path)
        .map((to) => [relative(CONSOLE, path), consoleRoomOf(to)] as const)
        .filter(([, to]) => to !== room && (!allowed.includes(nameOf(to)) || (isPage(room) && isPage(to))));
    });
    expect(found).toEqual([]);
  });

  test.each([
    ['tools', ['tools']],
    ['proof', ['proof', 'tools', 'deploy']],
  ])('%s imports only %j: it knows the relay by its interfaces alone', (folder, allowed) => {
    const found = sources(join(ROOT, folder))
      .filter((path) => path.endsWith('.ts'))
      .flatMap((path) => importsOf(path).map((to) => [relative(ROOT, path), relative(ROOT, to)] as const))
      .filter(([, to]) => !allowed.includes(to.split('/')[0] as string));
    expect(found).toEqual([]);
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

  test('no two bodies of the API have one name: the OpenAPI document would describe one of them for both', () => {
    const names = sources().flatMap((path) =>
      [...readFileSync(path, 'utf8').matchAll(/^(?:export )?class (\w+(?:View|Dto))\b/gm)].map(([, name]) => name),
    );
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
    expect(names.length).toBeGreaterThan(50);
  });

  test('nobody but the job store writes jobs, and the retention removes them (O3)', () => {
    const writers = sources().filter((path) =>
      /(UPDATE|INSERT INTO|DELETE FROM) outbox_jobs|reset_jobs\(|outboxJob\.(create|update|upsert|delete)/.test(
        readFileSync(path, 'utf8'),
      ),
    );
    expect(writers.map((path) => relative(SRC, path)).toSorted()).toEqual([
      'outbox/retention.ts',
      'outbox/store/ahead.ts',
      'outbox/store/cancel.ts',
      'outbox/store/claim.ts',
      'outbox/store/enqueue.ts',
      'outbox/store/old-causes.ts',
      'outbox/store/outages.ts',
      'outbox/store/release.ts',
      'outbox/store/reset.ts',
      'outbox/store/resolve.ts',
      'outbox/store/settle.ts',
      'outbox/store/waiting.ts',
    ]);
  });
});
