import {
  type AttemptRow,
  type AttemptWrite,
  type BystanderCall,
  type ClientCall,
  type ClientOrder,
  contentOf,
  type Fault,
  type History,
  type JobRow,
  type MoveRow,
  type Offer,
  type PosCall,
} from '../../proof/chaos/history.js';
import type { Recorded, Statement } from '../../proof/chaos/statements.js';

type Writable<T> = { -readonly [Field in keyof T]: T[Field] };

const LEASE_MS = 6_000;
const PID = 100;

/** Builds the history of one order, step by step; each step takes 10 ms. Tests change what a step returns. */
export class OrderHistory {
  now = 1_000_000;
  readonly order: Writable<ClientOrder>;
  readonly pos: PosCall[] = [];
  readonly jobs: Writable<JobRow>[] = [];
  readonly attempts: Writable<AttemptRow>[] = [];
  readonly moves: Writable<MoveRow>[] = [];
  readonly attemptWrites: Writable<AttemptWrite>[] = [];
  readonly bystanders: BystanderCall[] = [];
  /** undefined: every receipt that the jobs call for */
  receipts: Map<string, Set<string>> | undefined;
  readonly faults: Fault[] = [];
  readonly strictStores = new Set<string>();
  readonly offers: Offer[] = [];
  readonly statements: Writable<Statement>[] = [];
  readonly recorded: Writable<Recorded>[] = [];
  readonly pullingStores = new Set<string>();
  private number = 0;

  constructor(readonly key = 'C-1') {
    const content = contentOf('POS-1', 1_250, [{ code: 'PZ-01', quantity: 1, price: 12.5 }]);
    this.order = { key, testMode: false, content, store: 'POS-1', posts: [], cancels: [] };
  }

  get history(): History {
    const { pos, jobs, attempts, moves, attemptWrites, bystanders, faults, strictStores } = this;
    const processes = new Map([
      [PID, 0],
      [200, 1],
    ]);
    const rest = { processes, quietAt: 0, leaseMs: LEASE_MS, posTimeoutMs: 1_500 };
    const all = new Map([
      ['job-CREATE', new Set(['order.stored', 'order.delivered', 'order.accepted', 'order.cancelled'])],
    ]);
    const receipts = this.receipts ?? all;
    const seen = { orders: [this.order], pos, jobs, attempts, moves, attemptWrites, bystanders, receipts };
    const { offers, pullingStores, statements, recorded } = this;
    return { ...seen, faults, strictStores, offers, pullingStores, statements, recorded, ...rest };
  }

  /** The webhook answers; 200 stores the job. */
  post(status: number | null, code: string | null = null): void {
    if (status === 200) this.store('CREATE');
    this.order.posts.push(this.call(status, code, status === 200 ? 'job-CREATE' : null));
  }

  /** A cancel is accepted. */
  cancel(): void {
    this.store('CANCEL');
    this.order.cancels.push(this.call(202, null, 'job-CANCEL'));
  }

  store(action: JobRow['action']): void {
    const { key } = this;
    const fields = { eventKey: key, sourceKey: key, testMode: false, action, attempts: 0, withdrawn: false };
    this.jobs.push({ id: `job-${action}`, status: 'PENDING', lastError: null, ...fields });
    this.move(action, null, 'PENDING');
  }

  /** A worker claims the job. @returns the claim id */
  claim(action: JobRow['action'] = 'CREATE', pid = PID, holder = `host:${pid}`): string {
    const job = this.job(action);
    job.attempts += 1;
    const claim = `${holder}/claim-${++this.number}`;
    this.move(action, job.status, 'PROCESSING', { toLock: claim, fromAttempts: job.attempts - 1 });
    return claim;
  }

  /** The POS accepts the order. @param answered false: its answer is lost */
  cook({ pid = PID, content = this.order.content as string | null, answered = true, orderId = this.key } = {}): void {
    this.reach('order', 'cooked', { pid, content, answered, orderId });
  }

  /** The POS accepts the cancel. */
  cancelAtPos(): void {
    this.reach('cancel', 'cancelled', { pid: PID, content: null, answered: true, orderId: this.key });
  }

  /** The worker settles the job and its attempt. */
  settle(claim: string, to: 'SENT' | 'FAILED' | 'DLQ', action: JobRow['action'] = 'CREATE'): Writable<AttemptRow> {
    this.move(action, 'PROCESSING', to, { fromLock: claim, heldMs: 20 });
    const outcome = to === 'SENT' ? { reach: 'ANSWERED', httpStatus: 200 } : { reach: 'UNKNOWN', httpStatus: null };
    return this.write(claim, action, to, outcome);
  }

