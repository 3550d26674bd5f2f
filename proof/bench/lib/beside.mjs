// What is measured beside the work of a relay: the webhook, and the memory of the process.
import { readFileSync } from 'node:fs';

/** How often the memory is read, in ms. */
const READ_EVERY_MS = 50;

/** A terminal that sends sales at a fixed rate, whether they are answered or not. */
export class Beside {
  #sent = 0;
  #open = new Set();
  #times = [];
  #refused = 0;
  #timer;
  #everyMs;

  /** @param everyMs a sale each; ms */
  constructor(relay, sender, everyMs) {
    this.relay = relay;
    this.sender = sender;
    this.#everyMs = everyMs;
  }

  begin() {
    this.#times = [];
    this.#refused = 0;
    this.#timer = setInterval(() => {
      const sale = this.#send().finally(() => this.#open.delete(sale));
      this.#open.add(sale);
    }, this.#everyMs);
  }

  /** @returns the longest answer and the p99 in ms, and how many sales were not taken */
  async end() {
    clearInterval(this.#timer);
    await Promise.all(this.#open);
    const times = this.#times.toSorted((a, b) => a - b);
    return { longest: times.at(-1) ?? 0, p99: times[Math.floor(times.length * 0.99)] ?? 0, refused: this.#refused };
  }

  async #send() {
    const key = `beside-${process.pid}-${++this.#sent}`;
    const items = [{ itemCode: 'PZ-1', itemName: 'Pizza Margherita', quantity: 1, price: 12.5 }];
    const sale = { transactionKey: key, storeCode: this.sender.store, totalAmount: 12.5, items };
    const body = JSON.stringify({ ...sale, payments: [{ tenderType: 16, amount: 12.5 }] });
    const headers = { authorization: this.sender.authorization, 'content-type': 'application/json' };
    const begin = performance.now();
    const answer = await fetch(`${this.relay.url}/webhooks/terminal`, { method: 'POST', headers, body });
    await answer.arrayBuffer();
    if (!answer.ok) this.#refused++;
    this.#times.push(performance.now() - begin);
  }
}

/** The resident memory of a process, in KiB. */
export class Memory {
  constructor(pid) {
    const read = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
    this.before = read();
    this.peak = this.before;
    this.timer = setInterval(() => {
      this.peak = Math.max(this.peak, read());
    }, READ_EVERY_MS);
  }

  end() {
    clearInterval(this.timer);
    return { before: this.before, peak: this.peak };
  }
}
