import { decimal, toCents } from '../../src/domain/money.js';
import { computeOrder } from '../../src/domain/order.js';
import { parseTransaction } from '../../src/domain/transaction.js';
import { partner } from '../../src/pos/vendors/partner/partner.js';
import { wantsColour } from '../../tools/command-line.js';
import { paidCents } from '../../tools/demo/board.js';
import { EVENING, POS_PRODUCTS, RESTAURANT, transactionOf } from '../../tools/demo/evening.js';
import { hasPsql, nextSteps } from '../../tools/demo/next-steps.js';
import { readOptions } from '../../tools/demo/options.js';
import { cut, painter, type Span, wantsLiveTable, widthOf } from '../../tools/demo/paint.js';
import { Progress } from '../../tools/demo/progress.js';
import { type AttemptRecord, countdown, type JobRecord, stepsOf } from '../../tools/demo/steps.js';
import { type Row, renderChain, renderChange, renderTable } from '../../tools/demo/table.js';

const AT = Date.UTC(2026, 0, 31, 20, 15, 3);

function job(rest: Partial<JobRecord> = {}): JobRecord {
  return {
    id: 'job-1',
    eventKey: 'SALE-1',
    sourceKey: 'SALE-1',
    action: 'CREATE',
    status: 'PENDING',
    attempts: rest.history?.length ?? 0,
    lastError: null,
    createdAt: AT,
    updatedAt: AT,
    dueInMs: 0,
    payload: {},
    history: [],
    ...rest,
  };
}

function attempt(number: number, rest: Partial<AttemptRecord>): AttemptRecord {
  const answered = { httpStatus: 200, errorCode: null, outcome: 'SENT' as const, error: null };
  return { number, startedAt: AT + number * 1_000, durationMs: 40, ...answered, ...rest };
}

const unavailable = attempt(1, { httpStatus: 503, errorCode: '503', outcome: 'FAILED', error: 'HTTP 503' });
const unknown = attempt(1, { httpStatus: 422, errorCode: '310', outcome: 'DLQ', error: 'HTTP 422: unknown' });

const text = (spans: readonly Span[]) => spans.map((span) => span.text).join('');
const chain = (record: JobRecord, columns = 200) => text(renderChain(stepsOf(record), columns));

describe('the evening', () => {
  const sales = EVENING.filter(({ expected }) => expected.state !== 'REFUSED');

  it.each(sales.map((sale) => [sale.what, sale] as const))('%s: maps to the amounts expected of it', (_, sale) => {
    const body = transactionOf(sale, new Date(AT));
    const parsed = parseTransaction(body);
    if ('problems' in parsed) throw new Error(parsed.problems.join());
    const { acceptsTender } = partner({ unknownTender: 'reject' });
    const context = {
      id: sale.transactionKey,
      store: RESTAURANT.codeStorePos,
      receivedAt: new Date(AT),
      acceptsTender,
    };
    const computed = computeOrder(parsed.transaction, context);
    const expected = 'discount' in sale.expected ? sale.expected : { ...sale.expected, discount: 0, increase: 0 };
    if (!('total' in expected)) throw new Error('a sale that is not refused has a total');
    expect(computed).toMatchObject({
      order: {
        total: toCents(decimal(expected.total)),
        discount: toCents(decimal(expected.discount)),
        surcharge: toCents(decimal(expected.increase)),
      },
    });
  });

  it('sells one product that the POS does not know, in the one sale that is to be parked', () => {
    const strange = EVENING.filter(({ items }) => items.some(({ itemCode }) => !POS_PRODUCTS.includes(itemCode)));
    expect(strange.map(({ expected }) => expected.state)).toEqual(['DLQ']);
  });

  it('repeats one key, and every way to sign in occurs', () => {
    expect(EVENING.length - new Set(EVENING.map(({ transactionKey }) => transactionKey)).size).toBe(1);
    expect(new Set(EVENING.map(({ by }) => by))).toEqual(new Set(['token', 'basic', 'jwt', 'body']));
  });
});

describe('a journey', () => {
  it('is read from the recorded attempts', () => {
    expect(chain(job())).toBe('PENDING');
    expect(chain(job({ status: 'PROCESSING', attempts: 1 }))).toBe('PENDING → PROCESSING');
    expect(chain(job({ status: 'SENT', history: [attempt(1, {})] }))).toBe('PENDING → PROCESSING → SENT ✓');
  });

  it('counts down to the next attempt', () => {
    const waiting = job({ status: 'FAILED', history: [unavailable], dueInMs: 30_400 });
    expect(chain(waiting)).toBe('PENDING → PROCESSING → FAILED (503, again in 31 s)');
    expect([99_000, 100_000, 0, -5].map(countdown)).toEqual([
      'again in 99 s',
      'again in 1:40 min',
      'again now',
      'again now',
    ]);
  });

  it('heals, and tells when the first attempt had arrived after all', () => {
    const lost = attempt(1, { httpStatus: null, errorCode: 'ECONNRESET', outcome: 'FAILED' });
    const duplicate = attempt(2, { httpStatus: 400, errorCode: '904' });
    expect(chain(job({ status: 'SENT', history: [lost, duplicate] }))).toBe(
      'PENDING → PROCESSING → FAILED cut off → PROCESSING → SENT ✓ it had arrived',
    );
  });

  it('shows the operator’s reset between two attempts, while and after it happens', () => {
    const parked = 'PENDING → PROCESSING → DLQ ✗';
    expect(chain(job({ status: 'DLQ', history: [unknown] }))).toBe(`${parked} HTTP 422: unknown`);
    expect(chain(job({ status: 'PENDING', attempts: 0, history: [unknown] }))).toBe(`${parked} → PENDING reset`);
    const again = attempt(1, { startedAt: AT + 9_000 });
    expect(chain(job({ status: 'SENT', history: [unknown, again] }))).toBe(
      `${parked} → PENDING reset → PROCESSING → SENT ✓`,
    );
  });

  it('loses its oldest states first where there is no room', () => {
    const healed = job({ status: 'SENT', history: [unavailable, attempt(2, {})] });
    expect(chain(healed, 40)).toBe('… → FAILED 503 → PROCESSING → SENT ✓');
    expect(chain(healed, 10)).toBe('… → SENT ✓');
    expect(chain(healed, 6)).toBe('… → S…');
  });
});

