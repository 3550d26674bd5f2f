import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Config } from '../config/config.js';
import { Log } from '../telemetry/log.js';
import { Metrics } from '../telemetry/metrics.js';
import type { Collector } from './collector.js';
import { otlpRequest } from './otlp.js';
import type { Span } from './span.js';

/** The most spans that wait for the collector (L70). */
const MOST_WAITING = 2_048;
/** The most spans of a request (L70). */
const BATCH = 512;
/** Between two requests, ms (L70). */
const INTERVAL_MS = 250;
/** The pause after a failed request, doubled by each further one, ms (L71). */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** A stopping instance sends what waits for this long, ms (L71). */
const FLUSH_MS = 2_000;
const DROPPED = { result: 'dropped' };
/** The least time between two log lines about failed requests, ms. */
const QUIET_MS = 60_000;

/**
 * Sends spans to the collector in the background (X7): one request at a time, none repeated. When the collector is slow or away, spans are
 * dropped and counted; nothing ever waits for it.
 */
@Injectable()
export class SpanExporter implements OnApplicationShutdown {
  /** loaded only where there is one */
  private readonly collector: Promise<Collector> | undefined;
  private readonly resource: Readonly<Record<string, string>>;
  private readonly flushed = new AbortController();
  private waiting: Span[] = [];
  private timer: NodeJS.Timeout | undefined;
  private sending: Promise<void> | undefined;
  private pauseMs = 0;
  private failures = 0;
  /** by performance.now(), ms */
  private quietUntil = Number.NEGATIVE_INFINITY;

  constructor(
    { tracing: { collector }, instance }: Config,
    private readonly metrics: Metrics,
    private readonly log: Log,
  ) {
    this.collector = collector && import('./collector.js').then(({ Collector }) => new Collector(collector));
    this.resource = { 'service.name': collector?.serviceName ?? '', 'service.instance.id': instance };
  }

  /** Whether a span is worth making: there is a collector, and room in the queue. @param spans how many are dropped if there is none */
  takes(spans: number): boolean {
    if (!this.collector) return false;
    const hasRoom = this.waiting.length < MOST_WAITING && !this.flushed.signal.aborted;
    if (!hasRoom) this.metrics.traceSpans.inc(DROPPED, spans);
    return hasRoom;
  }

  /** Queues a span; never waits and never throws. A full queue drops it. */
  add(span: Span): void {
    if (this.waiting.length >= MOST_WAITING || this.flushed.signal.aborted) {
      this.metrics.traceSpans.inc(DROPPED);
      return;
    }
    this.waiting.push(span);
    this.schedule();
  }

  /** Sends what waits, for at most 2 s (L71); the worker has stopped before. What is left is dropped and counted. */
  async onApplicationShutdown(): Promise<void> {
    if (!this.collector) return;
    clearTimeout(this.timer);
    const limit = setTimeout(() => this.flushed.abort(), FLUSH_MS);
    await this.sending;
    // a collector that has just failed is not asked again
    while (this.waiting.length > 0 && this.failures === 0 && !this.flushed.signal.aborted)
      await this.send(this.collector);
    clearTimeout(limit);
    this.flushed.abort();
    this.metrics.traceSpans.inc(DROPPED, this.waiting.length);
    this.waiting = [];
    (await this.collector).close();
  }

  private schedule(): void {
    const { collector } = this;
    if (!collector || this.timer || this.sending) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.sending = this.send(collector).finally(() => {
        this.sending = undefined;
        if (this.waiting.length > 0 && !this.flushed.signal.aborted) this.schedule();
      });
    }, this.pauseMs || INTERVAL_MS).unref();
  }

  private async send(collector: Promise<Collector>): Promise<void> {
    const spans = this.waiting.splice(0, BATCH);
    const exported = await (await collector).send(otlpRequest(this.resource, spans), this.flushed.signal);
    if (exported.result === 'failed') {
      this.failed(spans.length, exported.error, exported.retryAfterMs);
      return;
    }
    const rejected = Math.min(exported.rejected, spans.length);
    this.metrics.traceSpans.inc({ result: 'exported' }, spans.length - rejected);
    this.metrics.traceSpans.inc(DROPPED, rejected);
    this.failures = 0;
    this.pauseMs = 0;
  }

  private failed(spans: number, error: string, retryAfterMs: number): void {
    this.metrics.traceSpans.inc(DROPPED, spans);
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** this.failures, LONGEST_PAUSE_MS);
    this.failures++;
    this.pauseMs = Math.max(pauseMs, retryAfterMs);
    if (performance.now() < this.quietUntil) return;
    this.quietUntil = performance.now() + QUIET_MS;
    this.log.warn(
      { event: 'tracing.export_failed', error, spans, pauseMs: this.pauseMs },
      'the collector took no spans; they are dropped',
    );
  }
}
