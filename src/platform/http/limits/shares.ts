import { type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import type { Reflector } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SalesFirst } from '../../sales-first.js';
import { clientGone } from '../client-gone.js';
import { FileContent } from '../file-content.js';
import { AccountRefusals, isRefusal } from './account-refusals.js';
import { FairSlots } from './fair-slots.js';

/** What a request mostly uses: the connections of sales, those of reports, or those of reports for a search of the payloads. */
export type Share = 'ordinary' | 'reports' | 'search';
type ShareOf = Share | ((query: Readonly<Record<string, unknown>>) => Share);
/** Where a request counts: ordinary requests that change something are apart from those that read. */
type Counted = Share | 'changes';

const SHARE = 'share';
/** The metadata of {@link TakesNoTurn}. */
export const NO_TURN = 'no-turn';

/** The share in which the requests of a route or controller count (H19). Without it, `ordinary`. */
export const InShare = (share: ShareOf) => SetMetadata(SHARE, share);

/** A route that waits for something else than the database, such as the POS, a password check or the queue of files: it takes no turn (H20). */
export const TakesNoTurn = () => SetMetadata(NO_TURN, true);

/** Requests under way of an account in each share (L125). */
const OF_ACCOUNT = { ordinary: 4, changes: 4, reports: 4, search: 1 } as const;
/** An account rests when its requests have taken this time together beyond its part of the time, in ms (L128). */
const RESTS_AFTER_MS = 1_000;
/** The connections that a sale finds free: requests take at most this part of them (L127). */
const PART_OF_CONNECTIONS = 0.6;
/** The rights to a file are confirmed again after this time, in ms (L192). */
const PIECES_CONFIRMED_FOR_MS = 1_000;
/** For so long may a client take nothing of a file, in ms (L157). */
const TAKES_NOTHING_MS = 60_000;

/** What the slots of this process depend on. */
export interface ShareOptions {
  readonly databasePoolSize: number;
  /** undefined: the embedded database, whose statements run one after the other */
  readonly databaseUrl: string | undefined;
}

export type Linked = { readonly restaurantId?: string; readonly foundedBy: string | null };

interface Held {
  readonly reply: FastifyReply;
  readonly share: Counted;
  /** aborts when the client has gone */
  readonly gone: () => AbortSignal;
  turnOf: readonly [key: string, founder: string | undefined];
  /** how long it has waited for its turns, or its client, ms */
  waitedMs: number;
  /** since when it waits now, by performance.now(), ms */
  waitsSince: number | undefined;
  /** frees its turn */
  endTurn: (() => void) | undefined;
  /** frees its slot of the account */
  leave: (() => void) | undefined;
  /** since when it has this slot, by performance.now(), ms */
  since: number;
  /** refuses when what allows the request has ended (A40) */
  confirm: (() => Promise<void>) | undefined;
}

/**
 * The shares of accounts and restaurants in what the API takes from the database (H19, H20): an account has some requests under way, and
 * these take turns by restaurant. A request holds both until its answer is known. A file holds the slot of its account until it is written, and its
 * turn only while a piece of it is read.
 */
@Injectable()
export class Shares {
  private readonly accounts: Readonly<Record<Counted, FairSlots>>;
  private readonly turns: Readonly<Record<Counted, FairSlots>>;
  private readonly refusals: AccountRefusals;
  private readonly held = new WeakMap<FastifyRequest, Held>();

  constructor(
    { databasePoolSize, databaseUrl }: ShareOptions,
    private readonly salesFirst: SalesFirst,
  ) {
    const total = Number.POSITIVE_INFINITY;
    this.accounts = {
      ordinary: new FairSlots({ total, ofKey: OF_ACCOUNT.ordinary, restsAfterMs: RESTS_AFTER_MS }),
      // no rest: somebody waits for what is changed, such as a cancel
      changes: new FairSlots({ total, ofKey: OF_ACCOUNT.changes }),
      reports: new FairSlots({ total, ofKey: OF_ACCOUNT.reports, restsAfterMs: RESTS_AFTER_MS }),
      search: new FairSlots({ total, ofKey: OF_ACCOUNT.search, restsAfterMs: RESTS_AFTER_MS }),
    };
    const isEmbedded = databaseUrl === undefined;
    const most = isEmbedded ? 2 : Math.max(1, Math.floor(databasePoolSize * PART_OF_CONNECTIONS));
    // on the embedded database whatever waits takes the time of sales: a restaurant with many accounts rests
    // as an account does, but only while others wait: all its people share its one turn
    const rests = isEmbedded ? { restsAfterMs: RESTS_AFTER_MS, restsIfOthersWait: true } : {};
    const ofAll = (total: number) => ({
      get total() {
        return salesFirst.turns(total);
      },
      pauseAfter: (tookMs: number) => salesFirst.pauseAfter(total, tookMs),
    });
    const turnsOf = (total: number, ofKey: number) => new FairSlots(Object.assign(ofAll(total), { ofKey, ...rests }));
    // somebody waits for a change, such as a cancel: it waits for no read
    const changes = isEmbedded ? 2 : Math.max(1, Math.floor(most / 3));
    const reads = isEmbedded ? 2 : Math.max(1, most - changes);
    this.turns = {
      ordinary: turnsOf(reads, isEmbedded ? 1 : Math.min(4, reads)),
      changes: turnsOf(changes, isEmbedded ? 1 : Math.min(4, changes)),
      reports: turnsOf(8, isEmbedded ? 1 : 2),
      search: turnsOf(2, 1),
    };
    this.refusals = new AccountRefusals(salesFirst);
    salesFirst.onMore = () => {
      for (const slots of [...Object.values(this.turns), this.refusals]) slots.wake();
    };
  }

