import { setTimeout as delay } from 'node:timers/promises';
import { connected } from '../../../runner/template.js';
import { OldInstance } from './old-instance.js';
import type { Release } from './released.js';

/** The limit of a statement that an instance has on the server, in ms. */
const STATEMENT_LIMIT_MS = 4_500;
const SELL_EVERY_MS = 25;

type OldRestaurant = Parameters<OldInstance['accept']>[0];

/** Terminals that sell over instances of a released version, each on a connection of its own, one sale after the other. */
export class OldTerminals {
  /** number of stored sales */
  stored = 0;
  /** the longest time in which no sale was stored, in ms */
  longestGapMs = 0;
  /** what the database said to sales that it did not store */
  readonly errors: string[] = [];
  private lastAt = performance.now();
  private isOpen = true;
  private selling: Promise<void>[] = [];

  /** @param count number of terminals */
  static async open(url: string, release: Release, count: number): Promise<OldTerminals> {
    const terminals = new OldTerminals();
    const restaurant = await connected(url, async (client) => {
      const sql = `SELECT id, code_store_terminal AS code, code_store_pos AS "posCode" FROM restaurants WHERE pos_secret IS NULL`;
      return (await client.query<OldRestaurant>(sql)).rows[0] as OldRestaurant;
    });
    for (let number = 0; number < count; number++) {
      const instance = await OldInstance.connect(url, release, STATEMENT_LIMIT_MS);
      terminals.selling.push(terminals.sell(instance, restaurant, number));
    }
    return terminals;
  }

  /** Ends after the sales under way. */
  async close(): Promise<void> {
    this.isOpen = false;
    await Promise.all(this.selling);
  }

  private async sell(instance: OldInstance, restaurant: OldRestaurant, number: number): Promise<void> {
    for (let sale = 0; this.isOpen; sale++) {
      await instance.accept(restaurant, `BESIDE-${number}-${sale}`).then(
        () => this.sold(),
        (error: Error) => this.errors.push(error.message),
      );
      await delay(SELL_EVERY_MS);
    }
    await instance.end();
  }

  private sold(): void {
    const now = performance.now();
    this.longestGapMs = Math.max(this.longestGapMs, Math.round(now - this.lastAt));
    this.lastAt = now;
    this.stored++;
  }
}
