import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

const CONNECTIONS = 40;
/** What is due is sent together, so often, in ms. */
const BEAT_MS = 10;

/** Payment terminals that post sales, at a rate or as fast as they are answered. */
export class Terminals {
  accepted = 0;
  refused = 0;
  private times: number[] = [];
  private sent = 0;
  private underWay = 0;
  private readonly agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });

  constructor(
    private readonly url: string,
    private readonly token: string,
    private readonly store: string,
  ) {}

  /** Each connection sends the next sale as soon as the one before is answered, for `ms` milliseconds. */
  async flood(ms: number): Promise<void> {
    const end = performance.now() + ms;
    const terminal = async () => {
      while (performance.now() < end) await this.sell();
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, terminal));
  }

  /**
   * Sends `rate` sales a second until `stop`, whether those before were answered or not; a sale that would wait for more than
   * a second's worth of others is not sent.
   */
  async pace(rate: number, stop: AbortSignal): Promise<void> {
    const beganAt = performance.now();
    const before = this.sent;
    while (!stop.aborted) {
      const due = ((performance.now() - beganAt) / 1_000) * rate - (this.sent - before);
      for (let i = 0; i < due && this.underWay < rate + CONNECTIONS; i++) void this.sell();
      await delay(BEAT_MS);
    }
    while (this.underWay > 0) await delay(BEAT_MS);
  }

  /** @returns the 99th percentile of the answers' times since the last call, in ms, and how many there were */
  takeTimes(): { readonly p99: number; readonly count: number } {
    const times = this.times.sort((a, b) => a - b);
    this.times = [];
    return { p99: times[Math.floor(times.length * 0.99)] ?? 0, count: times.length };
  }

  close(): void {
    this.agent.destroy();
  }

  private async sell(): Promise<void> {
    this.sent += 1;
    this.underWay += 1;
    const startedAt = performance.now();
    const status = await this.post(JSON.stringify(sale(this.sent, this.store))).catch(() => 0);
    this.underWay -= 1;
    this.times.push(performance.now() - startedAt);
    if (status === 200) this.accepted += 1;
    else this.refused += 1;
  }

  private post(body: string): Promise<number> {
    const headers = {
      authorization: `Bearer ${this.token}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    };
    return new Promise((resolve, reject) => {
      const sending = request(
        `${this.url}/webhooks/terminal`,
        { method: 'POST', agent: this.agent, headers },
        (answer) => {
          answer.resume().once('end', () => resolve(answer.statusCode ?? 0));
        },
      );
      sending.once('error', reject).end(body);
    });
  }
}

function sale(number: number, storeCode: string) {
  return {
    ...{ transactionKey: `SOAK-${process.pid}-${number}`, transactionNumber: String(number), storeCode },
    ...{ transactionDate: '2026-01-31T20:15:00Z', totalAmount: 79.8 },
    items: [{ itemCode: 'PZ-01', itemName: 'Pizza Margherita', quantity: 2, price: 39.9 }],
    payments: [{ tenderType: 16, amount: 79.8 }],
  };
}