describe('the screen', () => {
  const row: Row = {
    key: '1',
    at: AT,
    id: '1006',
    what: 'two cards',
    amount: '79.80',
    by: 'token',
    steps: stepsOf(job({ status: 'FAILED', history: [unavailable], dueInMs: 30_400 })),
  };
  const view = {
    title: 'one evening',
    pos: { text: 'POS is up', tone: 'good' as const },
    elapsedMs: 65_000,
    footer: [],
    notes: [],
    asOf: AT,
  };

  it('has no line wider than the window, and leaves out the earliest rows of a long table', () => {
    const rows = Array.from({ length: 30 }, (_, i) => ({ ...row, key: String(i), id: String(i) }));
    for (const columns of [20, 40, 80, 100, 120]) {
      const lines = renderTable({ ...view, rows }, columns, 10);
      expect(Math.max(...lines.map(widthOf))).toBeLessThanOrEqual(columns);
      expect(lines).toHaveLength(15);
    }
    expect(renderTable({ ...view, rows }, 80, 10).map(text)).toContain(' … 21 earlier');
  });

  it('writes a change of state as one plain line', () => {
    const line = text(renderChange(row, row.steps.at(-1) as Row['steps'][number]));
    expect(line).toMatch(
      /^\d\d:\d\d:\d\d {2}1006 {3}two cards {14}79\.80 {2}token {2}FAILED {5}HTTP 503, again in 31 s$/,
    );
  });

  it('cuts between spans, and paints only when asked to', () => {
    const spans: Span[] = [
      { text: 'abc', tone: 'good' },
      { text: 'def', tone: 'bad' },
    ];
    expect([6, 5, 3, 1].map((columns) => text(cut(spans, columns)))).toEqual(['abcdef', 'abcd…', 'ab…', '…']);
    expect(painter(false)('good', 'x')).toBe('x');
    expect(painter(true)('good', 'x')).toBe('\u001b[1;32mx\u001b[0m');
  });

  it('respects NO_COLOR, FORCE_COLOR, CI and dumb terminals', () => {
    expect(wantsColour({}, true)).toBe(true);
    expect(wantsColour({}, false)).toBe(false);
    expect(wantsColour({ NO_COLOR: '1' }, true)).toBe(false);
    expect(wantsColour({ FORCE_COLOR: '1' }, false)).toBe(true);
    expect(wantsColour({ FORCE_COLOR: '0' }, true)).toBe(false);
    const environments = [{}, { NO_COLOR: '1' }, { CI: 'true' }, { TERM: 'dumb' }];
    expect(environments.map((env) => wantsLiveTable(env, true))).toEqual([true, false, false, false]);
  });
});

it('a bad flag gets one clear line', () => {
  expect(readOptions(['--once'])).toMatchObject({ once: true, help: false });
  expect(() => readOptions(['--twice'])).toThrow("Unknown option '--twice'; try --help");
  expect(() => readOptions(['once'])).toThrow(/^[^\n]+; try --help$/);
});

it('counts what was paid in cents, and ignores what is no amount above zero', () => {
  const amounts = [10.005, 0.1, -3, 0, Number.NaN, '5', null, undefined];
  expect(paidCents({ payments: amounts.map((amount) => ({ amount })) })).toBe(1011n);
});

describe('what to try next', () => {
  const addresses = {
    relayUrl: 'http://127.0.0.1:3000',
    posUrl: 'http://127.0.0.1:4010',
    token: 'a-token',
    login: { email: 'owner@roma.example', password: 'a-password' },
    restaurantId: 'restaurant-1',
    databaseFolder: '/tmp/relay',
    parkedJob: 'job-1',
  };

  it('tells a login, and what can be done with it', () => {
    const steps = nextSteps(addresses, false, painter(false));
    expect(steps).toContain('owner@roma.example, password a-password');
    expect(steps).toContain('/restaurants/restaurant-1/orders/SALE-1001/cancel');
  });

  it('ends with the address of the console and a sign-in there', () => {
    const [address, signIn] = nextSteps(addresses, false, painter(false)).split('\n').slice(-2);
    expect(address).toContain('http://127.0.0.1:3000/console/');
    expect(signIn).toContain('owner@roma.example, password a-password');
  });

  it('needs no psql, and uses it where there is one', () => {
    expect(nextSteps(addresses, false, painter(false))).not.toContain('psql');
    expect(nextSteps(addresses, true, painter(false))).toContain('-v job=job-1');
    expect(hasPsql({ PATH: '/nowhere' })).toBe(false);
    expect(hasPsql({})).toBe(false);
  });
});

it('a process gets on while it logs or uses the processor', () => {
  const progress = new Progress(process.pid);
  const first = progress.look();
  expect(first.sinceStart).toBeGreaterThanOrEqual(first.sinceMove);
  const before = process.cpuUsage().user;
  while (process.cpuUsage().user - before < 40_000);
  expect(progress.look().sinceMove).toBeLessThan(5);
});
