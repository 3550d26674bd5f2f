import type { Socket } from 'node:net';
import { Injectable } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Counter } from 'prom-client';
import { SetsBySize } from '../../sets-by-size.js';
import { Log } from '../../telemetry/log.js';
import { LogThrottle } from '../../telemetry/log-throttle.js';
import { Metrics } from '../../telemetry/metrics.js';
import { beforeListeners } from './before-listeners.js';
import { networkOf } from './network.js';

declare module 'fastify' {
  interface FastifyInstance {
    connections: Connections;
  }
}

/**
 * What is closed at the limit: one without a request of an authenticated sender; if all others have had such a request, or senders have more than their
 * part, one of the sender with most connections; or the new one.
 */
const CLOSED = ['unauthenticated', 'largest sender', 'new'] as const;
/** The part of the limit that senders have while one of them has several connections (L253): the rest is for those who begin. */
const PART_OF_SENDERS = 3 / 4;
/** Networks with at most this part of the limit are alike (L254): of many that hold one each, one with two is none to close. */
const FEW = 1 / 100;
/** How exactly the last use of a connection is known, in ms. */
const USED_WITHIN_MS = 1_000;

/** Whether the client had reset a connection before it was accepted (H26): it has no address then. */
const isReset = ({ remoteAddress }: Socket): boolean => remoteAddress === undefined;

/** Of whom a connection is: a network, until it has had a request of an authenticated sender. */
type Party =
  | { readonly network: string; readonly sender?: undefined }
  | { readonly network?: undefined; readonly sender: string | undefined; readonly usedAt: number };

/**
 * Bounds the connections that are open at once (L21). Beyond the limit the new connection is kept, and a connection that has had no request of
 * an authenticated sender is closed (H24): Node would close the new one, and a client that holds all connections would keep out all others. If
 * there is none, or if senders have more than their part, the sender with most connections loses the one that it has not used for the longest time: a
 * connection becomes that of a sender with its first request, and one sender must not take this moment from all others.
 */
@Injectable()
export class Connections {
  readonly limits = { connections: Number.POSITIVE_INFINITY };
  private readonly open = new Map<Socket, Party>();
  /** those without a request of an authenticated sender, by network; the oldest first */
  private readonly unproven = new SetsBySize<string, Socket>();
  /** all of them, the oldest first */
  private readonly strangers = new Set<Socket>();
  /** those with one, by sender; the one that was not used for the longest time first */
  private readonly proven = new SetsBySize<string, Socket>();
  /** connections whose last request was of no authenticated sender */
  private readonly ofNobody = new WeakSet<Socket>();
  private readonly displaced: Counter<'result'>;
  private readonly lines = new LogThrottle();

  constructor(
    { registry }: Metrics,
    private readonly log: Log,
  ) {
    this.displaced = new Counter({
      name: 'relay_connections_displaced_total',
      help: 'Connections that were closed because the limit was reached, by which one was closed',
      labelNames: ['result'],
      registers: [registry],
    });
    for (const result of CLOSED) this.displaced.inc({ result }, 0);
  }

  /** Must be called before the server listens. @param most the most connections at once (L21) */
  guard(app: NestFastifyApplication, most: number): void {
    this.limits.connections = most;
    const fastify = app.getHttpAdapter().getInstance();
    fastify.decorate<Connections>('connections', this);
    beforeListeners(fastify.server, 'connection', (begin, socket: Socket) => {
      if (isReset(socket)) socket.destroy();
      else {
        begin();
        this.add(socket);
      }
    });
  }

  /**
   * Notes that a request of this connection is of an authenticated sender.
   * @param sender the founder (O44), or an account or a restaurant without one; undefined: the platform, whose connections are never closed for others
   */
  prove(socket: Socket, sender: string | undefined): void {
    this.ofNobody.delete(socket);
    const party = this.open.get(socket);
    if (!party) return;
    const now = performance.now();
    if (party.network === undefined && party.sender === sender && now - party.usedAt < USED_WITHIN_MS) return;
    this.leave(party, socket);
    this.open.set(socket, { sender, usedAt: now });
    if (sender !== undefined) this.proven.add(sender, socket);
  }

  /**
   * Notes that a request begins, which is of nobody until {@link prove}.
   * @returns the network of the connection, if its request before was of nobody (H25); undefined: it was of a sender, or there was none
   */
  begin(socket: Socket): string | undefined {
    const wasOfNobody = this.ofNobody.has(socket);
    this.ofNobody.add(socket);
    return wasOfNobody ? networkOf(socket.remoteAddress ?? '') : undefined;
  }

  /** @returns the sender of the last authenticated request of a connection, as in {@link prove}; undefined: it has had none, or has closed */
  senderOf(socket: Socket): { readonly sender: string | undefined } | undefined {
    const party = this.open.get(socket);
    return party?.network === undefined ? party : undefined;
  }

  private leave({ network, sender }: Party, socket: Socket): void {
    this.strangers.delete(socket);
    if (network !== undefined) this.unproven.delete(network, socket);
    else if (sender !== undefined) this.proven.delete(sender, socket);
  }

  private add(socket: Socket): void {
    const network = networkOf(socket.remoteAddress ?? '');
    this.open.set(socket, { network });
    this.unproven.add(network, socket);
    this.strangers.add(socket);
    socket.once('close', () => this.remove(socket));
    if (this.open.size > this.limits.connections) this.displace(socket);
  }

  private remove(socket: Socket): void {
    const party = this.open.get(socket);
    if (party) this.leave(party, socket);
    this.open.delete(socket);
  }

  /** Closes one connection at once, so that its file is free again. The new one counts for its network, and may be the only candidate. */
  private displace(newest: Socket): void {
    const [connections, closed, oldest] = this.candidate(newest);
    this.displaced.inc({ result: closed });
    if (this.lines.admits()) this.log.warn({ event: 'http.connection_displaced', connection: closed, connections });
    this.remove(oldest);
    // a reset, since the kernel would keep answers that the client does not read; Node cannot reset one whose end is being sent
    if (oldest.writableEnded) oldest.destroy();
    else oldest.resetAndDestroy();
  }

  /** @returns how many connections its party has, what it is, and the connection to close */
  private candidate(newest: Socket): [number, (typeof CLOSED)[number], Socket] {
    const ofNetwork = this.unproven.largest();
    const areAlike = ofNetwork !== undefined && ofNetwork.size <= this.limits.connections * FEW;
    const strangers = areAlike ? this.strangers : ofNetwork;
    const [stranger = newest] = strangers ?? [];
    const ofSender = this.proven.largest();
    const [unused] = ofSender ?? [];
    const isStranger = strangers !== undefined && stranger !== newest;
    const haveTheirPart = this.proven.items <= this.limits.connections * PART_OF_SENDERS;
    if (isStranger && haveTheirPart) return [strangers.size, 'unauthenticated', stranger];
    // the only connection of each sender stays
    if (ofSender && unused && ofSender.size > 1) return [ofSender.size, 'largest sender', unused];
    if (isStranger) return [strangers.size, 'unauthenticated', stranger];
    return [strangers?.size ?? 0, 'new', newest];
  }
}
