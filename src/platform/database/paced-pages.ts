import { setTimeout as delay } from 'node:timers/promises';
import type { PrismaService } from './prisma.service.js';

/** How {@link PacedPages} are read. */
export interface Pacing {
  /** size of the first page and of the largest, in a unit of the caller, such as rows */
  readonly first: number;
  readonly most: number;
  /** after a page that was quicker the next one is twice as large, after a slower one a quarter; ms */
  readonly quickMs: number;
  readonly slowMs: number;
  /** on the embedded database, after a page that took `fromMs`: a multiple of its time, and the longest rest in ms */
  readonly rest: { readonly fromMs: number; readonly times: number; readonly mostMs: number };
}

/**
 * Pages of a long read beside other work. Payloads may have 50,000 values, and are stored compressed: only the time of a page says how large the
 * next one may be. On the embedded database nothing else runs beside a page; after a page for which others have waited, the read rests.
 */
export class PacedPages {
  private size: number;

  constructor(
    private readonly prisma: Pick<PrismaService, 'embeddedStatements'>,
    private readonly pacing: Pacing,
    private readonly wait: (ms: number) => Promise<unknown> = delay,
  ) {
    this.size = pacing.first;
  }

  /** Reads the next page, and rests. @param page reads a page of at most this size @throws the error of `page` */
  async read<Page>(page: (size: number) => Promise<Page>): Promise<Page> {
    const [before, startedAt] = [this.prisma.embeddedStatements, performance.now()];
    const read = await page(this.size);
    const tookMs = performance.now() - startedAt;
    this.adapt(tookMs);
    const { fromMs, times, mostMs } = this.pacing.rest;
    // more statements than the one of this page
    const othersWaited = (this.prisma.embeddedStatements ?? 0) - (before ?? 0) > 1;
    if (othersWaited && tookMs >= fromMs) await this.wait(Math.min(mostMs, times * tookMs));
    return read;
  }

  private adapt(tookMs: number): void {
    const { quickMs, slowMs, most } = this.pacing;
    if (tookMs > slowMs) this.size = Math.max(1, Math.floor(this.size / 4));
    else if (tookMs <= quickMs) this.size = Math.min(most, this.size * 2);
  }
}
