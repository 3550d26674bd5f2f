import { HttpException, Injectable } from '@nestjs/common';
import { ClientGoneError } from '../http/client-gone.js';
import { problem } from '../http/problem.js';

/** Work with files that an instance does at once (L98). */
const AT_ONCE = 2;
/** Work that waits, of all restaurants and of one, and for how long; ms (L112). */
const MOST_WAITING = 20;
const MOST_OF_ONE = 3;
const LONGEST_WAIT_MS = 20_000;
const RETRY_AFTER_SECONDS = 5;

interface Turn {
  readonly begin: () => void;
}

/**
 * The turns of all work with files (J16; decisions/068): each restaurant has one at a time, and those that wait have theirs by restaurant, so
 * that one restaurant's files hold up no other's by more than one.
 */
@Injectable()
export class FileQueue {
  private readonly working = new Set<string>();
  /** restaurant -> its turns. The first restaurant that has none at work is next. */
  private readonly waiting = new Map<string, Turn[]>();

  /**
   * Runs the work when its turn has come.
   * @param gone aborts when nobody waits for it any more. An aborted turn is given up; work under way gets the signal.
   * @throws 429 TOO_MANY_UPLOADS when too much of the restaurant waits; 503 TOO_MUCH_FILE_WORK when too much of all waits, or the turn does not
   * come; the reason of `gone`; what the work throws
   */
  async run<T>(restaurantId: string, gone: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.turn(restaurantId, gone);
    try {
      return await work();
    } finally {
      this.working.delete(restaurantId);
      const rest = this.waiting.get(restaurantId);
      // behind the other restaurants
      if (rest) {
        this.waiting.delete(restaurantId);
        this.waiting.set(restaurantId, rest);
      }
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
      if (isOwn || this.size >= MOST_WAITING) return reject(busy(isOwn));
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
        begin: () => {
          end();
          this.working.add(restaurantId);
          resolve();
        },
      };
      gone.addEventListener('abort', leave, { once: true });
      this.waiting.set(restaurantId, [...own, turn]);
      this.beginNext();
      return undefined;
    });
  }

  private beginNext(): void {
    while (this.working.size < AT_ONCE) {
      const [restaurantId, [turn] = []] = [...this.waiting].find(([id]) => !this.working.has(id)) ?? [];
      if (restaurantId === undefined || !turn) return;
      this.remove(restaurantId, turn);
      turn.begin();
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
  return code === 'TOO_MANY_UPLOADS' || code === 'TOO_MUCH_FILE_WORK';
}

/** @param isOwn whether the bound is the restaurant's own */
function busy(isOwn: boolean) {
  return isOwn
    ? problem(
        'TOO_MANY_UPLOADS',
        'other files of the restaurant are being read just now: send it again',
        RETRY_AFTER_SECONDS,
      )
    : problem('TOO_MUCH_FILE_WORK', 'too many files are being read just now: send it again', RETRY_AFTER_SECONDS);
}

function reasonOf({ reason }: AbortSignal): Error {
  return reason instanceof Error && reason.name !== 'AbortError' ? reason : new ClientGoneError();
}
