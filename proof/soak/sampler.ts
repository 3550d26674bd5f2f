import type { SoakDatabase } from './database.js';
import type { Window } from './load.js';
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
  private readonly startedAt = performance.now();

  /** @param url of the relay @param metricsToken METRICS_TOKEN */
  constructor(
    private readonly url: string,
    private readonly metricsToken: string,
    private readonly database: SoakDatabase,
  ) {}

  /** @param window what the terminals saw since the last sample */
  async take({ seconds, sent, delivered, p99 }: Window): Promise<Sample> {
    const { database } = this;
    const [metrics, sizes, claim, waiting] = await Promise.all([
      this.metrics(),
      database.sizes(),
      database.claimMs(),
      database.waiting(),
    ]);
    const values: Record<string, number> = {
      ...{ 'sales/s': sent / seconds, 'orders/s': delivered / seconds, 'p99 ms': p99, 'claim ms': claim, waiting },
      ...{ rss: metrics('process_resident_memory_bytes'), heap: metrics('nodejs_heap_size_used_bytes') },
      'dead rows': sizes.reduce((sum, { dead }) => sum + dead, 0),
    };
    for (const { name, table, indexes } of sizes) {
      values[NAMES[name] as string] = table;
      values[`${NAMES[name]} idx`] = indexes;
    }
    const sample = { atMs: performance.now() - this.startedAt, values };
    this.samples.push(sample);
    return sample;
  }

  /** @returns a reader of the relay's own metrics by name; a metric that is missing is 0 */
  private async metrics(): Promise<(name: string) => number> {
    const headers = { authorization: `Bearer ${this.metricsToken}` };
    const answer = await fetch(`${this.url}/admin/metrics/prometheus`, { headers });
    if (!answer.ok) throw new Error(`the relay's metrics: HTTP ${answer.status}`);
    const text = await answer.text();
    return (name) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? 0);
  }
}
