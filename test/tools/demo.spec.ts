import { amountCents } from '../../src/domain/money.js';
import { parseSale } from '../../src/domain/sale.js';
import { partner } from '../../src/pos/vendors/partner/partner.js';
import { wantsColour } from '../../tools/command-line.js';
import { EVENING, POS_PRODUCTS, type Sale, transactionOf } from '../../tools/demo/evening.js';
import type { AttemptRecord, JobRecord } from '../../tools/demo/journey.js';
import { type Entry, paidCents } from '../../tools/demo/ledger.js';
import { ordersTable } from '../../tools/demo/lines.js';
import { nextSteps } from '../../tools/demo/next-steps.js';
import { readOptions } from '../../tools/demo/options.js';
import { painter } from '../../tools/demo/paint.js';
import { Progress } from '../../tools/demo/progress.js';
import { Reporter } from '../../tools/demo/reporter.js';

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
    dueInMs: 0,
    history: [],
    ...rest,
  };
}

function attempt(number: number, rest: Partial<AttemptRecord> = {}): AttemptRecord {
  return { number, endedAt: AT + number * 1_000, httpStatus: 200, outcome: 'SENT', error: null, ...rest };
}

const unavailable = attempt(1, { httpStatus: 503, outcome: 'FAILED', error: 'HTTP 503' });
const paint = painter(false);

describe('the evening', () => {
  const sales = EVENING.filter(({ expected }) => expected.state !== 'REFUSED');

  it.each(sales.map((sale) => [sale.what, sale] as const))('%s: maps to the amounts expected of it', (_, sale) => {
    const body = transactionOf(sale, new Date(AT));
    const parsed = parseSale(body, partner({ unknownTender: 'reject' }));
    if ('problems' in parsed) throw new Error(parsed.problems.join());
    const expected = 'discount' in sale.expected ? sale.expected : { ...sale.expected, discount: 0, increase: 0 };
    if (!('total' in expected)) throw new Error('a sale that is not refused has a total');
    expect(parsed.order).toMatchObject({
      total: amountCents(expected.total),
      discount: amountCents(expected.discount),
      surcharge: amountCents(expected.increase),
    });
  });

  it('has one sale with a product that the POS does not know: it is parked', () => {
    const strange = EVENING.filter(({ items }) => items.some(({ itemCode }) => !POS_PRODUCTS.includes(itemCode)));
    expect(strange.map(({ expected }) => expected.state)).toEqual(['DLQ']);
  });

  it('repeats one key, and uses each way to authenticate', () => {
    expect(EVENING.length - new Set(EVENING.map(({ transactionKey }) => transactionKey)).size).toBe(1);
    expect(new Set(EVENING.map(({ by }) => by))).toEqual(new Set(['signed', 'token', 'basic', 'jwt', 'body']));
  });
});

