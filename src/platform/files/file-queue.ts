import { HttpException, Injectable } from '@nestjs/common';
import type { Actor } from '../audit/actions.js';
import { BoundedMap } from '../bounded-map.js';
import { PrismaService } from '../database/prisma.service.js';
import { ClientGoneError } from '../http/client-gone.js';
import { problem } from '../http/problem.js';
import { AT_ONCE } from '../spare-core.js';
import { FILE_WORK_CODES } from './error-codes.js';

/** Work that waits, of all and of one restaurant or account, and for how long; ms (L112). */
const MOST_WAITING = 20;
const MOST_OF_ONE = 3;
const LONGEST_WAIT_MS = 20_000;
const RETRY_AFTER_SECONDS = 5;

/** Recent work decays: it counts half after the first time, and nothing after the second one, in ms. The most restaurants and accounts in memory (L156). */
const WORK_HALVES_MS = 60_000;
const WORK_FORGOTTEN_MS = 600_000;
const MOST_REMEMBERED = 1_000;

/** For whom work is done. */
export interface FileWorker {
  readonly restaurantId: string;
  /** absent: for nobody, such as a round */
  readonly userId?: string;
  /** whose restaurants and accounts count as one (O44); null, absent: nobody's */
  readonly foundedBy?: string | null;
  /** refuses when what allows the work has ended while it waited (A40) */
  readonly confirm?: Actor['confirm'];
}

interface Turn {
  /** the order in which turns are waited for */
  readonly place: number;
  /** the keys of its restaurant and account */
  readonly keys: readonly string[];
  /** these and that of its founder */
  readonly all: readonly string[];
  readonly begin: () => void;
  /** for work of a restaurant or account that has worked less */
  readonly giveWay: () => void;
}

/** How long a restaurant or account has worked until a time, in ms by performance.now(). */
interface Worked {
  readonly ms: number;
  readonly until: number;
}

/**
 * The turns of all work with files (J16; decisions/068): each restaurant and each account has one at a time, and the next is the one that has worked least
 * recently, all restaurants of its founder together, so that neither restaurants with much work nor a tenant with many of them hold up others.
 */
@Injectable()
export class FileQueue {
  /** restaurant or account -> since when, by performance.now(), ms */
  private readonly working = new Map<string, number>();
  /** oldest first */
  private readonly waiting = new Set<Turn>();
  private readonly worked = new BoundedMap<Worked>(MOST_REMEMBERED);
  private turns = 0;
  private underWay = 0;
  /** work with files that the instance does at once (L98) */
  readonly atOnce: number = AT_ONCE;

  constructor(private readonly prisma: PrismaService) {}

  /**
   * Runs the work when its turn has come.
   * @param gone aborts when nobody waits for it any more. An aborted turn is given up; work under way gets the signal.
   * @throws 429 TOO_MANY_UPLOADS when too much of the restaurant, or of the account, waits; 503 TOO_MUCH_FILE_WORK when too much of all waits and they
   * have not worked less than others that wait, or the turn does not come; as `confirm`; the reason of `gone`; what the work throws
   */
  async run<T>(worker: FileWorker, gone: AbortSignal, work: () => Promise<T>): Promise<T> {
    const { keys, all } = keysOf(worker);
    await this.turn(keys, all, gone);
    try {
      await worker.confirm?.(this.prisma);
      return await work();
    } finally {
      const now = performance.now();
      const tookMs = now - (this.working.get(keys[0] as string) ?? now);
      for (const key of all) this.worked.set(key, { ms: this.earlierOf(key, now) + tookMs, until: now });
      for (const key of keys) this.working.delete(key);
      this.underWay--;
      this.beginNext();
    }
  }

  /** How much work waits. */
  get size(): number {
    return this.waiting.size;
  }

