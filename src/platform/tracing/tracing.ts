import { hash, randomFillSync } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { JobAction } from '../../domain/job.js';
import type { Answer, Outcome } from '../../domain/outcome.js';
import { spanOfClaim, type Trace, traceOf, traceparentOf } from '../../domain/trace.js';
import type { CallTrace } from '../../pos/client.js';
import { Config } from '../config/config.js';
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

/** The span of an attempt that is under way. */
interface Attempt {
  readonly traceId: string;
  readonly id: string;
  readonly parent: string | undefined;
  readonly link: Span['link'];
  /** by performance.now(), ms */
  readonly startedAt: number;
}

/**
 * The traces of sales (X): begins them, says what goes on to the POS, and makes the spans if there is a collector. Spans are written out
 * field by field: copies of objects took most of the time of a span.
 */
@Injectable()
export class Tracing {
  private readonly attempts = new WeakMap<TracedJob, Attempt>();

  constructor(
    private readonly config: Config,
    private readonly exporter: SpanExporter,
  ) {}

  /** The trace of a sale that arrives: of its `traceparent`, else a new one (X1). */
  begin(traceparent: string | readonly string[] | undefined): Trace {
    return traceOf(traceparent, newTraceId, Math.random(), this.config.tracing.ratio);
  }

  /** Makes the spans `receive` and `store` of a sale that was just stored. */
  stored({ trace, jobId, restaurantId, eventKey, startedAt, storingAt }: TracedSale): void {
    if (!this.takes(trace, 2)) return;
    const origin = clockOrigin();
    const endMs = origin + performance.now();
    const id = receiveSpan(trace, restaurantId, eventKey);
    this.exporter.add({
      traceId: trace.id,
      id,
      parent: trace.parent ?? undefined,
      link: undefined,
      name: 'receive',
      kind: KIND.server,
      startMs: origin + startedAt,
      endMs,
      attributes: { 'relay.job': jobId, 'relay.event_key': eventKey, 'relay.restaurant': restaurantId },
      error: undefined,
    });
    this.add('store', KIND.internal, trace.id, id, origin + storingAt, endMs, {}, undefined);
  }

  /** An attempt begins: a child of the receipt, or after L72 a trace of its own that is linked with it. */
  begun(job: TracedJob): void {
    const { trace, restaurantId, eventKey, lockedBy, receivedAt } = job;
    if (!this.takes(trace, 2)) return;
    const receipt = receiveSpan(trace, restaurantId, eventKey);
    const isChild = Date.now() - receivedAt.getTime() <= CHILD_MS;
    this.attempts.set(job, {
      traceId: isChild ? trace.id : newTraceId(),
      id: spanOfClaim(lockedBy),
      parent: isChild ? receipt : undefined,
      link: isChild ? undefined : { traceId: trace.id, id: receipt },
      startedAt: performance.now(),
    });
  }

  /** How the POS calls of this attempt are traced; undefined: not at all. */
  callsOf(job: TracedJob): CallTrace | undefined {
    const { trace, lockedBy } = job;
    const attempt = this.attempts.get(job);
    const goesOn = trace !== undefined && this.config.pos.traceparent;
    if (!attempt && !goesOn) return undefined;
    return {
      headers: goesOn ? { traceparent: traceparentOf(trace, spanOfClaim(lockedBy)) } : NO_HEADERS,
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
    this.attempts.delete(job);
    const origin = clockOrigin();
    const endMs = origin + performance.now();
    const { traceId, id, parent, link, startedAt } = attempt;
    const cause = typeof ended === 'string' ? undefined : (ended.cause ?? undefined);
    this.exporter.add({
      traceId,
      id,
      parent,
      link,
      name: 'attempt',
      kind: KIND.internal,
      startMs: origin + startedAt,
      endMs,
      attributes: {
        'relay.job': job.id,
        'relay.event_key': job.eventKey,
        'relay.restaurant': job.restaurantId,
        'relay.action': job.action,
        'relay.attempt': job.attempt,
        'relay.result': typeof ended === 'string' ? ended : ended.settling,
      },
      error: ended === 'lock_lost' ? ended : cause,
    });
    this.add('settle', KIND.internal, traceId, id, origin + settlingAt, endMs, {}, undefined);
  }

  private called({ traceId, id }: Attempt, method: string, answer: Answer, startedAt: number): void {
    const origin = clockOrigin();
    const isAnswered = answer.kind === 'answered';
    const error = isAnswered ? answer.meaning : answer.code;
    const attributes = {
      'http.request.method': method,
      'http.response.status_code': isAnswered ? answer.status : undefined,
    };
    const [startMs, endMs] = [origin + startedAt, origin + performance.now()];
    this.add(
      'POS call',
      KIND.client,
      traceId,
      id,
      startMs,
      endMs,
      attributes,
      error === 'delivered' ? undefined : error,
    );
  }

  /** Whether spans of this trace are recorded now. @param spans how many are dropped if the queue is full */
  private takes(trace: Trace | undefined, spans: number): trace is Trace {
    return trace?.sampled === true && this.exporter.takes(spans);
  }

  /** A span below another one, with a new id. */
  private add(
    name: string,
    kind: Span['kind'],
    traceId: string,
    parent: string,
    startMs: number,
    endMs: number,
    attributes: Span['attributes'],
    error: string | undefined,
  ): void {
    const id = randomHex(8);
    this.exporter.add({ traceId, id, parent, link: undefined, name, kind, startMs, endMs, attributes, error });
  }
}

const NO_HEADERS = {};

/** The clock of the machine moved if it differs from ours by more than this, ms. */
const CLOCK_STEP_MS = 50;
let origin = performance.timeOrigin;

/** The epoch time of 0 of performance.now(), ms: finer than Date.now(), so that spans of one trace keep their order. */
function clockOrigin(): number {
  const now = Date.now() - performance.now();
  if (Math.abs(now - origin) > CLOCK_STEP_MS) origin = now;
  return origin;
}

/** The id of the span `receive`: the same on every instance, without being stored. */
function receiveSpan({ id }: Trace, restaurantId: string, eventKey: string): string {
  return hash('sha256', `${id}\n${restaurantId}\n${eventKey}`).slice(0, 16);
}

/** Random bytes in advance: a call of the generator for each id takes longer than the rest of a span. */
const random = Buffer.alloc(4_096);
let used = random.length;

const newTraceId = () => randomHex(16);

/** Random bytes in hexadecimal. */
function randomHex(bytes: number): string {
  if (used + bytes > random.length) {
    randomFillSync(random);
    used = 0;
  }
  used += bytes;
  return random.toString('hex', used - bytes, used);
}
