import { centsOf, money } from '../simulator/amounts.js';
import type { PosSimulator } from '../simulator/simulator.js';
import { EVENING, shortId } from './evening.js';
import { type Entry, type Ledger, paidCents } from './ledger.js';

/** Differences from the expected end of the evening; empty when there are none. */
export function problemsOf(ledger: Ledger, pos: PosSimulator): string[] {
  const missing = EVENING.length - ledger.entries.length;
  return [
    ...(missing > 0 ? [`${missing} of ${EVENING.length} sales were not sent`] : []),
    ...ledger.entries.flatMap((entry) => {
      const problem = problemOf(entry, ledger, pos);
      return problem ? [`${shortId(entry.sale.transactionKey)} (${entry.sale.what}): ${problem}`] : [];
    }),
    ...strangers(ledger, pos),
    ...moneyProblem(ledger, pos),
  ];
}

/** Whether every sale is SENT, parked or refused. */
export function isSettled(ledger: Ledger): boolean {
  return ledger.entries.every((entry) => {
    const status = ledger.jobOf(entry)?.status;
    return status ? status === 'SENT' || status === 'DLQ' : entry.answer !== undefined && entry.answer.status !== 200;
  });
}

/** The sums of the evening in two lines. */
export function moneyLines(ledger: Ledger, pos: PosSimulator): string {
  const { taken, registered, waiting, tests } = moneyOf(ledger, pos);
  return [
    ` ${money(taken)} taken = ${money(registered)} in the POS + ${money(waiting)} parked`,
    ` ${money(tests)} of a test transaction is in the POS, and does not count as takings`,
  ].join('\n');
}

function problemOf(entry: Entry, ledger: Ledger, pos: PosSimulator): string | undefined {
  const { expected, trouble } = entry.sale;
  if (expected.state === 'REFUSED') {
    const answered = `${entry.answer?.status} ${entry.answer?.body.code}`;
    const wanted = `${expected.status} ${expected.code}`;
    return answered === wanted ? undefined : `answered ${answered}, not ${wanted}`;
  }
  const job = ledger.jobOf(entry);
  if (job?.status !== expected.state)
    return `is ${job?.status ?? `answered ${entry.answer?.status}`}, not ${expected.state}${job?.lastError ? ` (${job.lastError})` : ''}`;
  const ticket = pos.orders.get(job.eventKey);
  if (expected.state === 'DLQ') {
    if (ticket) return 'is parked, but the POS has it';
    return expected.error.test(job.lastError ?? '') ? undefined : `is parked with another error: ${job.lastError}`;
  }
  if (ticket?.cooked !== 1) return `the POS accepted it ${ticket?.cooked ?? 0} times`;
  if (trouble && job.history.length < 2) return 'has one attempt only, although the POS failed';
  const { total_amount, total_discount, total_increase } = ticket.order;
  const got = [total_amount, total_discount, total_increase].map((amount) => money(centsOf(amount))).join(', ');
  const wanted = [expected.total, expected.discount, expected.increase]
    .map((amount) => money(centsOf(amount)))
    .join(', ');
  return got === wanted ? undefined : `total, discount, increase are ${got}, not ${wanted}`;
}

function strangers(ledger: Ledger, pos: PosSimulator): string[] {
  const known = new Set(ledger.entries.map((entry) => ledger.jobOf(entry)?.eventKey));
  return [...pos.orders.keys()].filter((id) => !known.has(id)).map((id) => `the POS has ${id}, which was not sent`);
}

function moneyProblem(ledger: Ledger, pos: PosSimulator): string[] {
  const { taken, registered, waiting } = moneyOf(ledger, pos);
  if (taken === registered + waiting) return [];
  return [`${money(taken)} was taken, but ${money(registered)} is in the POS and ${money(waiting)} parked`];
}

function moneyOf(ledger: Ledger, pos: PosSimulator) {
  const add = (parts: readonly bigint[]) => parts.reduce((total, part) => total + part, 0n);
  const inPos = (entry: Entry) => {
    const ticket = pos.orders.get(ledger.jobOf(entry)?.eventKey ?? '');
    return ticket ? centsOf(ticket.order.total_amount) * BigInt(ticket.cooked) : 0n;
  };
  const real = ledger.entries.filter(({ sale, isRepeat }) => !sale.isTest && !isRepeat);
  const tests = ledger.entries.filter(({ sale }) => sale.isTest);
  return {
    taken: add(real.map(({ sale }) => paidCents(sale))),
    registered: add(real.map(inPos)),
    waiting: add(
      ledger.entries.filter((entry) => ledger.jobOf(entry)?.status === 'DLQ').map(({ sale }) => paidCents(sale)),
    ),
    tests: add(tests.map(inPos)),
  };
}
