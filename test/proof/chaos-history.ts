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
  type PosCall,
} from '../../proof/chaos/history.js';

type Writable<T> = { -readonly [Field in keyof T]: T[Field] };

const LEASE_MS = 6_000;
const PID = 100;

/** Writes the history of a run of one order, step by step; each step takes 10 ms, and what it returns may be falsified. */
export class ToldHistory {
  now = 1_000_000;
  readonly order: Writable<ClientOrder>;
  readonly pos: PosCall[] = [];
  readonly jobs: Writable<JobRow>[] = [];
  readonly attempts: Writable<AttemptRow>[] = [];
  readonly moves: Writable<MoveRow>[] = [];
  readonly attemptWrites: Writable<AttemptWrite>[] = [];
  readonly bystanders: BystanderCall[] = [];
  readonly faults: Fault[] = [];
  readonly strictStores = new Set<string>();
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
    const seen = { orders: [this.order], pos, jobs, attempts, moves, attemptWrites, bystanders };
    return { ...seen, faults, strictStores, ...rest };
  }

  /** The terminal was answered so; 200: with the job, which is stored. */
  post(status: number | null, code: string | null = null): void {
    if (status === 200) this.store('CREATE');
    this.order.posts.push(this.call(status, code, status === 200 ? 'job-CREATE' : null));
  }

  /** Staff were told that the cancel will be carried out. */
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

  /** A worker takes the job. @returns its claim */
  lock(action: JobRow['action'] = 'CREATE', pid = PID): string {
    const job = this.job(action);
    job.attempts += 1;
    const lock = `host:${pid}/claim-${++this.number}`;
    this.move(action, job.status, 'PROCESSING', { toLock: lock, fromAttempts: job.attempts - 1 });
    return lock;
  }

  /** The POS takes the order, and its answer goes out at once, or never. */
  cook({ pid = PID, content = this.order.content as string | null, answered = true, orderId = this.key } = {}): void {
    this.reach('order', 'cooked', { pid, content, answered, orderId });
  }

  /** The POS takes the cancel. */
  cancelAtPos(): void {
    this.reach('cancel', 'cancelled', { pid: PID, content: null, answered: true, orderId: this.key });
  }

  /** The holder of a lock ends its claim; the attempt is written with it. */
  settle(lock: string, to: 'SENT' | 'FAILED' | 'DLQ', action: JobRow['action'] = 'CREATE'): Writable<AttemptRow> {
    this.move(action, 'PROCESSING', to, { fromLock: lock, heldMs: 20 });
    const outcome = to === 'SENT' ? { reach: 'ANSWERED', httpStatus: 200 } : { reach: 'UNKNOWN', httpStatus: null };
    return this.write(lock, action, to, outcome);
  }

  /** The reaper returns the job after `heldMs`. */
  expire(lock: string, heldMs = LEASE_MS + 5): void {
    this.now += heldMs;
    this.move('CREATE', 'PROCESSING', 'PENDING', { fromLock: lock, heldMs });
    this.write(lock, 'CREATE', 'LOST', { reach: 'UNKNOWN', httpStatus: null });
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
    lock: string,
    action: JobRow['action'],
    outcome: string,
    answer: Pick<AttemptRow, 'reach' | 'httpStatus'>,
  ): Writable<AttemptRow> {
    const id = lock.slice(lock.indexOf('/') + 1);
    const { at, tx } = this.moves.at(-1) as MoveRow;
    const jobId = `job-${action}`;
    this.attemptWrites.push({ at, tx, attemptId: id, jobId, was: null, outcome });
    const startedAt = (this.moves.findLast(({ toLock }) => toLock === lock) as MoveRow).at;
    const { attempts: number } = this.job(action);
    const told = { startedAt, durationMs: at - startedAt, errorCode: null, error: null };
    const attempt = { id, jobId, number, outcome, ...told, ...answer };
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
    this.pos.push({
      at,
      kind,
      orderId,
      store: 'POS-1',
      pid,
      treatment: 'well',
      effect,
      doneAt: at,
      content,
      ...ending,
    });
  }

  private call(status: number | null, code: string | null, jobId: string | null): ClientCall {
    const at = this.step();
    return { at, until: at, instance: 0, status, code, jobId };
  }

  private job(action: JobRow['action']): Writable<JobRow> {
    return this.jobs.find((job) => job.action === action) as Writable<JobRow>;
  }

  private step(): number {
    this.now += 10;
    return this.now;
  }
}
