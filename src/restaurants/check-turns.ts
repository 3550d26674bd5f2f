import { HttpStatus, Injectable } from '@nestjs/common';
import { BoundedMap } from '../auth/bounded-map.js';
import { problem } from '../http/problem.js';

/** From the beginning of a check to the next one of the same restaurant or caller; ms. */
const APART_MS = 5_000;
/** Checks under way in this process. */
const AT_ONCE = 10;
/** Beyond it the oldest is forgotten. */
const MAX_TRACKED = 10_000;

/**
 * Lets checks of restaurants take turns, since each of them calls the POS: one at a time of a restaurant and of a caller, with 5 s
 * between their beginnings. In memory: each instance counts on its own.
 */
@Injectable()
export class CheckTurns {
  private readonly running = new Set<string>();
  /** of a restaurant or caller, when its last check began, by performance.now() */
  private readonly begun = new BoundedMap<number>(MAX_TRACKED);
  private underWay = 0;

  /**
   * Takes the turn of a restaurant and a caller.
   * @returns what ends it
   * @throws 429 TOO_MANY_CHECKS with Retry-After
   */
  take(restaurantId: string, userId: string): () => void {
    const now = performance.now();
    const keys = [`restaurant ${restaurantId}`, `user ${userId}`];
    const waits = keys.map((key) => (this.begun.get(key) ?? Number.NEGATIVE_INFINITY) + APART_MS - now);
    if (keys.some((key) => this.running.has(key)) || this.underWay >= AT_ONCE) throw tooMany(APART_MS);
    if (Math.max(...waits) > 0) throw tooMany(Math.max(...waits));
    this.underWay++;
    for (const key of keys) {
      this.running.add(key);
      this.begun.set(key, now);
    }
    return () => {
      this.underWay--;
      for (const key of keys) this.running.delete(key);
    };
  }
}

function tooMany(ms: number) {
  const seconds = Math.ceil(ms / 1_000);
  return problem(
    HttpStatus.TOO_MANY_REQUESTS,
    'TOO_MANY_CHECKS',
    `a check has just begun; try again in ${seconds} s`,
    seconds,
  );
}
