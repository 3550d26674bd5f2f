import { readFileSync } from 'node:fs';
import { sale } from '../support/client.js';
import { EAGER, TERMINAL_TOKEN } from '../support/environment.js';
import { Scenario } from '../support/scenario.js';
import type { RelayProcess } from './relay-process.js';

/** The CPU time that one request may cost in the whole process, garbage collection included; ms. */
const LIMIT_CPU_MS = 100;
const MIB = 1_048_576;
/** The kernel counts CPU time in ticks of 10 ms. */
const MS_PER_TICK = 10;

const keys = (count: number) => `{${Array.from({ length: count }, (_, i) => `"k${i}":1`).join()}}`;
const nested = (levels: number, open = '[', close = ']') => open.repeat(levels) + close.repeat(levels);
/** A valid sale with one more field. */
const saleWith = (field: string) => () => JSON.stringify(sale()).replace(/\}$/, `,${field}}`);
const numbers = (price: string) => () =>
  JSON.stringify(sale({ items: [], payments: [] }))
    .replace('"items":[]', `"items":[${Array(500).fill(`{"itemCode":"A","price":${price},"quantity":${price}}`)}]`)
    .replace('"payments":[]', `"payments":[${Array(500).fill(`{"tenderType":1,"amount":${price}}`)}]`);

/** Bodies of up to 1 MiB. */
const SHAPES: Record<string, () => string> = {
  '90,000 keys': () => keys(90_000),
  '4,000 keys in 64 KiB': () => keys(4_000),
  '200 keys': () => keys(200),
  '500,000 levels of arrays': () => nested(MIB / 2 - 1),
  '200,000 levels of objects': () => `${'{"a":'.repeat(170_000)}1${'}'.repeat(170_000)}`,
  '5,000 levels': () => `{"a":${nested(5_000)}}`,
  '250,000 entries': () => `{"a":[${Array(250_000).fill(0)}]}`,
  '32,000 entries in 64 KiB': () => `{"email":[${Array(32_000).fill(0)}]}`,
  '21,000 empty objects in 64 KiB': () => `{"name":[${Array(21_000).fill('{}')}]}`,
  '21,000 empty objects as a list': () => `[${Array(21_000).fill('{}')}]`,
  'a text of 170,000 escaped NUL': () => `{"email":"${'\\u0000'.repeat(170_000)}","password":"x"}`,
  'a text of 10,000 escaped NUL': () => `{"email":"${'\\u0000'.repeat(10_000)}","password":"x"}`,
  'a key of 60,000 characters': () => `{"${'k'.repeat(60_000)}":1}`,
  'a name of 60,000 blanks': () => `{"name":"${' '.repeat(60_000)}x"}`,
  'a slug of 60,000 hyphens': () => `{"slug":"${'a-'.repeat(30_000)}!"}`,
  'broken at its end': () => `{"a":[${Array(250_000).fill(0)}`,
};

/** Bodies that are valid sales, or nearly. */
const SALES: Record<string, () => string> = {
  '80,000 keys': saleWith(keys(80_000).slice(1, -1)),
  '19,900 keys': saleWith(keys(19_900).slice(1, -1)),
  '250,000 entries': saleWith(`"a":[${Array(250_000).fill(0)}]`),
  '49,000 entries': saleWith(`"a":[${Array(49_000).fill(0)}]`),
  '300,000 empty objects': saleWith(`"a":[${Array(300_000).fill('{}')}]`),
  '24,000 empty objects': saleWith(`"a":[${Array(24_000).fill('{}')}]`),
  '170,000 escaped NUL': saleWith(`"a":"${'\\u0000'.repeat(170_000)}"`),
  'a key of a million characters': () => JSON.stringify(sale({ transactionKey: 'k'.repeat(1_000_000) })),
  'many short texts': saleWith(`"a":[${Array(180_000).fill('"\u00e9"')}]`),
  '31 levels, wide': saleWith(`"a":[${Array(12_000).fill(nested(29))}]`),
  '31 levels, less wide': saleWith(`"a":[${Array(1_600).fill(nested(29))}]`),
  '500 items of 38 fields': saleWith(`"items":[${Array(500).fill(keys(38))}]`),
  'amounts of 1e-300': numbers('1e-300'),
  'amounts of 1e308': numbers('1e308'),
  'amounts of 5e-324': numbers('5e-324'),
  'amounts of 17 digits': numbers('1234567.8901234567'),
};

