import { Injectable } from '@nestjs/common';
import { BoundedMap } from '../../platform/bounded-map.js';
import { problem } from '../../platform/http/problem.js';
import { CHECK_CODES } from './error-codes.js';

/** The least time between the beginnings of two checks of the same restaurant or by the same caller; ms. */
const APART_MS = 5_000;
/** The most concurrent checks in this process. */
const AT_ONCE = 10;
/** The most entries in memory; the oldest is removed first. */
const MAX_TRACKED = 10_000;

/**
 * Limits checks, because each check calls the POS (R26). For each restaurant and for each caller, one check runs at a time, and at most
 * one begins within 5 s. The limits are in memory: each instance counts its own checks.
 */
@Injectable()
export class CheckTurns {
  private readonly running = new Set<string>();
  /** restaurant or caller -> beginning of the last check, in ms of performance.now() */
  private readonly begun = new BoundedMap<number>(MAX_TRACKED);
  private underWay = 0;

  /**
   * Registers the beginning of a check.
   * @returns a function that registers its end
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
  return problem(CHECK_CODES.TOO_MANY_CHECKS, `a check has just begun; try again in ${seconds} s`, seconds);
}
