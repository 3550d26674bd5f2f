import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Injectable } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Counter, Gauge } from 'prom-client';
import { Log } from '../telemetry/log.js';
import { Metrics } from '../telemetry/metrics.js';

/** Shorter answers are not counted, in characters: the buffer of a connection in the kernel takes them. */
const COUNTED_FROM = 16_384;
/** The most answers of a connection that wait behind another one (L159). */
const BEHIND_OF_CONNECTION = 16;
/** Time between two log lines, in ms. */
const LINE_EVERY_MS = 1_000;

interface Unread {
  readonly raw: ServerResponse;
  readonly path: string;
  readonly bytes: number;
}

/**
 * The answers in this process that their clients have not read yet (H22): their bytes (L158), and those that wait behind another answer of their
 * connection (L159). Files of the API are not among the bytes: they are read piece by piece (H20). Nor are the files of the console and of /docs:
 * all answers share their bytes.
 */
@Injectable()
export class UnreadAnswers {
  readonly limits = { bytes: 67_108_864, behind: 1_000 };
  private held = 0;
  /** the oldest first */
  private readonly unread = new Set<Unread>();
  /** those that wait behind another answer, by connection */
  private readonly behind = new Map<Socket, Set<ServerResponse>>();
  private behindCount = 0;
  private readonly closed: Counter;
  /** when the last log line was written, by performance.now() */
  private lineAt = Number.NEGATIVE_INFINITY;

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
    const { server } = fastify;
    const listeners = server.listeners('request') as ((request: IncomingMessage, response: ServerResponse) => void)[];
    server.removeAllListeners('request');
    const begin = (request: IncomingMessage, response: ServerResponse) => {
      for (const listener of listeners) listener(request, response);
    };
    server.on('request', (request, response) => {
      // Node gives an answer its connection when the one before is written
      if (response.socket) begin(request, response);
      else this.wait(request.socket, response, () => begin(request, response));
    });
    fastify.addHook('onSend', ({ routeOptions }, { raw }, payload, next) => {
      // of a client that has gone nothing more is heard
      if (typeof payload === 'string' && payload.length >= COUNTED_FROM && !raw.destroyed)
        this.add({ raw, path: routeOptions.url ?? '', bytes: Buffer.byteLength(payload) });
      next(null, payload);
    });
  }

  private add(answer: Unread): void {
    this.unread.add(answer);
    this.held += answer.bytes;
    answer.raw.once('close', () => this.remove(answer));
    // a client that reads has its answer in seconds: what waits the longest is of those that do not
    for (const oldest of this.unread) {
      if (this.held <= this.limits.bytes) return;
      this.remove(oldest);
      oldest.raw.destroy();
      this.noteClosed({ path: oldest.path, bytes: oldest.bytes });
    }
  }

  private remove(answer: Unread): void {
    if (this.unread.delete(answer)) this.held -= answer.bytes;
  }

  /**
   * A request that was sent before the answer to another one of its connection was read: it begins after it. Node reads a thousand short requests
   * of a connection at once, and would begin all of them before it looks at other connections.
   */
  private wait(socket: Socket, response: ServerResponse, begin: () => void): void {
    if (socket.destroyed) return;
    const waiting = this.behind.get(socket) ?? this.follow(socket);
    waiting.add(response);
    this.behindCount++;
    response.once('socket', () => {
      this.waitsNoMore(waiting, response);
      begin();
    });
    if (waiting.size > BEHIND_OF_CONNECTION) this.drop(socket, waiting);
    else if (this.behindCount > this.limits.behind)
      this.drop(...[...this.behind].reduce((one, other) => (other[1].size > one[1].size ? other : one)));
  }

  private follow(socket: Socket): Set<ServerResponse> {
    const waiting = new Set<ServerResponse>();
    this.behind.set(socket, waiting);
    socket.once('close', () => this.release(socket, waiting));
    return waiting;
  }

  private waitsNoMore(waiting: Set<ServerResponse>, response: ServerResponse): void {
    if (waiting.delete(response)) this.behindCount--;
  }

  private drop(socket: Socket, waiting: Set<ServerResponse>): void {
    this.noteClosed({ behind: waiting.size });
    socket.destroy();
    skipWhatWasRead(socket);
    this.release(socket, waiting);
  }

  private release(socket: Socket, waiting: Set<ServerResponse>): void {
    this.behind.delete(socket);
    this.behindCount -= waiting.size;
    waiting.clear();
  }

  private noteClosed(answer: { path: string; bytes: number } | { behind: number }): void {
    this.closed.inc();
    const now = performance.now();
    if (now - this.lineAt < LINE_EVERY_MS) return;
    this.lineAt = now;
    this.log.warn({ event: 'http.answer_unread', ...answer });
  }
}

/** What a parser of Node is told of a request: that what follows is no HTTP. */
const UPGRADE = 2;

/**
 * Ends the parsing of what Node has read of a closed connection: a thousand requests take 20 ms, and 2,000 connections half a minute. Node has no
 * interface for it. Where its parser has no such member, this has no effect.
 */
function skipWhatWasRead(socket: Socket): void {
  const { parser } = socket as { parser?: { onIncoming?: () => number } | null };
  if (parser?.onIncoming) parser.onIncoming = () => UPGRADE;
}
