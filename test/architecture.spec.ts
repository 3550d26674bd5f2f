import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const SRC = fileURLToPath(new URL('../src/', import.meta.url));
const ROOT = fileURLToPath(new URL('../', import.meta.url));
const CONSOLE = fileURLToPath(new URL('../console/src/', import.meta.url));
const MAX_LINES = 250;

/**
 * The rooms of src/, in the order of imports: a room imports only rooms of earlier lines. A new direction is a decision: make it here. Rooms of
 * one line do not import each other.
 */
const ROOMS: readonly (readonly string[])[] = [
  [
    'domain',
    'platform/root',
    'platform/bounded-map',
    'platform/time-limit',
    'platform/sets-by-size',
    'platform/spare-core',
    'platform/sales-first',
  ],
  ['platform/config', 'platform/version', 'platform/redaction'],
  ['platform/telemetry', 'platform/outbound'],
  ['platform/secrets', 'platform/database'],
  ['platform/schedule', 'platform/http'],
  ['platform/conditions', 'platform/audit'],
  ['platform/files'],
  ['pos'],
  ['platform/tracing'],
  ['outbox'],
  ['auth'],
  ['user-links', 'platform/health'],
  ['auth/sender-keys', 'webhook/refused-sales', 'restaurants/reports'],
  ['webhook', 'orders'],
  ['restaurants', 'admin'],
  // every capability may send messages
  ['capabilities/channels'],
  ['capabilities/*'],
  ['app.module'],
  ['app'],
  ['relay'],
  ['main'],
];

/** Directions that the order allows and that would put something on the road of an order. */
const NEVER: readonly (readonly [from: string, to: string])[] = [
  ['webhook', 'user-links'],
  ['webhook', 'restaurants/reports'],
  ['webhook', 'platform/health'],
];

/** Rooms that only hold rooms. */
const FLOORS = ['platform', 'capabilities'];

/** What helps against a cause, for page and message. */
const REMEDIES = [
  'remedy',
  'sender',
  'waiting',
  'remedy-words.en',
  'remedy-words.pt-BR',
  'remedy-steps.en',
  'remedy-steps.pt-BR',
].map((name) => `src/platform/conditions/${name}`);

/** The same for the console's page. No page imports another: `pages/*` stands for each of them. */
const PAGE_MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  browser: [],
  api: ['browser'],
  // a search without accents takes the one form of Unicode that is bounded
  i18n: ['browser', 'src/domain/text'],
  router: ['browser'],
  design: [
    ...['browser', 'api', 'i18n', 'router'],
    // the causes in words, which import only the domain: pages, mails and push say the same
    ...REMEDIES,
  ],
  session: ['browser', 'api', 'i18n', 'router', 'design'],
  // the keys of the terminals: the set-up of a restaurant and the operators' page show the same panel
  'sender-keys': ['browser', 'api', 'i18n', 'design'],
  // the refused sales: an alert shows them, and a page where alerts are not loaded
  'refused-sales': ['browser', 'api', 'i18n', 'router', 'design'],
  // the sales of a day by the hour: Tonight shows them as bars, the takings as a curve
  hours: ['browser', 'api', 'i18n', 'design'],
  'pages/page-props': ['session'],
  'pages/*': [
    ...[
      'browser',
      'api',
      'i18n',
      'router',
      'design',
      'session',
      'sender-keys',
      'refused-sales',
      'hours',
      'pages/page-props',
    ],
    // the English of the findings, which imports nothing: command, API and page say the same
    'src/capabilities/doctor/words',
    ...REMEDIES,
    // the content of a ticket, which imports only the domain: printer and page say the same
    'src/capabilities/tickets/rules/ticket',
    // what the relay understands of a sale, in its amounts
    ...['src/domain/sale-details', 'src/domain/order', 'src/domain/money'],
    // the currencies that a restaurant may have: the form offers what the relay takes
    'src/domain/currency',
  ],
  routes: ['i18n', 'router', 'design', 'session', 'pages/page-props', 'pages/*'],
  app: ['i18n', 'router', 'design', 'session', 'routes', 'pages/*'],
  // loaded before all others: what it imports stays small
  'first-requests': ['browser', 'api'],
  main: ['api', 'i18n', 'design', 'app', 'routes', 'first-requests'],
};

