import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../random.js';
import { ask } from './client.js';
import type { BystanderCall } from './history.js';
import type { Callers } from './load.js';

const PATH = '/webhooks/terminal/receipts';
const PAUSE_MS = 200;
/** Empty lists after which there is nothing more, when nothing waits any more. */
const EMPTY_LISTS = 3;
/** How long the last lists may take, in ms; a receipt that is not there by then is missing. */
const LIMIT_MS = 60_000;

interface Receipt {
  readonly jobId: string;
  readonly type: string;
}

/** A sender that only reads the lists of receipts, one after the other, from any instance. */
export class ReceiptReader {
  /** the types that the lists had for each job id */
  readonly seen = new Map<string, Set<string>>();
  readonly calls: BystanderCall[] = [];
  private cursor: string | undefined;
  private emptyLists = 0;
  private isStopped = false;
  private reading: Promise<void> = Promise.resolve();

  constructor(
    private readonly callers: Callers,
    private readonly random: Random,
  ) {}

  start(): void {
    this.reading = this.read();
  }

  /** Resolves when the lists have come to an end. Call it when nothing is stored or settled any more. */
  async finish(): Promise<void> {
    this.emptyLists = 0;
    const startedAt = performance.now();
    while (this.emptyLists < EMPTY_LISTS && performance.now() - startedAt < LIMIT_MS) await delay(PAUSE_MS);
    this.stop();
    await this.reading;
  }

  stop(): void {
    this.isStopped = true;
  }

  private async read(): Promise<void> {
    while (!this.isStopped) {
      const query = this.cursor === undefined ? '' : `?after=${encodeURIComponent(this.cursor)}`;
      const { call, body } = await ask(this.random.pick(this.callers.doors), PATH + query, this.callers.jwt, {});
      const { status, code } = call;
      this.calls.push({ who: 'reader of receipts', path: PATH, status, code });
      if (status !== 200) await delay(PAUSE_MS);
      else await this.take(body.data, body.cursor as string, body.more === true);
    }
  }

  private async take(receipts: readonly Receipt[], cursor: string, more: boolean): Promise<void> {
    for (const { jobId, type } of receipts) this.seen.set(jobId, (this.seen.get(jobId) ?? new Set()).add(type));
    this.cursor = cursor;
    this.emptyLists = receipts.length === 0 ? this.emptyLists + 1 : 0;
    if (!more) await delay(PAUSE_MS);
  }
}
