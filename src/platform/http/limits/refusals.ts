import type { Socket } from 'node:net';
import { Injectable } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import { Metrics } from '../../telemetry/metrics.js';
import { isOfKnownSender } from '../body/body.js';

const SECOND_MS = 1_000;
/** Refusals of unknown senders that are sent at once, a second (L101). */
const AT_ONCE_PER_SECOND = 500;
/** How long an answer beyond waits, on average: connections that began together end apart; ms (L102). */
const WAIT_MS = 1_000;
/** The most answers that wait, each of another connection (L103). A proxy needs a connection for each, and has to have others left. */
const MAX_WAITING = 1_000;

declare module 'fastify' {
  interface FastifyRequest {
    /** the code of its error answer */
    errorCode?: string;
  }
}

/**
 * Whether an answer refuses a request whose sender is not authenticated (V16): a 4xx, or a 503 because a queue is full. Another 503 is of a
 * database that is away, or of a health check.
 */
export function isRefusalOfUnknown(request: FastifyRequest, statusCode: number): boolean {
  if (statusCode === 401) return true;
  const refuses = statusCode < 500 ? statusCode >= 400 : request.errorCode?.startsWith('TOO_MANY_');
  return refuses === true && !isOfKnownSender(request);
}

/**
 * Bounds what the refusals of unknown senders cost, such as those of wrong credentials (V16; decisions/064): at a high rate they wait. Other
 * answers never wait.
 */
@Injectable()
export class Refusals {
  private second = 0;
  private inSecond = 0;
  /** they send the answers that wait */
  private readonly waiting = new Set<() => void>();

  constructor(
    private readonly metrics: Metrics,
    private readonly stopping: AbortSignal,
  ) {
    // a stop waits for the requests in flight
    stopping.addEventListener('abort', () => {
      for (const end of [...this.waiting]) end();
    });
  }

  /** Lets the refusals of unknown senders wait, on all routes. Must be called before the routes are registered. */
  guard(app: NestFastifyApplication): void {
    const fastify = app.getHttpAdapter().getInstance();
    fastify.addHook('onSend', (request, { statusCode }, payload, next) => {
      if (isRefusalOfUnknown(request, statusCode)) this.admit(request.raw.socket, () => next(null, payload));
      else next(null, payload);
    });
  }

  /** Sends a refusal now or later. @param send must be called once, also for a connection that has closed */
  private admit(socket: Socket, send: () => void): void {
    this.startSecond();
    const mustWait = this.inSecond >= AT_ONCE_PER_SECOND && this.waiting.size < MAX_WAITING && !this.stopping.aborted;
    this.metrics.refusals.inc({ result: mustWait ? 'delayed' : 'at_once' });
    if (mustWait) {
      this.wait(socket, send);
      return;
    }
    this.inSecond++;
    send();
  }

  /** Sends an answer later. Nothing is read from its connection meanwhile, so a client that sends on fills the buffers of the kernel. */
  private wait(socket: Socket, send: () => void): void {
    const pause = () => socket.pause();
    const end = () => {
      clearTimeout(timer);
      this.waiting.delete(end);
      socket.off('resume', pause);
      send();
      socket.resume();
    };
    const timer = setTimeout(end, WAIT_MS * (0.5 + Math.random()));
    this.waiting.add(end);
    // Node resumes the connection for the body of the request, or for another request that it has read already
    socket.on('resume', pause);
    socket.pause();
  }

  private startSecond(): void {
    const now = performance.now();
    if (now - this.second < SECOND_MS) return;
    this.second = now;
    this.inSecond = 0;
  }
}
