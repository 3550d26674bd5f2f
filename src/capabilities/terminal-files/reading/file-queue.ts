import { HttpException, Injectable } from '@nestjs/common';
import { BoundedMap } from '../../../platform/bounded-map.js';
import { ClientGoneError } from '../../../platform/http/client-gone.js';
import { problem } from '../../../platform/http/problem.js';
import { FILE_CODES } from '../error-codes.js';

/** Work with files that an instance does at once (L98). */
const AT_ONCE = 2;
/** Work that waits, of all restaurants and of one, and for how long; ms (L112). */
const MOST_WAITING = 20;
const MOST_OF_ONE = 3;
const LONGEST_WAIT_MS = 20_000;
const RETRY_AFTER_SECONDS = 5;

/** Recent work decays: it counts half after the first time, and nothing after the second one, in ms. The most restaurants in memory (L156). */
const WORK_HALVES_MS = 60_000;
const WORK_FORGOTTEN_MS = 600_000;
const MOST_REMEMBERED = 1_000;

interface Turn {
  /** the order in which turns are waited for */
  readonly place: number;
  readonly begin: () => void;
  /** for work of a restaurant that has worked less */
  readonly giveWay: () => void;
}

/** How long a restaurant has worked until a time, in ms by performance.now(). */
interface Worked {
  readonly ms: number;
  readonly until: number;
}

/**
 * The turns of all work with files (J16; decisions/068): each restaurant has one at a time, and the next is the restaurant that has worked least
 * recently, so that restaurants with much work hold up no other, and leave room for it.
 */
@Injectable()
export class FileQueue {
  /** restaurant -> since when, by performance.now(), ms */
  private readonly working = new Map<string, number>();
  /** restaurant -> its turns, oldest first */
  private readonly waiting = new Map<string, Turn[]>();
  private readonly worked = new BoundedMap<Worked>(MOST_REMEMBERED);
  private turns = 0;

  /**
   * Runs the work when its turn has come.
   * @param gone aborts when nobody waits for it any more. An aborted turn is given up; work under way gets the signal.
   * @throws 429 TOO_MANY_UPLOADS when too much of the restaurant waits; 503 TOO_MUCH_FILE_WORK when too much of all waits and the restaurant has
   * not worked less than another that waits, or the turn does not come; the reason of `gone`; what the work throws
   */
  async run<T>(restaurantId: string, gone: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.turn(restaurantId, gone);
    try {
      return await work();
    } finally {
      const now = performance.now();
      this.worked.set(restaurantId, { ms: this.workOf(restaurantId, now), until: now });
      this.working.delete(restaurantId);
      this.beginNext();
    }
  }

  /** How much work waits. */
  get size(): number {
    let size = 0;
    for (const turns of this.waiting.values()) size += turns.length;
    return size;
  }

  private turn(restaurantId: string, gone: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (gone.aborted) return reject(reasonOf(gone));
      const own = this.waiting.get(restaurantId) ?? [];
      const isOwn = own.length >= MOST_OF_ONE;
      if (isOwn || (this.size >= MOST_WAITING && !this.makeRoom(restaurantId, own.length))) return reject(busy(isOwn));
      const give = (error: Error) => {
        end();
        this.remove(restaurantId, turn);
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
        begin: () => {
          end();
          this.working.set(restaurantId, performance.now());
          resolve();
        },
        giveWay: () => give(busy(false)),
      };
      gone.addEventListener('abort', leave, { once: true });
      this.waiting.set(restaurantId, [...own, turn]);
      this.beginNext();
      return undefined;
    });
  }

  /** The newest turn of the restaurant that has worked most gives way to one that has worked less, or as little and has fewer turns. */
  private makeRoom(restaurantId: string, ownTurns: number): boolean {
    const now = performance.now();
    const workMs = this.workOf(restaurantId, now);
    const [most] = [...this.waiting]
      .map(([id, turns]) => ({ turns, workMs: this.workOf(id, now) }))
      .sort((a, b) => b.workMs - a.workMs || b.turns.length - a.turns.length);
    if (!most || most.workMs < workMs) return false;
    if (most.workMs === workMs && most.turns.length <= ownTurns + 1) return false;
    most.turns.at(-1)?.giveWay();
    return true;
  }

  /** @returns how long the restaurant has worked recently, in ms */
  private workOf(restaurantId: string, now: number): number {
    const { ms, until } = this.worked.get(restaurantId) ?? { ms: 0, until: now };
    const agoMs = now - until;
    const earlier = agoMs < WORK_FORGOTTEN_MS ? ms * 0.5 ** (agoMs / WORK_HALVES_MS) : 0;
    return earlier + now - (this.working.get(restaurantId) ?? now);
  }

  private beginNext(): void {
    while (this.working.size < AT_ONCE) {
      const now = performance.now();
      const [next] = [...this.waiting]
        .filter(([id]) => !this.working.has(id))
        .map(([id, [turn]]) => ({ id, turn: turn as Turn, workMs: this.workOf(id, now) }))
        .sort((a, b) => a.workMs - b.workMs || a.turn.place - b.turn.place);
      if (!next) return;
      this.remove(next.id, next.turn);
      next.turn.begin();
    }
  }

  private remove(restaurantId: string, turn: Turn): void {
    const rest = (this.waiting.get(restaurantId) ?? []).filter((one) => one !== turn);
    if (rest.length > 0) this.waiting.set(restaurantId, rest);
    else this.waiting.delete(restaurantId);
  }
}

/** Whether the error says that work with files has no turn. */
export function isBusy(error: unknown): boolean {
  const body = error instanceof HttpException && error.getResponse();
  const { code } = (typeof body === 'object' ? body : {}) as { code?: string };
  return code === FILE_CODES.TOO_MANY_UPLOADS || code === FILE_CODES.TOO_MUCH_FILE_WORK;
}

/** @param isOwn whether the bound is the restaurant's own */
function busy(isOwn: boolean) {
  return isOwn
    ? problem(
        FILE_CODES.TOO_MANY_UPLOADS,
        'other files of the restaurant are being read just now: send it again',
        RETRY_AFTER_SECONDS,
      )
    : problem(
        FILE_CODES.TOO_MUCH_FILE_WORK,
        'too many files are being read just now: send it again',
        RETRY_AFTER_SECONDS,
      );
}

function reasonOf({ reason }: AbortSignal): Error {
  return reason instanceof Error && reason.name !== 'AbortError' ? reason : new ClientGoneError();
}
