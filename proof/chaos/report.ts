import { casesOf, cookings, type OrderCase } from './cases.js';
import { acceptedAt, CLUSTER_FAULTS, cancelAcceptedAt, type Fault, type History } from './history.js';
import { RULES } from './rules.js';
import { type Run, STATED_MS } from './run.js';
import type { Verdict } from './verdict.js';

/** Histories that are printed whole; further ones are named only. */
const MOST_HISTORIES = 10;
const AROUND_MS = 1_000;

/** The verdict as text, with the history of every order that breaks a rule. */
export function reportOf(verdict: Verdict, done: Run, more: readonly string[] = []): string[] {
  const { history } = done;
  const broken = [...new Set(verdict.violations.map(({ key }) => key))];
  const cases = casesOf(history).orders.filter(({ order }) => broken.includes(order.key));
  return [
    '',
    ...figures(verdict, done),
    ...more,
    '',
    ...RULES.map((rule) => line(rule, verdict.violations.filter((violation) => violation.rule === rule).length)),
    line('crashed', done.crashes.length),
    ...done.crashes.map((text) => `    ${text}`),
    '',
    ...reasons(verdict),
    ...verdict.violations.slice(0, 100).map(({ rule, key, text }) => `BROKEN ${rule}: ${key}: ${text}`),
    ...cases.slice(0, MOST_HISTORIES).flatMap((one) => ['', ...historyOf(one, history)]),
  ];
}

function figures(verdict: Verdict, done: Run): string[] {
  const { history } = done;
  const count = (kind: Fault['kind']) => history.faults.filter((fault) => fault.kind === kind).length;
  const unanswered = history.orders.flatMap(({ posts }) => posts).filter(({ status }) => status === null).length;
  const recorded = (wanted: string) => history.recorded.filter(({ state }) => state === wanted).length;
  const of = (status: number) =>
    history.orders.flatMap(({ posts }) => posts).filter((post) => post.status === status).length;
  return [
    `faults: ${count('kill')} kill -9, ${count('stop')} SIGSTOP, ${count('term')} SIGTERM, ${count('restart')} database crashes, ${count('failover')} failovers,`,
    `        ${count('pos')} faults of the POS, ${count('lossy')} times lossy and ${count('half-open')} times dead connections (${done.answersLost} answers lost), ${count('crowd')} times no connections, ${count('locks')} locks,`,
    `        ${count('role')} hostile roles, ${count('disk')} full disks, ${count('descriptors')} times no descriptors, ${count('refused')} tenants with refused rows, ${count('viewers')} times viewers (${history.bystanders.length} answers),`,
    `        ${count('held')} times commits held, ${count('settings')} times wrong settings, ${count('bodies')} times big bodies of nobody, ${count('files')} times files,`,
    `        ${CLUSTER_FAULTS.map((kind) => `${count(kind)} ${kind}`).join(', ')} of a cluster,`,
    `        ${done.resets} jobs reset by the operator, ${done.resetsRefused} refused; ${count('ended')} instances gave up by themselves, ${count('stall')} stalls of the machine`,
    `terminals: ${of(200)} answers 200, ${of(400)} duplicates, ${of(503)} 503, ${of(500)} 500, ${unanswered} without an answer`,
    line('sales', verdict.sent),
    line(
      'accepted',
      verdict.accepted,
      `${verdict.answeredAsDuplicate} of them by the refusal of a duplicate: the 200 was lost`,
    ),
    line('delivered', verdict.delivered),
    line('cancels accepted', verdict.cancelsAccepted),
    line(
      'receipts',
      [...history.receipts.values()].reduce((sum, { size }) => sum + size, 0),
      'in the lists of receipts',
    ),
    line('offers', history.offers.length, `to ${history.pullingStores.size} POSs that pull; ${faultsOfPolls(done)}`),
    line('confirmed', recorded('ACCEPTED'), 'by POSs that pull'),
    line('refused', recorded('REFUSED'), `by POSs that pull, and offered again; ${repeated(done)}`),
    line('doubled, explained', verdict.doubles.filter(({ reason }) => reason !== null).length),
    `after the last fault, with nothing in backoff, every order was at its end within ${Math.round(verdict.slowestMs)} ms`,
    `(lease + reaper + tick + POS deadline: ${STATED_MS} ms); ${done.failedLate} jobs failed meanwhile and were reset`,
  ];
}

