import type { Tone } from './paint.js';

export type JobStatus = 'PENDING' | 'PROCESSING' | 'SENT' | 'FAILED' | 'DLQ';

/** A job as the relay's database has it; times in epoch ms. */
export interface JobRecord {
  readonly id: string;
  readonly eventKey: string;
  readonly sourceKey: string;
  readonly action: string;
  readonly status: JobStatus;
  /** counted since the last reset */
  readonly attempts: number;
  readonly lastError: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** by the database's clock */
  readonly dueInMs: number;
  readonly payload: unknown;
  readonly history: readonly AttemptRecord[];
}

export interface AttemptRecord {
  readonly number: number;
  readonly startedAt: number;
  readonly durationMs: number;
  readonly httpStatus: number | null;
  readonly errorCode: string | null;
  readonly outcome: 'SENT' | 'FAILED' | 'DLQ' | 'LOST';
  readonly error: string | null;
}

/** One state on a job's way. */
export interface Step {
  readonly state: string;
  /** beside the state, in a few letters */
  readonly note: string;
  /** in full, for a line of its own */
  readonly detail: string;
  readonly tone: Tone;
  readonly at: number;
  /** FAILED, and waiting: until the next attempt */
  readonly dueInMs?: number;
}

/**
 * A job's way from the first state to the one it is in. PROCESSING can be shorter than the time between two looks at the
 * database, so the way is read from the recorded attempts; later looks only ever add to it.
 */
export function stepsOf(job: JobRecord): Step[] {
  const steps: Step[] = [pending(job.createdAt, '', 'stored, 200 answered')];
  let last: AttemptRecord | undefined;
  for (const attempt of job.history) {
    if (last) steps.push(...between(last, attempt.number, attempt.startedAt));
    steps.push(processing(attempt.startedAt, attempt.number), settled(attempt));
    last = attempt;
  }
  if (job.status === 'PROCESSING') {
    if (last) steps.push(...between(last, job.attempts, job.updatedAt));
    steps.push(processing(job.updatedAt, job.attempts));
  } else if (job.status === 'PENDING') {
    if (last) steps.push(...between(last, job.attempts + 1, job.updatedAt));
  } else if (steps.at(-1)?.state !== job.status) {
    steps.push(end(job.status, job.lastError, job.updatedAt));
  }
  const current = steps.at(-1) as Step;
  if (job.status === 'FAILED') steps[steps.length - 1] = { ...current, dueInMs: job.dueInMs };
  return steps;
}

/** `again in 31 s`, `again in 2:05 min`, `again now`. */
export function countdown(dueInMs: number): string {
  const seconds = Math.ceil(dueInMs / 1_000);
  if (seconds <= 0) return 'again now';
  if (seconds < 100) return `again in ${seconds} s`;
  return `again in ${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')} min`;
}

/** What brought a job back to PENDING between two attempts: the reaper, an operator, or (FAILED) nothing had to. */
function between(last: AttemptRecord, next: number, at: number): Step[] {
  if (last.outcome === 'LOST') return [pending(at, '', 'returned by the reaper')];
  return next <= last.number ? [pending(at, 'reset', 'reset by an operator')] : [];
}

function pending(at: number, note: string, detail: string): Step {
  return { state: 'PENDING', note, detail, tone: 'wait', at };
}

function processing(at: number, attempt: number): Step {
  return { state: 'PROCESSING', note: '', detail: `attempt ${attempt}`, tone: 'busy', at };
}

function settled(attempt: AttemptRecord): Step {
  const at = attempt.startedAt + attempt.durationMs;
  // the POS refused it as a duplicate, and the job is SENT: an earlier attempt had arrived (D12)
  const hadArrived = attempt.outcome === 'SENT' && (attempt.httpStatus ?? 0) >= 300;
  if (attempt.outcome === 'SENT' && hadArrived)
    return {
      ...end(
        'SENT',
        `HTTP ${attempt.httpStatus}, POS error ${attempt.errorCode}: the POS has it since the first attempt`,
        at,
      ),
      note: 'it had arrived',
    };
  if (attempt.outcome === 'SENT') return end('SENT', `HTTP ${attempt.httpStatus}`, at);
  if (attempt.outcome === 'DLQ') return end('DLQ', attempt.error, at);
  const state = attempt.outcome === 'LOST' ? 'LEASE LOST' : 'FAILED';
  return { state, note: shortReason(attempt), detail: attempt.error ?? '', tone: 'wait', at };
}

function end(state: string, text: string | null, at: number): Step {
  const detail = text ?? '';
  if (state === 'SENT') return { state, note: '', detail, tone: 'good', at };
  return { state, note: state === 'DLQ' ? detail : '', detail, tone: state === 'DLQ' ? 'bad' : 'wait', at };
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'POS off',
  ECONNRESET: 'cut off',
  TIMEOUT: 'timeout',
};

function shortReason({ httpStatus, errorCode }: AttemptRecord): string {
  if (httpStatus !== null) return String(httpStatus);
  return errorCode === null ? '' : (REASONS[errorCode] ?? errorCode);
}
