import { hash, randomFillSync } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import type { JobAction } from '../domain/job.js';
import type { Answer, Outcome } from '../domain/outcome.js';
import { spanOfClaim, type Trace, traceOf, traceparentOf } from '../domain/trace.js';
import type { CallTrace } from '../pos/client.js';
import { KIND, type Span } from './span.js';
import { SpanExporter } from './span-exporter.js';

/** An attempt that begins within this time after the receipt is a child of the receipt, ms (L72). */
const CHILD_MS = 60_000;

/** A sale that was stored; times by performance.now(), ms. */
export interface TracedSale {
  readonly trace: Trace;
  readonly jobId: string;
  readonly restaurantId: string;
  /** the stored key */
  readonly eventKey: string;
  /** when its request arrived */
  readonly startedAt: number;
  /** when it was read and checked, and its storing began */
  readonly storingAt: number;
}

/** The fields of a claimed job that its spans need. */
export interface TracedJob {
  readonly id: string;
  readonly eventKey: string;
  readonly action: JobAction;
  readonly restaurantId: string;
  readonly attempt: number;
  readonly lockedBy: string;
  readonly receivedAt: Date;
  /** undefined: the event was stored by a version that kept no trace */
  readonly trace?: Trace | undefined;
}

/** The spans of an attempt that is under way. */
interface Attempt extends Pick<Span, 'traceId' | 'id' | 'parent' | 'link'> {
  readonly startedAt: number;
}

/** The traces of sales (X): begins them, says what goes on to the POS, and makes the spans if there is a collector. */
@Injectable()
export class Tracing {
  private readonly attempts = new WeakMap<TracedJob, Attempt>();

  constructor(
    private readonly config: Config,
    private readonly exporter: SpanExporter,
  ) {}

  /** The trace of a sale that arrives: of its `traceparent`, else a new one (X1). */
  begin(traceparent: string | readonly string[] | undefined): Trace {
    return traceOf(traceparent, () => randomHex(16), Math.random(), this.config.tracing.ratio);
  }

  /** Makes the spans `receive` and `store` of a sale that was just stored. */
  stored({ trace, jobId, restaurantId, eventKey, startedAt, storingAt }: TracedSale): void {
    if (!this.records(trace)) return;
    const now = performance.now();
    const id = receiveSpan(trace, restaurantId, eventKey);
    const attributes = { 'relay.job': jobId, 'relay.event_key': eventKey, 'relay.restaurant': restaurantId };
    const traceId = trace.id;
    this.add(
      { traceId, id, parent: trace.parent ?? undefined, name: 'receive', kind: KIND.server, attributes },
      startedAt,
      now,
    );
    this.add(
      { traceId, id: randomHex(8), parent: id, name: 'store', kind: KIND.internal, attributes: {} },
      storingAt,
      now,
    );
  }

  /** An attempt begins: a child of the receipt, or after L72 a trace of its own that is linked with it. */
  begun(job: TracedJob): void {
    const { trace, restaurantId, eventKey, lockedBy, receivedAt } = job;
    if (!this.records(trace)) return;
    const receipt = { traceId: trace.id, id: receiveSpan(trace, restaurantId, eventKey) };
    const isChild = Date.now() - receivedAt.getTime() <= CHILD_MS;
    this.attempts.set(job, {
      ...(isChild ? { traceId: trace.id, parent: receipt.id } : { traceId: randomHex(16), link: receipt }),
      id: spanOfClaim(lockedBy),
      startedAt: performance.now(),
    });
  }

  /** What the POS calls of this attempt tell and are told; undefined: nothing. */
  callsOf(job: TracedJob): CallTrace | undefined {
    const { trace, lockedBy } = job;
    const attempt = this.attempts.get(job);
    const isToldOn = trace !== undefined && this.config.pos.traceparent;
    if (!attempt && !isToldOn) return undefined;
    return {
      headers: isToldOn ? { traceparent: traceparentOf(trace, spanOfClaim(lockedBy)) } : {},
      ended: (method, answer, startedAt) => attempt && this.called(attempt, method, answer, startedAt),
    };
  }

  /**
   * Makes the spans `attempt` and `settle` of an attempt that has ended.
   * @param ended what it was settled with; `released`, `lock_lost`: it was not
   * @param settlingAt when the write of the result began, by performance.now(), ms
   */
  ended(job: TracedJob, ended: Outcome | 'released' | 'lock_lost', settlingAt: number): void {
    const attempt = this.attempts.get(job);
    if (!attempt) return;
    const now = performance.now();
    const { traceId, id } = attempt;
    const { cause = null, settling = ended } = typeof ended === 'string' ? {} : ended;
    const attributes = {
      ...{ 'relay.job': job.id, 'relay.event_key': job.eventKey, 'relay.restaurant': job.restaurantId },
      ...{ 'relay.action': job.action, 'relay.attempt': job.attempt, 'relay.result': String(settling) },
    };
    const error = cause ?? (ended === 'lock_lost' ? ended : undefined);
    const { startedAt, ...place } = attempt;
    this.add({ ...place, name: 'attempt', kind: KIND.internal, attributes, error }, startedAt, now);
    this.add(
      { traceId, id: randomHex(8), parent: id, name: 'settle', kind: KIND.internal, attributes: {} },
      settlingAt,
      now,
    );
  }

  private called({ traceId, id: parent }: Attempt, method: string, answer: Answer, startedAt: number): void {
    const status = answer.kind === 'answered' ? answer.status : undefined;
    const error =
      answer.kind === 'answered' ? (answer.meaning === 'delivered' ? undefined : answer.meaning) : answer.code;
    const attributes = { 'http.request.method': method, 'http.response.status_code': status };
    this.add(
      { traceId, id: randomHex(8), parent, name: 'POS call', kind: KIND.client, attributes, error },
      startedAt,
      performance.now(),
    );
  }

  private records(trace: Trace | undefined): trace is Trace {
    return this.exporter.enabled && trace?.sampled === true;
  }

  private add(span: Omit<Span, 'startMs' | 'endMs'>, startedAt: number, endedAt: number): void {
    const endMs = Date.now();
    this.exporter.add({ ...span, startMs: endMs - (endedAt - startedAt), endMs });
  }
}

/** The id of the span `receive`: the same on every instance, without being stored. */
function receiveSpan({ id }: Trace, restaurantId: string, eventKey: string): string {
  return hash('sha256', `${id}\n${restaurantId}\n${eventKey}`).slice(0, 16);
}

/** Random bytes in advance: a call of the generator for each id takes longer than the rest of a span. */
const random = Buffer.alloc(4_096);
let used = random.length;

/** Random bytes in hexadecimal. */
function randomHex(bytes: number): string {
  if (used + bytes > random.length) {
    randomFillSync(random);
    used = 0;
  }
  used += bytes;
  return random.toString('hex', used - bytes, used);
}