function faultsOfPolls({ pullFaults, history }: Run): string {
  const polls = history.bystanders.filter(({ who, path }) => who === 'POS that pulls' && path.endsWith(':polling'));
  const answered = polls.filter(({ status }) => status === 200 || status === 204).length;
  const each = Object.entries(pullFaults).map(([fault, times]) => `${times} times ${fault}`);
  return [`${answered} of ${polls.length} polls answered`, ...each.toSorted()].join(', ');
}

function repeated({ history: { statements } }: Run): string {
  const said = new Set(statements.map(({ state, text }) => `${state} ${text}`)).size;
  const unanswered = statements.filter(({ status }) => status === null || status >= 500).length;
  return `${statements.length} calls for ${said} confirmations and refusals, ${unanswered} without an answer or with a 5xx`;
}

function reasons({ doubles }: Verdict): string[] {
  const counts = new Map<string, number>();
  for (const { reason } of doubles) if (reason) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts]
    .toSorted(([, one], [, other]) => other - one)
    .map(([reason, count]) => `doubled ${count} x: ${reason}`);
}

/** Everything that is known of an order, by time. */
function historyOf(one: OrderCase, { faults }: History): string[] {
  const { order, moves, attempts, calls, statements, recorded, offers } = one;
  const entries: [number, string][] = [
    ...[
      ...order.posts.map((call) => ['sale', call] as const),
      ...order.cancels.map((call) => ['cancel', call] as const),
    ].map(([what, { at, until, instance, status, code, jobId }]): [number, string] => [
      at,
      `client    ${what} to instance ${instance}: ${status ?? 'no answer'} ${code ?? ''} ${jobId ?? ''} after ${until - at} ms`,
    ]),
    ...moves.map(({ at, action, from, to, fromLock, toLock, toAttempts, tx }): [number, string] => [
      at,
      `job       ${action} ${from ?? 'stored'} -> ${to}, attempts ${toAttempts}, lock ${fromLock ?? '-'} -> ${toLock ?? '-'} (tx ${tx})`,
    ]),
    ...attempts.map(
      ({ startedAt, number, id, durationMs, outcome, reach, httpStatus, errorCode, error }): [number, string] => [
        startedAt,
        `attempt   ${number} (${id}): ${outcome}, ${reach}, HTTP ${httpStatus}, ${errorCode}, ${durationMs} ms: ${error}`,
      ],
    ),
    ...offers.map(({ at, store, eventId, eventType }): [number, string] => [
      at,
      `POS       ${store} polls, and is offered ${eventType} as ${eventId}`,
    ]),
    ...statements.map(({ at, until, state, text, status, code }): [number, string] => [
      at,
      `POS       says ${state} ${text}: ${status ?? 'no answer'} ${code ?? ''} after ${until - at} ms`,
    ]),
    ...recorded.map(({ at, offer, state, text, tx }): [number, string] => [
      at,
      `recorded  ${state} ${text} of offer ${offer} (tx ${tx})`,
    ]),
    ...calls.map(({ at, kind, pid, treatment, effect, status, answeredAt }): [number, string] => [
      at,
      `POS       ${kind} from process ${pid}, ${treatment}: ${effect ?? 'nothing done'}, answered ${answeredAt === null ? 'never' : `${status} after ${answeredAt - at} ms`}`,
    ]),
  ];
  const from = Math.min(...entries.map(([at]) => at)) - AROUND_MS;
  const until = Math.max(...entries.map(([at]) => at)) + AROUND_MS;
  const around = faults.filter((fault) => fault.at < until && fault.until > from);
  entries.push(
    ...around.map((fault): [number, string] => [fault.at, `fault     ${fault.text} (until ${clock(fault.until)})`]),
  );
  return [
    `history of ${order.key}, store ${order.store}, ${order.testMode ? 'test, ' : ''}accepted ${clock(acceptedAt(order))}, cancel accepted ${clock(cancelAcceptedAt(order))}, cooked ${cookings(one).length} times`,
    ...entries.toSorted(([one], [other]) => one - other).map(([at, text]) => `  ${clock(at)}  ${text}`),
  ];
}

function clock(at: number | null): string {
  return at === null || !Number.isFinite(at) ? 'never' : new Date(at).toISOString().slice(11, 23);
}

function line(name: string, count: number, more = ''): string {
  return `${String(count).padStart(7)}  ${name}${more ? ` (${more})` : ''}`;
}
