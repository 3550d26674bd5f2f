import type { SoakDatabase } from './database.js';
import type { AcceptingPos } from './pos.js';
import type { Terminals } from './terminals.js';
import type { Sample } from './verdict.js';

const NAMES: Readonly<Record<string, string>> = {
  terminal_events: 'events',
  outbox_jobs: 'jobs',
  delivery_attempts: 'attempts',
  spent_keys: 'keys',
};

/** Takes samples of everything that must not grow, and of some that may. */
export class Sampler {
  readonly samples: Sample[] = [];
  private ordersBefore: number;
  private lastMs = 0;

  constructor(
    private readonly parts: {
      readonly url: string;
      readonly metricsToken: string;
      readonly database: SoakDatabase;
      readonly terminals: Terminals;
      readonly pos: AcceptingPos;
    },
    private readonly startedAt: number,
  ) {
    this.ordersBefore = parts.pos.orders;
  }

  async take(): Promise<Sample> {
    const { database, terminals, pos } = this.parts;
    const atMs = performance.now() - this.startedAt;
    const seconds = (atMs - this.lastMs) / 1_000;
    const { p99, count } = terminals.takeTimes();
    const delivered = pos.orders - this.ordersBefore;
    const [metrics, sizes, claim, waiting] = await Promise.all([
      this.metrics(),
      database.sizes(),
      database.claimMs(),
      database.waiting(),
    ]);
    const values: Record<string, number> = {
      ...{ 'sales/s': count / seconds, 'orders/s': delivered / seconds, 'p99 ms': p99, 'claim ms': claim, waiting },
      ...{ rss: metrics('process_resident_memory_bytes'), heap: metrics('nodejs_heap_size_used_bytes') },
      'dead rows': sizes.reduce((sum, { dead }) => sum + dead, 0),
    };
    for (const { name, table, indexes } of sizes) {
      values[NAMES[name] as string] = table;
      values[`${NAMES[name]} idx`] = indexes;
    }
    [this.ordersBefore, this.lastMs] = [pos.orders, atMs];
    const sample = { atMs, values };
    this.samples.push(sample);
    return sample;
  }

  /** @returns a reader of the relay's own metrics by name; a metric that is missing is 0 */
  private async metrics(): Promise<(name: string) => number> {
    const { url, metricsToken } = this.parts;
    const answer = await fetch(`${url}/admin/metrics/prometheus`, {
      headers: { authorization: `Bearer ${metricsToken}` },
    });
    if (!answer.ok) throw new Error(`the relay's metrics: HTTP ${answer.status}`);
    const text = await answer.text();
    return (name) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? 0);
  }
}
