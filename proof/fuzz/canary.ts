import { setTimeout as delay } from 'node:timers/promises';
import type { PosSimulator } from '../../tools/simulator/simulator.js';
import { CANARY, saleOf } from './tenants.js';

const ANSWER_LIMIT_MS = 15_000;

/** A restaurant that sells during the campaign: each sale is answered with a 200 and cooked exactly once. */
export class Canary {
  readonly sold: string[] = [];
  /** sales that were not answered with a 200 */
  readonly refused: string[] = [];
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly url: string,
    private readonly terminalToken: string,
    private readonly pos: PosSimulator,
  ) {}

  /** @param everyMs between two sales, in ms */
  start(everyMs: number): void {
    this.running = this.sell(everyMs);
  }

  /** Ends the sales, and waits for the kitchen. @returns the keys of the sales that were not cooked exactly once */
  async finish(limitMs: number): Promise<string[]> {
    this.stopping.abort();
    await this.running;
    const cooked = (key: string) => this.pos.orderOf(CANARY.codeStorePos, key)?.cooked;
    await this.pos.when(() => this.sold.every((key) => cooked(key)), limitMs).catch(() => {});
    return this.sold.filter((key) => cooked(key) !== 1);
  }

  private async sell(everyMs: number): Promise<void> {
    for (let n = 1; !this.stopping.signal.aborted; n++) {
      const transactionKey = `canary-${n}`;
      const status = await this.post(transactionKey).catch((error: Error) => error.message);
      if (status === 200) this.sold.push(transactionKey);
      else this.refused.push(`${transactionKey}: ${status}`);
      await delay(everyMs, undefined, { signal: this.stopping.signal }).catch(() => {});
    }
  }

  private async post(transactionKey: string): Promise<number> {
    const answer = await fetch(`${this.url}/webhooks/terminal`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${this.terminalToken}` },
      body: JSON.stringify(saleOf(transactionKey, CANARY.codeStoreTerminal)),
      signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
    });
    await answer.text();
    return answer.status;
  }
}