  /** The reaper returns the job `heldMs` after its claim. */
  expire(claim: string, heldMs = LEASE_MS + 5): void {
    this.now += heldMs;
    this.move('CREATE', 'PROCESSING', 'PENDING', { fromLock: claim, heldMs });
    this.write(claim, 'CREATE', 'LOST', { reach: 'UNKNOWN', httpStatus: null });
  }

  /** A worker claims the order, the POS accepts it, and the worker settles it. */
  deliver(call: Parameters<OrderHistory['cook']>[0] = {}): void {
    const claim = this.claim('CREATE', call.pid);
    this.cook(call);
    this.settle(claim, 'SENT');
  }

  /** A POS that pulls confirms or refuses the order, and the relay records it; a refusal parks the order. @param status null: the answer is lost */
  say(state: Statement['state'], text = state.toLowerCase(), status: number | null = 202): void {
    this.callOf(state, text, status);
    const offer = this.recorded.filter((row) => row.state === 'REFUSED').length;
    const { at, tx } = state === 'REFUSED' ? this.move('CREATE', this.job('CREATE').status, 'DLQ') : this.moment();
    this.recorded.push({ at, tx, jobId: 'job-CREATE', offer, state, text });
  }

  /** An operator resets the order. */
  reset(): void {
    this.move('CREATE', this.job('CREATE').status, 'PENDING', { toAttempts: 0 });
    this.job('CREATE').attempts = 0;
  }

  move(action: JobRow['action'], from: string | null, to: string, more: Partial<MoveRow> = {}): Writable<MoveRow> {
    const job = this.job(action);
    job.status = to;
    const { id: jobId, attempts } = job;
    const locks = { fromLock: null, toLock: null, heldMs: null, withdrawn: false };
    const counts = { fromAttempts: attempts, toAttempts: attempts };
    const at = this.step();
    const id = this.moves.length;
    const move = { id, at, tx: `tx-${at}`, jobId, eventKey: this.key, action, from, to, ...counts, ...locks, ...more };
    this.moves.push(move);
    return move;
  }

  private write(
    claim: string,
    action: JobRow['action'],
    outcome: string,
    answer: Pick<AttemptRow, 'reach' | 'httpStatus'>,
  ): Writable<AttemptRow> {
    const id = claim.slice(claim.indexOf('/') + 1);
    const { at, tx } = this.moves.at(-1) as MoveRow;
    const jobId = `job-${action}`;
    this.attemptWrites.push({ at, tx, attemptId: id, jobId, was: null, outcome });
    const startedAt = (this.moves.findLast(({ toLock }) => toLock === claim) as MoveRow).at;
    const { attempts: number } = this.job(action);
    const timing = { startedAt, durationMs: at - startedAt, errorCode: null, error: null };
    const attempt = { id, jobId, number, outcome, ...timing, ...answer };
    this.attempts.push(attempt);
    return attempt;
  }

  private reach(
    kind: PosCall['kind'],
    effect: PosCall['effect'],
    { pid, content, answered, orderId }: { pid: number; content: string | null; answered: boolean; orderId: string },
  ): void {
    const at = this.step();
    const ending = { status: answered ? 200 : null, answeredAt: answered ? at : null };
    const call = { at, kind, orderId, store: 'POS-1', pid, treatment: 'well', effect, doneAt: at, content };
    this.pos.push({ ...call, ...ending });
  }

  private call(status: number | null, code: string | null, jobId: string | null): ClientCall {
    const at = this.step();
    return { at, until: at, instance: 0, status, code, jobId };
  }

  private job(action: JobRow['action']): Writable<JobRow> {
    return this.jobs.find((job) => job.action === action) as Writable<JobRow>;
  }

  /** A POS that pulls says it, and the relay records nothing. */
  callOf(state: Statement['state'], text: string, status: number | null): void {
    const at = this.step();
    this.statements.push({ at, until: at, store: 'POS-1', orderId: 'job-CREATE', state, text, status, code: null });
  }

  private moment(): Pick<MoveRow, 'at' | 'tx'> {
    const at = this.step();
    return { at, tx: `tx-${at}` };
  }

  private step(): number {
    this.now += 10;
    return this.now;
  }
}
