import { type Helper, startLoader, startReceiver } from '../load/processes.mjs';

const CONNECTIONS = 40;

/** What the terminals saw for a while. */
export interface Window {
  readonly seconds: number;
  /** sales that were sent, and orders that the POS got */
  readonly sent: number;
  readonly delivered: number;
  /** 99th percentile of the times until the answers, in ms */
  readonly p99: number;
}

/** The terminals and the POS of a run, as processes: those of the benchmark. */
export class Load {
  accepted = 0;
  refused = 0;
  private calls = 0;

  private constructor(
    private readonly loader: Helper,
    private readonly receiver: Helper,
    readonly posUrl: string,
  ) {}

  static async start(): Promise<Load> {
    const receiver = startReceiver();
    return new Load(startLoader(), receiver, await receiver.call('listen'));
  }

  /** Each connection sends the next sale as soon as the one before is answered. */
  flood(relay: Target, seconds: number): Promise<Window> {
    return this.measure('saturate', relay, { seconds });
  }

  /** Sends `rate` sales a second for `ms`, without waiting for the answers; resolves when all are answered. */
  pace(relay: Target, rate: number, ms: number): Promise<Window> {
    return this.measure('pace', relay, { everyMs: 1_000 / rate, count: Math.max(1, Math.round((rate * ms) / 1_000)) });
  }

  async close(): Promise<void> {
    await Promise.all([this.loader.end(), this.receiver.end()]);
  }

  private async measure(how: 'saturate' | 'pace', { url, sender }: Target, settings: object): Promise<Window> {
    const [startedAt, before] = [performance.now(), await this.receiver.call('total')];
    const load = { url, senders: [sender], connections: CONNECTIONS, prefix: `soak-${process.pid}-${++this.calls}` };
    const done = await this.loader.call(how, { ...load, ...settings });
    // of a flood a number, of a pace a list of times
    const sent: number = how === 'saturate' ? done.sent : done.sentAt.length;
    this.refused += done.refused;
    this.accepted += sent - done.refused;
    const delivered = (await this.receiver.call('total')) - before;
    const { p99 } = how === 'saturate' ? done : done.answered;
    return { seconds: (performance.now() - startedAt) / 1_000, sent, delivered, p99 };
  }
}

/** The relay, and who sends: see `senders` in load/loader.mjs. */
export interface Target {
  readonly url: string;
  readonly sender: { readonly store: string; readonly authorization: string };
}
