import type { Random } from '../random.js';
import { targetOf } from './addresses.js';
import { headerText, nonsenseAuthorization, nonsenseBasic } from './credentials.js';
import { framingNonsense } from './framing.js';
import { brokenJson, hostileValue, write } from './json.js';
import { longFieldOf } from './lengths.js';
import { legalValue, type Route, type Source, spoiled } from './operations.js';
import { hostileText } from './texts.js';
import type { Caller } from './world.js';

/** A request to be sent, byte for byte. */
export interface FuzzRequest {
  readonly bytes: Buffer;
  readonly caller: Caller;
  /** the route it goes to; undefined: it is not certain to go to any */
  readonly route: Route | undefined;
  readonly method: string;
  /** no whole request, or more than one: it is sent alone, and its connection closed */
  readonly isBroken: boolean;
  /** a password may be checked, which takes its time by design (A6) */
  readonly checksPassword: boolean;
}

const OTHER_METHODS = [
  'HEAD',
  'OPTIONS',
  'PUT',
  'TRACE',
  'PROPFIND',
  'SEARCH',
  'LINK',
  'PURGE',
  'DELETE',
  'GET',
  'POST',
  'PATCH',
];
const CONTENT_TYPES = [
  'application/json; charset=utf-8',
  'application/json;charset="UTF-8"',
  'application/json; charset=utf-16le',
  'application/json; charset=latin1',
  'application/json; charset=x-none',
  'application/json; charset=',
  'application/json;',
  'APPLICATION/JSON',
  'text/json',
  'text/plain',
  'application/xml',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'multipart/form-data; boundary=',
  'application/json, text/plain',
  'json',
  '/',
  '',
  'a/b/c',
  'application/vnd.api+json',
  'application/json\t;q',
  'application/json; charset=utf-7',
  `application/json; ${'x=y; '.repeat(500)}`,
];

/** Headers that a client may add. */
const EXTRAS: readonly ((random: Random) => readonly [string, string])[] = [
  (random) => [
    'Content-Encoding',
    random.pick(['gzip', 'br', 'deflate', 'identity', 'IDENTITY', 'x', 'gzip, gzip', '']),
  ],
  (random) => ['X-Request-Id', headerText(hostileText(random))],
  (random) => ['X-Forwarded-For', random.pick(['127.0.0.1', '::1', 'x', '1, 2, 3', headerText(hostileText(random))])],
  (random) => ['X-Forwarded-Host', headerText(hostileText(random))],
  () => ['X-HTTP-Method-Override', 'DELETE'],
  (random) => [
    'Accept',
    random.pick(['text/html', '*/*;q=0', 'application/xml', 'x', headerText(hostileText(random))]),
  ],
  (random) => ['Accept-Encoding', random.pick(['gzip, br', '*;q=0', 'x'])],
  (random) => ['Origin', random.pick(['null', 'http://evil.example', headerText(hostileText(random))])],
  (random) => ['Cookie', headerText(hostileText(random))],
  (random) => ['Range', random.pick(['bytes=0-0', 'bytes=-1', 'bytes=0-,0-,0-', 'x'])],
  (random) => ['If-None-Match', random.pick(['*', '""', headerText(hostileText(random))])],
  (random) => ['If-Modified-Since', headerText(hostileText(random))],
  (random) => ['Expect', random.pick(['100-continue', '100-Continue'])],
  (random) => ['Upgrade', random.pick(['h2c', 'websocket', 'x'])],
  (random) => ['Connection', random.pick(['close', 'keep-alive', 'Upgrade', 'Authorization', 'x'])],
  (random) => [random.pick(['__proto__', 'constructor', 'X-A']), headerText(hostileText(random))],
  // seldom: each that can be read is compared with a password
  (random) => (random.chance(0.2) ? ['Authorization', nonsenseBasic(random)] : ['Via', '1.1 proxy']),
];

/** One in this many requests has a long text in a field: every field in its turn, so that none is left to chance. */
const LONG_EVERY = 8;

/** Request number `n` of its seed. */
export function requestOf(source: Source, routes: readonly Route[], n: number): FuzzRequest {
  const { random } = source;
  if (n % LONG_EVERY === LONG_EVERY - 1) return longRequest(source, routes, Math.floor(n / LONG_EVERY));
  const route = chooseRoute(routes, random);
  const caller = chooseCaller(source, route);
  if (random.chance(0.08))
    return {
      ...framingNonsense(random, route, caller),
      caller,
      route: undefined,
      method: '',
      isBroken: true,
      checksPassword: false,
    };
  const target = targetOf(source, route);
  const isOtherMethod = random.chance(0.03);
  const method = isOtherMethod ? random.pick(OTHER_METHODS) : route.method.toUpperCase();
  const body = bodyOf(source, route);
  const headers = headersOf(random, caller, body);
  const head = [
    `${method} ${target.text} HTTP/1.1`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    '',
    '',
  ].join('\r\n');
  const bytes = Buffer.concat([Buffer.from(head, 'latin1'), body ?? Buffer.alloc(0)]);
  return {
    bytes,
    caller,
    route: target.isCertain && !isOtherMethod ? route : undefined,
    method,
    isBroken: false,
    checksPassword:
      headers.some(([name, value]) => name === 'Authorization' && /^basic/i.test(value)) ||
      (body?.includes('assword') ?? false),
  };
}