  private turn(keys: readonly string[], all: readonly string[], gone: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (gone.aborted) return reject(reasonOf(gone));
      const isOwn = this.waitingOf(keys) >= MOST_OF_ONE;
      if (isOwn || (this.size >= MOST_WAITING && !this.makeRoom(all))) return reject(busy(isOwn));
      const give = (error: Error) => {
        end();
        this.waiting.delete(turn);
        reject(error);
      };
      const leave = () => give(reasonOf(gone));
      const timer = setTimeout(() => give(busy(false)), LONGEST_WAIT_MS);
      const end = () => {
        clearTimeout(timer);
        gone.removeEventListener('abort', leave);
      };
      const turn: Turn = {
        place: this.turns++,
        keys,
        all,
        begin: () => {
          end();
          this.underWay++;
          for (const key of keys) this.working.set(key, performance.now());
          resolve();
        },
        giveWay: () => give(busy(false)),
      };
      gone.addEventListener('abort', leave, { once: true });
      this.waiting.add(turn);
      this.beginNext();
      return undefined;
    });
  }

  /** How many turns wait of the restaurant, of the account, or of the founder: the greatest number of these keys. */
  private waitingOf(keys: readonly string[]): number {
    const turns = [...this.waiting];
    return Math.max(...keys.map((key) => turns.filter((turn) => turn.all.includes(key)).length));
  }

  /** The newest turn of those that have worked most gives way to one that has worked less, or as little and has fewer turns. */
  private makeRoom(all: readonly string[]): boolean {
    const now = performance.now();
    const [workMs, ownTurns] = [this.mostOf(all, now), this.waitingOf(all)];
    const [most] = [...this.waiting]
      .map((turn) => ({ turn, workMs: this.mostOf(turn.all, now), turns: this.waitingOf(turn.all) }))
      .sort((a, b) => b.workMs - a.workMs || b.turns - a.turns || b.turn.place - a.turn.place);
    if (!most || most.workMs < workMs) return false;
    if (most.workMs === workMs && most.turns <= ownTurns + 1) return false;
    most.turn.giveWay();
    return true;
  }

  /** How long the restaurant, the account or the founder has worked recently, whichever has worked most; ms */
  private mostOf(keys: readonly string[], now: number): number {
    return Math.max(...keys.map((key) => this.workOf(key, now)));
  }

  /** @returns how long a restaurant or account has worked recently, in ms */
  private workOf(key: string, now: number): number {
    return this.earlierOf(key, now) + now - (this.working.get(key) ?? now);
  }

  /** As {@link workOf}, without what is under way. */
  private earlierOf(key: string, now: number): number {
    const { ms, until } = this.worked.get(key) ?? { ms: 0, until: now };
    const agoMs = now - until;
    return agoMs < WORK_FORGOTTEN_MS ? ms * 0.5 ** (agoMs / WORK_HALVES_MS) : 0;
  }

  private beginNext(): void {
    while (this.underWay < this.atOnce) {
      const now = performance.now();
      const [next] = [...this.waiting]
        .filter(({ keys }) => !keys.some((key) => this.working.has(key)))
        .map((turn) => ({ turn, workMs: this.mostOf(turn.all, now), ownMs: this.mostOf(turn.keys, now) }))
        .sort((a, b) => a.workMs - b.workMs || a.ownMs - b.ownMs || a.turn.place - b.turn.place);
      if (!next) return;
      this.waiting.delete(next.turn);
      next.turn.begin();
    }
  }
}

function keysOf({ restaurantId, userId, foundedBy }: FileWorker): Pick<Turn, 'keys' | 'all'> {
  const keys = [`restaurant ${restaurantId}`, ...(userId === undefined ? [] : [`user ${userId}`])];
  return { keys, all: foundedBy ? [...keys, `founder ${foundedBy}`] : keys };
}

/** Whether the error says that work with files has no turn. */
export function isBusy(error: unknown): boolean {
  const body = error instanceof HttpException && error.getResponse();
  const { code } = (typeof body === 'object' ? body : {}) as { code?: string };
  return code === FILE_WORK_CODES.TOO_MANY_UPLOADS || code === FILE_WORK_CODES.TOO_MUCH_FILE_WORK;
}

/** @param isOwn whether the bound is the restaurant's own */
function busy(isOwn: boolean) {
  return isOwn
    ? problem(
        FILE_WORK_CODES.TOO_MANY_UPLOADS,
        'other files of the restaurant are being read just now: send it again',
        RETRY_AFTER_SECONDS,
      )
    : problem(
        FILE_WORK_CODES.TOO_MUCH_FILE_WORK,
        'too many files are being read just now: send it again',
        RETRY_AFTER_SECONDS,
      );
}

function reasonOf({ reason }: AbortSignal): Error {
  return reason instanceof Error && reason.name !== 'AbortError' ? reason : new ClientGoneError();
}
