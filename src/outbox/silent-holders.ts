import { hostname } from 'node:os';
import { BEAT_INTERVAL_MS, DEAD_AFTER_MS } from './instances.js';
import type { Holder } from './store/holders.js';

/** A heartbeat may be late by this time, in ms. */
const LATE_MS = 5_000;

/**
 * Whether a process that starts may judge leases (O40). It has not seen the database's clock before. An instance that holds jobs and has been silent for
 * longer than a heartbeat takes has ended, or works and the clock has stepped: then its claims look older than they are, and what it sends now
 * would be sent twice. Its next heartbeat tells.
 */
export class SilentHolders {
  private since = Number.NaN;
  /** the last heartbeat of each, as it was at first; undefined: nothing was read yet */
  private silent: Map<string, number> | undefined;

  /** @param own the id of this instance: what held jobs under it before has ended */
  constructor(private readonly own: string) {}

  /** Whether nothing is left to find out. */
  get isEmpty(): boolean {
    return this.silent?.size === 0;
  }

  /**
   * @param leaseMs a claim of before the start has expired after this time, whatever its instance does
   * @returns 'judge': all have ended; 'wait': not known yet; 'stepped': one of them works
   */
  look(holders: readonly Holder[], leaseMs: number): 'judge' | 'wait' | 'stepped' {
    if (this.silent === undefined) {
      this.since = performance.now();
      const silent = holders.filter(({ id, silentMs }) => silentMs > BEAT_INTERVAL_MS + LATE_MS && !this.hasEnded(id));
      this.silent = new Map(silent.map(({ id, lastSeenMs }) => [id, lastSeenMs]));
    }
    const { silent } = this;
    const works = holders.some(({ id, lastSeenMs }) => (silent.get(id) ?? lastSeenMs) !== lastSeenMs);
    if (!works && !this.isEmpty && performance.now() - this.since < Math.min(DEAD_AFTER_MS, leaseMs)) return 'wait';
    silent.clear();
    return works ? 'stepped' : 'judge';
  }

  /** Whether it is known that a process has ended: this one has its id, or it was one of this machine. */
  private hasEnded(id: string): boolean {
    if (id === this.own) return true;
    const [host, pid] = id.split(/:(?=\d+$)/);
    if (host !== hostname()) return false;
    try {
      process.kill(Number(pid), 0);
      return false;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'ESRCH';
    }
  }
}
