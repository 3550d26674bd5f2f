import { centsOf, money } from '../simulator/amounts.js';
import type { PosSimulator } from '../simulator/simulator.js';
import { type Board, type Entry, paidCents } from './board.js';
import { EVENING, shortId } from './evening.js';
import { type Tone, wrap } from './paint.js';
import type { Screen } from './screen.js';

/** Everything of the evening that is not as it must be; empty: all is well. */
export function problemsOf(board: Board, pos: PosSimulator): string[] {
  const missing = EVENING.length - board.entries.length;
  return [
    ...(missing > 0 ? [`${missing} of ${EVENING.length} sales were not sent`] : []),
    ...board.entries.flatMap((entry) => {
      const problem = problemOf(entry, board, pos);
      return problem ? [`${shortId(entry.sale.transactionKey)} (${entry.sale.what}): ${problem}`] : [];
    }),
    ...strangers(board, pos),
    ...moneyProblem(board, pos),
  ];
}

/** True when nothing of the evening is under way any more. */
export function isSettled(board: Board): boolean {
  return board.entries.every((entry) => {
    const status = board.jobOf(entry)?.status;
    return status ? status === 'SENT' || status === 'DLQ' : entry.answer !== undefined && entry.answer.status !== 200;
  });
}

/** What the evening came to, in a few lines. */
export function summary(board: Board, pos: PosSimulator, { paint, columns }: Screen): string {
  const { sent, parked, refused } = parts(board);
  const { taken, registered, waiting, tests } = moneyOf(board, pos);
  const healed = sent.filter(({ sale }) => sale.trouble).length;
  const line = (tone: Tone, name: string, text: string) => {
    const indent = `\n${' '.repeat(name.length + 3)}`;
    return ` ${paint(tone, name)}  ${wrap(text, columns - name.length - 3).join(indent)}`;
  };
  const count = (entries: readonly Entry[]) => String(entries.length).padStart(2);
  const why = (entry: Entry) => `${shortId(entry.sale.transactionKey)}: ${board.jobOf(entry)?.lastError}`;
  const answer = ({ sale, answer }: Entry) => `${sale.what}: ${answer?.status} ${answer?.body.code}`;
  return [
    paint('strong', ' What became of it'),
    '',
    line('good', `✓ ${count(sent)} sent   `, `cooked exactly once each, ${healed} of them after a trouble of the POS`),
    line('bad', `✗ ${count(parked)} parked `, parked.map(why).join('; ')),
    line('bad', `✗ ${count(refused)} refused`, refused.map(answer).join('; ')),
    line(
      'strong',
      '=    money  ',
      `${money(taken)} taken = ${money(registered)} in the POS + ${money(waiting)} parked`,
    ),
    line('dim', '     test   ', `${money(tests)} in the POS's test orders, which is nobody's money`),
  ].join('\n');
}

/** The entries by where they ended. */
export function parts(board: Board): Record<'sent' | 'parked' | 'refused', Entry[]> {
  const ended = (status: string) => board.entries.filter((entry) => board.jobOf(entry)?.status === status);
  const refused = board.entries.filter(({ answer }) => answer !== undefined && answer.status !== 200);
  return { sent: ended('SENT'), parked: ended('DLQ'), refused };
}

function problemOf(entry: Entry, board: Board, pos: PosSimulator): string | undefined {
  const { expected, trouble } = entry.sale;
  if (expected.state === 'REFUSED') {
    const answered = `${entry.answer?.status} ${entry.answer?.body.code}`;
    const wanted = `${expected.status} ${expected.code}`;
    return answered === wanted ? undefined : `answered ${answered}, not ${wanted}`;
  }
  const job = board.jobOf(entry);
  if (job?.status !== expected.state)
    return `is ${job?.status ?? `answered ${entry.answer?.status}`}, not ${expected.state}${job?.lastError ? ` (${job.lastError})` : ''}`;
  const ticket = pos.orders.get(job.eventKey);
  if (expected.state === 'DLQ') {
    if (ticket) return 'is parked, and yet the kitchen has it';
    return expected.error.test(job.lastError ?? '') ? undefined : `is parked for another reason: ${job.lastError}`;
  }
  if (ticket?.cooked !== 1) return `the kitchen cooked it ${ticket?.cooked ?? 0} times`;
  if (trouble && job.history.length < 2) return 'was to meet a POS in trouble, and did not';
  const { total_amount, total_discount, total_increase } = ticket.order;
  const got = [total_amount, total_discount, total_increase].map((amount) => money(centsOf(amount))).join(', ');
  const wanted = [expected.total, expected.discount, expected.increase]
    .map((amount) => money(centsOf(amount)))
    .join(', ');
  return got === wanted ? undefined : `total, discount, increase are ${got}, not ${wanted}`;
}

function strangers(board: Board, pos: PosSimulator): string[] {
  const known = new Set(board.entries.map((entry) => board.jobOf(entry)?.eventKey));
  return [...pos.orders.keys()].filter((id) => !known.has(id)).map((id) => `the kitchen has ${id}, which nobody sent`);
}

function moneyProblem(board: Board, pos: PosSimulator): string[] {
  const { taken, registered, waiting } = moneyOf(board, pos);
  if (taken === registered + waiting) return [];
  return [`${money(taken)} was taken, but ${money(registered)} is in the POS and ${money(waiting)} parked`];
}

function moneyOf(board: Board, pos: PosSimulator) {
  const add = (parts: readonly bigint[]) => parts.reduce((total, part) => total + part, 0n);
  const inPos = (entry: Entry) => {
    const ticket = pos.orders.get(board.jobOf(entry)?.eventKey ?? '');
    return ticket ? centsOf(ticket.order.total_amount) * BigInt(ticket.cooked) : 0n;
  };
  const real = board.entries.filter(({ sale, isRepeat }) => !sale.isTest && !isRepeat);
  const tests = board.entries.filter(({ sale }) => sale.isTest);
  return {
    taken: add(real.map(({ sale }) => paidCents(sale))),
    registered: add(real.map(inPos)),
    waiting: add(parts(board).parked.map(({ sale }) => paidCents(sale))),
    tests: add(tests.map(inPos)),
  };
}