/** A request that is good but for its long field, by somebody who may send it. */
function longRequest(source: Source, routes: readonly Route[], turn: number): FuzzRequest {
  const { route, body } = longFieldOf(source, routes, turn);
  const { path } = route;
  const callers = callersOf(source);
  const caller = path.startsWith('/webhooks')
    ? callers.terminal
    : path.startsWith('/admin')
      ? callers.admin
      : callers.owner;
  const method = route.method.toUpperCase();
  const bytes = Buffer.from(write(body));
  const address = path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(legalValue(source, {}, name))));
  const head = [
    `${method} ${address} HTTP/1.1`,
    'Host: 127.0.0.1',
    `Authorization: ${caller.authorization}`,
    'Content-Type: application/json',
    `Content-Length: ${bytes.length}`,
    '',
    '',
  ];
  return {
    bytes: Buffer.concat([Buffer.from(head.join('\r\n')), bytes]),
    caller,
    route,
    method,
    isBroken: false,
    checksPassword: bytes.includes('assword'),
  };
}

/** Seldom one that checks passwords, which is slow by design, or that ends a tenant, who is slow to make. */
function chooseRoute(routes: readonly Route[], random: Random): Route {
  const route = random.pick(routes);
  const isSeldom = ({ checksPassword, method, path }: Route) =>
    checksPassword || method === 'delete' || path.includes('transfer');
  if (isSeldom(route) && random.chance(0.92)) return random.pick(routes.filter((other) => !isSeldom(other)));
  // the webhook, which is open to terminals, gets more than its share
  return random.chance(0.15) ? (routes.find(({ path }) => path.startsWith('/webhooks')) ?? route) : route;
}

const NOBODY: Caller = {
  name: 'nobody',
  authorization: undefined,
  tenant: undefined,
  isAdmin: false,
  isTerminal: false,
};

function callersOf({ world, own }: Source) {
  const bearer = (token: string) => `Bearer ${token}`;
  return {
    owner: { ...NOBODY, name: `owner of ${own.name}`, authorization: bearer(own.owner.token), tenant: own },
    clerk: { ...NOBODY, name: `clerk of ${own.name}`, authorization: bearer(own.clerk.token), tenant: own },
    terminal: { ...NOBODY, name: 'terminal', authorization: bearer(world.terminalToken), isTerminal: true },
    admin: { ...NOBODY, name: 'administrator', authorization: bearer(world.admin.token), isAdmin: true },
  };
}

function chooseCaller(source: Source, { path }: Route): Caller {
  const { random, own } = source;
  const { owner, clerk, terminal, admin } = callersOf(source);
  const dice = random.below(100);
  if (dice < 8) return { ...NOBODY, name: 'stranger', authorization: nonsenseAuthorization(random, own.owner.token) };
  if (dice < 12) return NOBODY;
  if (dice < 22) return clerk;
  if (dice < 26) return terminal;
  if (dice < 30) return admin;
  if (path.startsWith('/webhooks')) return random.pick([terminal, terminal, owner]);
  return path.startsWith('/admin') ? admin : owner;
}

function bodyOf(source: Source, { body, method }: Route): Buffer | undefined {
  const { random } = source;
  if (!body)
    return random.chance(0.1) || (method !== 'get' && random.chance(0.3))
      ? Buffer.from(write(hostileValue(random)))
      : undefined;
  const good = legalValue(source, body, '');
  const kind = random.below(100);
  if (kind < 30) return Buffer.from(write(good));
  if (kind < 72) {
    let value = good;
    for (let times = 1 + random.below(3); times > 0; times--) value = spoiled(value, random);
    return Buffer.from(write(value));
  }
  return kind < 97 ? brokenJson(write(good), random) : undefined;
}

function headersOf(random: Random, caller: Caller, body: Buffer | undefined): (readonly [string, string])[] {
  const headers: (readonly [string, string])[] = [['Host', '127.0.0.1']];
  if (caller.authorization !== undefined) headers.push(['Authorization', caller.authorization]);
  if (body || random.chance(0.05))
    headers.push([
      'Content-Type',
      random.chance(0.92) ? 'application/json' : headerText(random.pick([...CONTENT_TYPES, hostileText(random)])),
    ]);
  if (body) headers.push(['Content-Length', String(body.length)]);
  if (random.chance(0.15)) headers.push(...random.list(1 + random.below(3), () => random.pick(EXTRAS)(random)));
  return headers;
}