  /** Ends the slots of requests whose answer is known. Must be called before the routes are registered. */
  guard(app: NestFastifyApplication): void {
    const fastify = app.getHttpAdapter().getInstance();
    fastify.addHook('onSend', (request, reply, payload, next) => {
      const held = this.held.get(request);
      if (held?.leave && isRefusal(request, reply)) void this.refused(request, held).then(() => next(null, payload));
      else {
        if (held) this.answered(request, held, payload);
        next(null, payload);
      }
    });
  }

  /** Notes in which share a request counts, before its account is known. */
  announce(request: FastifyRequest, reply: FastifyReply, share: ShareOf = 'ordinary'): void {
    const name = typeof share === 'function' ? share(request.query as Record<string, unknown>) : share;
    const counted = name === 'ordinary' && request.method !== 'GET' ? 'changes' : name;
    let signal: AbortSignal | undefined;
    const gone = () => {
      signal ??= clientGone(reply);
      return signal;
    };
    this.held.set(request, {
      ...{ reply, share: counted, gone, turnOf: ['', undefined] },
      ...{ waitedMs: 0, waitsSince: undefined, endTurn: undefined, leave: undefined, since: 0, confirm: undefined },
    });
  }

  /**
   * Waits until the account has room for this request (H19). Does nothing for a request that was not announced.
   * @throws 503 TOO_MANY_AT_ONCE; ClientGoneError
   */
  async enter(request: FastifyRequest, account: string): Promise<void> {
    const held = this.held.get(request);
    if (!held) return;
    held.turnOf = [account, undefined];
    const free = await this.accounts[held.share].take(account, held.gone);
    held.leave = () => free(held.waitedMs);
    held.since = performance.now();
  }

  /**
   * Waits until it is the turn of the restaurant; without one, of the account. Those of one founder take turns as one (H20).
   * @throws 503 TOO_MANY_AT_ONCE; ClientGoneError
   */
  async begin(request: FastifyRequest, link: Linked | undefined): Promise<void> {
    const held = this.held.get(request);
    if (!held) return;
    if (link) held.turnOf = [link.restaurantId ?? held.turnOf[0], link.foundedBy ?? undefined];
    held.waitsSince = performance.now();
    await this.takeTurn(held);
  }

  /** A file of this request is read on only while `confirm` resolves (A40). Does nothing for a request that was not announced. */
  confirmPieces(request: FastifyRequest, confirm: () => Promise<void>): void {
    const held = this.held.get(request);
    if (held) held.confirm = confirm;
  }

  /** Frees the slots of a request. Does nothing when it has none. */
  end(request: FastifyRequest): void {
    const held = this.held.get(request);
    if (!held) return;
    endTurn(held);
    endWait(held);
    held.leave?.();
    held.leave = undefined;
  }

  private async takeTurn(held: Held): Promise<void> {
    const free = await this.turns[held.share].take(held.turnOf[0], held.gone, held.turnOf[1]);
    endWait(held);
    const ends = this.salesFirst.read();
    held.endTurn = () => {
      ends();
      free();
    };
  }

  /** The refusal keeps the slot of its account, so that each has few of them that wait (H28). */
  private async refused(request: FastifyRequest, held: Held): Promise<void> {
    endTurn(held);
    endWait(held);
    const [account, founder] = held.turnOf;
    await this.refusals.wait({ account, founder, gone: held.gone }, performance.now() - held.since - held.waitedMs);
    this.end(request);
  }

  private answered(request: FastifyRequest, held: Held, payload: unknown): void {
    if (payload instanceof FileContent && !payload.closed) this.sends(request, held, payload);
    else this.end(request);
  }

  /**
   * A file is read piece by piece, each in a turn, as its client takes it. The first turn is the one that its request has. The file breaks off
   * when what allows it has ended (A40).
   */
  private sends(request: FastifyRequest, held: Held, file: FileContent): void {
    let confirmedAt = performance.now();
    file.readInTurns(async () => {
      if (!held.endTurn) await this.takeTurn(held);
      if (held.confirm && performance.now() - confirmedAt > PIECES_CONFIRMED_FOR_MS) {
        await held.confirm();
        confirmedAt = performance.now();
      }
      return () => {
        endTurn(held);
        held.waitsSince = performance.now();
      };
    });
    file.once('close', () => this.end(request));
    const { raw } = held.reply;
    // the time begins again with each byte that the client takes; a file that waits for its turn has nothing to take
    raw.setTimeout(TAKES_NOTHING_MS, () => {
      if (raw.writableLength > 0) raw.destroy();
    });
  }
}

function endTurn(held: Held): void {
  held.endTurn?.();
  held.endTurn = undefined;
}

function endWait(held: Held): void {
  if (held.waitsSince !== undefined) held.waitedMs += performance.now() - held.waitsSince;
  held.waitsSince = undefined;
}

/** @returns the share of a route, from its metadata */
export function shareOf(reflector: Reflector, context: ExecutionContext): ShareOf | undefined {
  return reflector.getAllAndOverride<ShareOf | undefined>(SHARE, [context.getHandler(), context.getClass()]);
}
