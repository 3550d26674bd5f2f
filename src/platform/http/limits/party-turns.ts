import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Counter } from 'prom-client';
import { LARGE } from '../../../domain/sale-size.js';
import { Metrics } from '../../telemetry/metrics.js';
import { clientGone } from '../client-gone.js';
import { FairSlots } from './fair-slots.js';

/** The longest wait for a turn, ms (L194). */
const WAIT_MS = 4_000;
/** The platform: its restaurants are many, so it never waits. */
const PLATFORM = '';

/** Whose request began or ended, and when, by performance.now(), ms. */
interface Noted {
  party: string;
  at: number;
}

interface Turns {
  readonly limits: { underWay: number; readonly alone: number; leastMs: number; mostMs: number };
  readonly slots: FairSlots;
}

type RequestInTurn = FastifyRequest & { turn?: { readonly party: string; readonly end: () => void } };

/**
 * Turns of parties for requests of senders and POSs (H31). While another party sends, few of a party's are under way: however many connections one has, the other
 * has its part of the process. A party alone has nearly all of it. Each instance has turns of its own.
 */
@Injectable()
export class PartyTurns {
  /** for so long has a party another one beside it after a request of that one began or ended, ms (L194) */
  readonly limits = { besideMs: 10_000 };
  /**
   * By the size of the body that is announced: requests of a party under way beside another party, and alone, when the first of another one waits for them; the
   * least and the most time that one counts, ms (L194).
   */
  readonly small = this.turnsOf({ underWay: 4, alone: 100, leastMs: 8, mostMs: 100 });
  readonly large = this.turnsOf({ underWay: 4, alone: 8, leastMs: 20, mostMs: WAIT_MS });
  /** sent in chunks: some terminals send small sales so */
  readonly chunked = this.turnsOf({ underWay: 4, alone: 16, leastMs: 8, mostMs: 1_000 });
  /** of the two parties whose requests began or ended last */
  private last: Noted = { party: PLATFORM, at: Number.NEGATIVE_INFINITY };
  private other: Noted = { party: PLATFORM, at: Number.NEGATIVE_INFINITY };
  private readonly waited: Counter;

  constructor({ registry }: Metrics) {
    this.waited = new Counter({
      name: 'relay_party_requests_waited_total',
      help: 'Requests of senders and POSs that waited for a turn because another party sends',
      registers: [registry],
    });
  }

  /**
   * Waits until a request of a party may begin. Its turn ends with its answer, and when the rest of its body was discarded. Does nothing when the request has
   * a turn of this party; one of another party ends.
   * @param party the account of O44, or a restaurant without one; undefined: the platform
   * @throws 503 TOO_MANY_AT_ONCE; ClientGoneError
   */
  async begin(request: RequestInTurn, reply: Pick<FastifyReply, 'raw'>, party: string = PLATFORM): Promise<void> {
    const { turn } = request;
    if (turn?.party === party) return;
    this.note(party);
    const turns = this[sizeOf(request)];
    const free = turns.slots.takeNow(party) ?? (await this.wait(turns, party, reply));
    turn?.end();
    if (!turn) reply.raw.once('close', () => this.ended(request));
    request.turn = { party, end: timed(turns, party, free) };
    if (reply.raw.destroyed) request.turn.end();
  }

  /** Ends the turn of a request that waits from now on for something new, such as a poll. */
  rest({ turn }: RequestInTurn): void {
    turn?.end();
  }

  private ended(request: RequestInTurn): void {
    if (request.turn) this.note(request.turn.party);
    endWithBody(request);
  }

  private wait({ slots }: Turns, party: string, reply: Pick<FastifyReply, 'raw'>): Promise<() => void> {
    this.waited.inc();
    return slots.take(party, () => clientGone(reply));
  }

  private turnsOf(limits: Turns['limits']): Turns {
    const unbounded = Number.POSITIVE_INFINITY;
    const ofKey = (party: string) => {
      if (party === PLATFORM) return unbounded;
      return this.isBeside(party) ? limits.underWay : limits.alone;
    };
    // no bound on those that wait but their connections: one that is refused at once is sent again at once
    return { limits, slots: new FairSlots({ total: unbounded, ofKey, mostWaiting: unbounded, waitMs: WAIT_MS }) };
  }

  private note(party: string): void {
    const at = performance.now();
    if (party !== this.last.party) [this.other, this.last] = [this.last, { party, at }];
    else this.last.at = at;
  }

  /** Whether a request of another party began or ended a short time ago. */
  private isBeside(party: string): boolean {
    const { at } = party === this.last.party ? this.other : this.last;
    return performance.now() - at < this.limits.besideMs;
  }
}

function endWithBody({ raw, turn }: RequestInTurn): void {
  if (raw.complete || raw.destroyed) turn?.end();
  else raw.once('close', () => turn?.end());
}

/**
 * A turn with the least and the most time that it counts: what waits long, such as a poll, keeps no other request of its party from beginning, and requests that
 * take no time do not leave the thread to the party that asks the most.
 * @returns ends it
 */
function timed({ limits: { leastMs, mostMs }, slots }: Turns, party: string, free: () => void): () => void {
  const since = performance.now();
  let isFree = false;
  const end = () => {
    if (!isFree) free();
    isFree = true;
  };
  const longest = setTimeout(end, mostMs).unref();
  return () => {
    clearTimeout(longest);
    const restMs = leastMs - (performance.now() - since);
    if (restMs > 0 && slots.of(party).waiting > 0) setTimeout(end, restMs).unref();
    else end();
  };
}

/** How large a body may be, by its headers. */
export function sizeOf({ headers }: FastifyRequest): 'small' | 'large' | 'chunked' {
  if (headers['transfer-encoding'] !== undefined) return 'chunked';
  return Number(headers['content-length'] ?? 0) >= LARGE ? 'large' : 'small';
}
