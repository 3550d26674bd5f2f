import { amountCents } from '../../src/domain/money.js';
import { parseSale } from '../../src/domain/sale.js';
import { partner } from '../../src/pos/vendors/partner/partner.js';
import { EVENING, POS_PRODUCTS, transactionOf } from '../../tools/demo/evening.js';
import type { AttemptRecord, JobRecord } from '../../tools/demo/journey.js';
import { paidCents } from '../../tools/demo/ledger.js';
import { painter } from '../../tools/demo/paint.js';
import { Progress } from '../../tools/demo/progress.js';
import { Reporter } from '../../tools/demo/reporter.js';

const AT = Date.UTC(2026, 0, 31, 20, 15, 3);

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

it('each attempt is printed once, with the time to the next, without control characters', () => {
  const lines: string[] = [];
  const reporter = new Reporter((line) => lines.push(line.replace(/^ \d\d:\d\d:\d\d {2}/, '')), painter(false));
  const attempt = (number: number, rest: Partial<AttemptRecord> = {}): AttemptRecord => ({
    ...{ number, endedAt: AT + number * 1_000, httpStatus: 200, outcome: 'SENT', error: null, isEarly: false, ...rest },
  });
  const look = (status: JobRecord['status'], ...history: AttemptRecord[]) =>
    reporter.looked([
      {
        ...{ id: 'job-1', eventKey: 'SALE-1', sourceKey: 'SALE-\u001b[2J1', action: 'CREATE', lastError: null },
        ...{ status, attempts: history.length, createdAt: AT, dueInMs: 30_400, history },
      },
    ]);
  const failed = attempt(1, { httpStatus: 503, outcome: 'FAILED', error: 'HTTP 503' });
  look('PENDING');
  look('FAILED', failed);
  look('FAILED', failed);
  look('SENT', failed, attempt(2, { isEarly: true }));
  expect(lines).toEqual([
    expect.stringMatching(/ attempt 1: FAILED, HTTP 503; next attempt in 31 s$/),
    expect.stringMatching(/ attempt 2 \(the POS is back: sent early\): SENT, HTTP 200$/),
  ]);
  expect(lines.join()).not.toContain('\u001b');
});

it('adds payments in cents, and ignores values that are not positive amounts', () => {
  const amounts = [10.005, 0.1, -3, 0, Number.NaN, '5', null, undefined];
  expect(paidCents({ payments: amounts.map((amount) => ({ amount })) })).toBe(1011n);
});

it('a process makes progress while it logs or uses CPU time', () => {
  const progress = new Progress(process.pid);
  const first = progress.look();
  expect(first.sinceStart).toBeGreaterThanOrEqual(first.sinceMove);
  const before = process.cpuUsage().user;
  while (process.cpuUsage().user - before < 40_000);
  expect(progress.look().sinceMove).toBeLessThan(5);
});