describe('the lines of an order', () => {
  function report(...looks: JobRecord[]): string[] {
    const lines: string[] = [];
    const reporter = new Reporter((line) => lines.push(line.replace(/^ \d\d:\d\d:\d\d {2}/, '')), paint);
    for (const look of looks) reporter.looked([look]);
    return lines;
  }

  it('each attempt is printed once, with the time to the next', () => {
    const failed = job({ status: 'FAILED', history: [unavailable], dueInMs: 30_400 });
    const healed = job({ status: 'SENT', history: [unavailable, attempt(2)] });
    expect(report(job(), failed, failed, healed)).toEqual([
      '1        attempt 1: FAILED, HTTP 503; next attempt in 31 s',
      '1        attempt 2: SENT, HTTP 200',
    ]);
  });

  it.each<[what: string, job: Partial<JobRecord>, attempt: AttemptRecord, line: string]>([
    [
      'a duplicate',
      { status: 'SENT' },
      attempt(2, { httpStatus: 400 }),
      'attempt 2: SENT, HTTP 400 duplicate: an earlier attempt had arrived',
    ],
    [
      'a parked order',
      { status: 'DLQ' },
      attempt(1, { httpStatus: 422, outcome: 'DLQ', error: 'HTTP 422: unknown' }),
      'attempt 1: parked, HTTP 422: unknown',
    ],
    ['a cancel', { action: 'CANCEL' }, attempt(1), 'attempt 1 to cancel: SENT, HTTP 200'],
  ])('says how an attempt ended: %s', (_, changes, ended, line) => {
    expect(report(job({ ...changes, history: [ended] }))).toEqual([`1        ${line}`]);
  });

  it('control characters are replaced', () => {
    expect(report(job({ sourceKey: '\u001b[2J', history: [attempt(1)] }))[0]).not.toContain('\u001b');
    expect(painter(true)('good', 'x')).toBe('\u001b[1;32mx\u001b[0m');
  });

  it('a table at the end: in the POS, parked with the error, or refused', () => {
    const [first, second, third] = EVENING.filter(({ trouble }) => !trouble) as [Sale, Sale, Sale];
    const entries: Entry[] = [
      { sale: first, isRepeat: false, answer: { status: 200, body: {} } },
      { sale: second, isRepeat: false, answer: { status: 200, body: {} } },
      { sale: third, isRepeat: true, answer: { status: 400, body: { code: 'DUPLICATE_TRANSACTION' } } },
    ];
    const jobs = [
      job({ status: 'SENT', history: [attempt(1)] }),
      job({ status: 'DLQ', lastError: 'HTTP 422: unknown' }),
    ];
    const [, sent, parked, refused] = ordersTable(entries, (entry) => jobs[entries.indexOf(entry)], paint).split('\n');
    expect(sent).toMatch(/^ 1001 +cash +55\.00 +signed +1 +in the POS$/);
    expect(parked).toMatch(/parked: HTTP 422: unknown$/);
    expect(refused).toMatch(/refused: 400 DUPLICATE_TRANSACTION$/);
  });

  it('colours follow NO_COLOR, FORCE_COLOR and the terminal', () => {
    expect(wantsColour({}, true)).toBe(true);
    expect(wantsColour({}, false)).toBe(false);
    expect(wantsColour({ NO_COLOR: '1' }, true)).toBe(false);
    expect(wantsColour({ FORCE_COLOR: '1' }, false)).toBe(true);
    expect(wantsColour({ FORCE_COLOR: '0' }, true)).toBe(false);
  });
});

it('a wrong option is refused in one line', () => {
  expect(readOptions(['--once'])).toMatchObject({ once: true, help: false });
  expect(() => readOptions(['--twice'])).toThrow("Unknown option '--twice'; try --help");
  expect(() => readOptions(['once'])).toThrow(/^[^\n]+; try --help$/);
});

it('adds payments in cents, and ignores values that are not positive amounts', () => {
  const amounts = [10.005, 0.1, -3, 0, Number.NaN, '5', null, undefined];
  expect(paidCents({ payments: amounts.map((amount) => ({ amount })) })).toBe(1011n);
});

describe('the commands to try next', () => {
  const addresses = {
    relayUrl: 'http://127.0.0.1:3000',
    posUrl: 'http://127.0.0.1:4010',
    token: 'a-token',
    login: { email: 'owner@roma.example', password: 'a-password' },
    restaurantId: 'restaurant-1',
  };

  it('names the order to cancel, and ends with the console and its sign-in', () => {
    const steps = nextSteps(addresses, painter(false));
    expect(steps).toContain('/restaurants/restaurant-1/orders/SALE-1001/cancel');
    const [address, signIn] = steps.split('\n').slice(-2);
    expect(address).toContain('http://127.0.0.1:3000/console/');
    expect(signIn).toContain('owner@roma.example, password a-password');
  });
});

it('a process makes progress while it logs or uses CPU time', () => {
  const progress = new Progress(process.pid);
  const first = progress.look();
  expect(first.sinceStart).toBeGreaterThanOrEqual(first.sinceMove);
  const before = process.cpuUsage().user;
  while (process.cpuUsage().user - before < 40_000);
  expect(progress.look().sinceMove).toBeLessThan(5);
});
