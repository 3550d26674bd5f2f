import type { Sent } from './campaign.js';
import type { Memory } from './relay.js';

/** What one request may cost, in ms of CPU of the whole process, collection of garbage included. */
const LIMIT_CPU_MS = 100;
/** A collection of garbage, a compilation or a round of the worker may fall into any try: the least of these counts. */
const TRIES = 6;
/** What the process may have grown by from the middle of a campaign to its end: caches that fill, a database that grows. */
const LIMIT_HEAP_BYTES = 24 * 1_048_576;
const LIMIT_RSS_BYTES = 96 * 1_048_576;

/** Measures what the relay spends on requests. */
export class Usage {
  /** what a few requests at once have cost at most, ms; each of them cost less */
  dearestFewMs = 0;
  /** the dearest of those that were measured alone, because a few at once were over the limit; the least of its tries, ms */
  dearestAloneMs = 0;
  /** how many were measured alone */
  alone = 0;
  /** the dearest with a password; ms of one try */
  dearestWithPasswordMs = 0;
  withPassword = 0;
  private before = 0;

  constructor(private readonly cpuMs: () => Promise<number>) {}

  /** To be called before the first request. */
  async begin(): Promise<void> {
    this.before = await this.cpuMs();
  }

  /** To be called after some requests. @returns their problems, by number of the request */
  async violations(sent: readonly Sent[]): Promise<{ readonly sent: Sent; readonly text: string }[]> {
    const now = await this.cpuMs();
    const spent = now - this.before;
    this.before = now;
    if (sent.some(({ request }) => request.checksPassword)) {
      this.withPassword++;
      this.dearestWithPasswordMs = Math.max(this.dearestWithPasswordMs, spent);
      return [];
    }
    if (spent <= LIMIT_CPU_MS) {
      this.dearestFewMs = Math.max(this.dearestFewMs, spent);
      return [];
    }
    const found = [];
    for (const one of sent) {
      const least = await this.least(one.again);
      if (least > LIMIT_CPU_MS)
        found.push({ sent: one, text: `${Math.round(least)} ms of CPU, of ${TRIES} tries the least` });
    }
    await this.begin();
    return found;
  }

  private async least(ask: () => Promise<unknown>): Promise<number> {
    let least = Number.POSITIVE_INFINITY;
    for (let tries = 0; tries < TRIES && least > LIMIT_CPU_MS; tries++) least = Math.min(least, await this.cost(ask));
    this.alone++;
    this.dearestAloneMs = Math.max(this.dearestAloneMs, least);
    return least;
  }

  private async cost(ask: () => Promise<unknown>): Promise<number> {
    const before = await this.cpuMs();
    await ask();
    return (await this.cpuMs()) - before;
  }
}

/** @returns what has grown too much from the middle to the end */
export function growth(middle: Memory, end: Memory): string[] {
  const grown = (name: keyof Memory, limit: number) =>
    end[name] - middle[name] > limit ? [`${name} grew from ${mib(middle[name])} to ${mib(end[name])} MiB`] : [];
  return [...grown('heapUsed', LIMIT_HEAP_BYTES), ...grown('rss', LIMIT_RSS_BYTES)];
}

export function memoryLine({ rss, heapUsed, external }: Memory): string {
  return `heap ${mib(heapUsed)}, outside it ${mib(external)}, resident ${mib(rss)} MiB`;
}

function mib(bytes: number): number {
  return Math.round(bytes / 1_048_576);
}