describe('L5, L6: no body blocks the process', () => {
  let scenario: Scenario;
  let relay: RelayProcess;
  let token: string;
  let restaurant: string;
  /** each route that takes a body, with the token that it needs */
  let routes: [method: string, path: string, token: string | undefined][];

  beforeAll(async () => {
    scenario = await Scenario.ofProcesses({ LOG_LEVEL: 'info' });
    relay = await scenario.startProcess();
    token = await relay.login();
    restaurant = await relay.createRestaurant();
    const { body: document } = await relay.api.get('/docs-json').expect(200);
    routes = Object.entries<Record<string, { requestBody?: object }>>(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([method]) => method !== 'get')
        .map(([method]): [string, string, string | undefined] => [
          method.toUpperCase(),
          path.replace('{restaurantId}', restaurant).replaceAll(/\{\w+\}/g, crypto.randomUUID()),
          path === '/auth/login' ? undefined : path.startsWith('/webhooks') ? TERMINAL_TOKEN : token,
        ]),
    );
    // code is compiled, as in a process that has run for some time
    for (const shape of Object.values(SHAPES)) await sendEverywhere(shape());
    for (const shape of Object.values(SALES)) await send('POST', '/webhooks/terminal', TERMINAL_TOKEN, shape());
  }, 300_000);
  afterAll(() => scenario.close());

  async function send(method: string, path: string, bearer: string | undefined, body: string) {
    const headers = { 'Content-Type': 'application/json', ...(bearer && { Authorization: `Bearer ${bearer}` }) };
    const answer = await fetch(relay.url + path, { method, headers, body });
    return { status: answer.status, text: await answer.text() };
  }
  async function sendEverywhere(body: string): Promise<void> {
    for (const [method, path, bearer] of routes) if (method !== 'DELETE') await send(method, path, bearer, body);
  }

  /** CPU time that the relay process has used. */
  function cpuMs(): number {
    const fields = readFileSync(`/proc/${relay.process.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
  }

  /** The least CPU time of up to ten tries: a garbage collection, a compilation or a scheduled task may fall into any of them. */
  async function cost(ask: () => Promise<unknown>): Promise<number> {
    let least = Number.POSITIVE_INFINITY;
    for (let tries = 0; tries < 10 && least > LIMIT_CPU_MS; tries++) {
      const before = cpuMs();
      await ask();
      least = Math.min(least, cpuMs() - before);
    }
    return least;
  }

  test.each(Object.keys(SHAPES))(
    '%s, on every route that takes a body',
    async (name) => {
      const body = (SHAPES[name] as () => string)();
      const costs: [string, number][] = [];
      for (const [method, path, bearer] of routes) {
        if (method === 'DELETE') continue;
        const spent = await cost(() => send(method, path, bearer, body));
        costs.push([`${method} ${path}`, spent]);
      }
      expect(costs.filter(([, spent]) => spent > LIMIT_CPU_MS)).toEqual([]);
    },
    120_000,
  );

  test.each(Object.keys(SALES))(
    'a sale with %s, at the webhook',
    async (name) => {
      const shape = SALES[name] as () => string;
      const spent = await cost(() => send('POST', '/webhooks/terminal', TERMINAL_TOKEN, shape()));
      expect(spent).toBeLessThanOrEqual(LIMIT_CPU_MS);
    },
    120_000,
  );

  test('90,000 keys at the login: a short answer and a short log line', async () => {
    const { status, text } = await send('POST', '/auth/login', undefined, keys(90_000));
    expect(status).toBe(413);
    expect(text.length).toBeLessThan(1_000);
    const few = await send('POST', '/auth/login', undefined, keys(201));
    expect([few.status, JSON.parse(few.text).message]).toEqual([400, ['body: must have at most 200 keys']]);
    const listed = await send('POST', '/auth/login', undefined, keys(150));
    expect(JSON.parse(listed.text).message).toHaveLength(21);
    expect(JSON.parse(listed.text).message.at(-1)).toMatch(/^and \d+ more$/);
    const long = await send('POST', '/auth/login', undefined, `{"${'k'.repeat(60_000)}":1}`);
    expect(long.text.length).toBeLessThan(2_000);
    const longest = Math.max(...relay.lines.map((line) => JSON.stringify(line).length));
    expect(longest).toBeLessThan(12_000);
  });
});

describe('sales of a restaurant while hostile bodies arrive', () => {
  let scenario: Scenario;

  beforeAll(async () => {
    scenario = await Scenario.ofProcesses(EAGER);
  });
  afterAll(() => scenario.close());

  test('each is accepted, and the POS takes it exactly once', async () => {
    const relay = await scenario.startProcess();
    await relay.createRestaurant();
    await relay.createRestaurant({ codeStoreTerminal: 'CANARY', codeStorePos: '1002' });
    const token = await relay.login();
    const paths: [path: string, bearer: string][] = [
      ['/auth/login', ''],
      ['/restaurants', token],
      ['/webhooks/terminal', TERMINAL_TOKEN],
    ];
    const attackAll = async (body: string) => {
      for (const [path, bearer] of paths) {
        const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${bearer}` };
        const answer = await fetch(relay.url + path, { method: 'POST', headers, body });
        await answer.text();
      }
    };

    const sold: string[] = [];
    let hostile = true;
    const sell = async () => {
      while (hostile || sold.length < 100) {
        const transaction = sale({ storeCode: 'CANARY' });
        await relay.accept(transaction);
        sold.push(String(transaction.transactionKey));
      }
    };
    const attack = async () => {
      // four of each shape at once
      for (const shape of [...Object.values(SHAPES), ...Object.values(SALES)])
        await Promise.all([1, 2, 3, 4].map(() => attackAll(shape())));
      hostile = false;
    };
    await Promise.all([sell(), sell(), attack()]);
    const cooked = (key: string) => scenario.pos.orders.get(key)?.cooked;
    await scenario.pos.when(() => sold.every((key) => cooked(key)), 60_000);
    expect(sold.filter((key) => cooked(key) !== 1)).toEqual([]);
    expect(await relay.stop()).toBe(0);
  }, 180_000);
});
