import type { ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Counter, Gauge } from 'prom-client';
import { Log } from '../../telemetry/log.js';
import { LogThrottle } from '../../telemetry/log-throttle.js';
import { Metrics } from '../../telemetry/metrics.js';

/** Shorter answers are not counted, in characters: the buffer of a connection in the kernel takes them. */
const COUNTED_FROM = 16_384;

/** Whether an answer is sent at once. Files of the API are streams. */
const isText = (payload: unknown): payload is string | Buffer =>
  typeof payload === 'string' || Buffer.isBuffer(payload);

interface Unread {
  readonly raw: ServerResponse;
  readonly path: string;
  readonly bytes: number;
}

/**
 * The bytes of the answers in this process that their clients have not read yet (H22, L158). Files of the API are not among them: they are read
 * piece by piece (H20). The files of the console and of /docs are: all answers share their bytes, and the kernel copies them for each.
 */
@Injectable()
export class UnreadAnswers {
  readonly limits = { bytes: 67_108_864 };
  private held = 0;
  /** the oldest first */
  private readonly unread = new Set<Unread>();
  private readonly closed: Counter;
  private readonly lines = new LogThrottle();

  constructor(
    { registry }: Metrics,
    private readonly log: Log,
  ) {
    this.closed = new Counter({
      name: 'relay_unread_answers_closed_total',
      help: 'Connections that were closed because their answers were not read, and others needed the room',
      registers: [registry],
    });
    const bytes = () => this.held;
    new Gauge({
      name: 'relay_unread_answer_bytes',
      help: 'Bytes of answers that their clients have not read yet',
      registers: [registry],
      collect() {
        this.set(bytes());
      },
    });
  }

  /** Counts the answers of all routes. Must be called before the routes are registered. */
  guard(app: NestFastifyApplication): void {
    const fastify = app.getHttpAdapter().getInstance();
    fastify.addHook('onSend', ({ routeOptions }, { raw }, payload, next) => {
      // a destroyed answer emits no further close event
      if (isText(payload) && payload.length >= COUNTED_FROM && !raw.destroyed)
        this.add({ raw, path: routeOptions.url ?? '', bytes: Buffer.byteLength(payload) });
      next(null, payload);
    });
  }

  private add(answer: Unread): void {
    this.unread.add(answer);
    this.held += answer.bytes;
    answer.raw.once('close', () => this.remove(answer));
    // a client that reads has its answer in seconds, so the oldest answer is of a client that does not read
    for (const oldest of this.unread) {
      if (this.held <= this.limits.bytes) return;
      this.remove(oldest);
      // a reset, since the kernel would keep what it has taken until the client reads it
      oldest.raw.socket?.resetAndDestroy();
      oldest.raw.destroy();
      this.noteClosed(oldest);
    }
  }

  private remove(answer: Unread): void {
    if (this.unread.delete(answer)) this.held -= answer.bytes;
  }

  private noteClosed({ path, bytes }: Unread): void {
    this.closed.inc();
    if (this.lines.admits()) this.log.warn({ event: 'http.answer_unread', path, bytes });
  }
}