const FORBIDDEN_NAMES = /^(index|utils?|helpers?|common|shared|misc)(\.ts)?$/;

function sources(folder = SRC): string[] {
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .filter((path) => !/generated$|node_modules$/.test(path))
    .flatMap((path) => (statSync(path).isDirectory() ? sources(path) : [path]));
}

/** The room of a file of src/: the longest name in {@link ROOMS}; a capability has the name of its folder. */
function roomOf(path: string): string {
  const parts = relative(SRC, path).replace(/\.ts$/, '').split('/');
  const two = parts.slice(0, 2).join('/');
  return FLOORS.includes(parts[0] as string) || ROOMS.flat().includes(two) ? two : (parts[0] as string);
}

/** The line of a room in {@link ROOMS}; -1: it has none. */
function lineOf(room: string): number {
  const line = ROOMS.findIndex((rooms) => rooms.includes(room));
  return line < 0 && room.startsWith('capabilities/') ? ROOMS.findIndex(([first]) => first === 'capabilities/*') : line;
}

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
  test('texts are brought into a form of Unicode by normalized(), which bounds the marks of a letter', () => {
    const others = sources().filter((path) => /\.normalize\(/.test(readFileSync(path, 'utf8')));
    expect(others.map((path) => relative(SRC, path))).toEqual(['domain/text.ts']);
  });

  test('every room is known', () => {
    expect([...new Set(sources().map(roomOf))].filter((room) => lineOf(room) < 0)).toEqual([]);
  });

  /** Each import from one room of src/ to another: the file, its room, the room of what it imports. */
  const imports = () =>
    sources().flatMap((path) =>
      importsOf(path)
        .map((to) => [relative(SRC, path), roomOf(path), roomOf(to)] as const)
        .filter(([, room, to]) => room !== to),
    );

  test('imports run one way: a room imports only rooms of earlier lines', () => {
    expect(imports().filter(([, room, to]) => lineOf(to) >= lineOf(room))).toEqual([]);
    expect(imports().length).toBeGreaterThan(500);
  });

  test('what stands on the road of an order does not grow', () => {
    expect(imports().filter(([, room, to]) => NEVER.some(([from, never]) => room === from && to === never))).toEqual(
      [],
    );
  });

  test('only app.module imports a capability, and no capability another one but channels', () => {
    const found = imports().filter(
      ([, room, to]) =>
        to.startsWith('capabilities/') &&
        room !== 'app.module' &&
        !(room.startsWith('capabilities/') && to === 'capabilities/channels'),
    );
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

  test('the domain, the redaction and the rules of files and capabilities import no package and do no I/O, and import only each other', () => {
    const isPure = (path: string) =>
      /^(domain|platform\/redaction|platform\/files\/rules|capabilities\/[^/]+\/rules)\//.test(relative(SRC, path));
    const pure = sources().filter(isPure);
    const foreign = pure.filter((path) =>
      /from '(?!\.)|process\.|Date\.now|Math\.random/.test(readFileSync(path, 'utf8')),
    );
    expect(foreign).toEqual([]);
    expect(pure.flatMap(importsOf).filter((path) => !isPure(path))).toEqual([]);
    expect(pure.length).toBeGreaterThan(30);
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
    const isOfStore = (path: string) => path.startsWith('outbox/store/') || path === 'outbox/retention.ts';
    expect(writers.map((path) => relative(SRC, path)).filter((path) => !isOfStore(path))).toEqual([]);
    expect(writers.length).toBeGreaterThan(5);
  });
});
