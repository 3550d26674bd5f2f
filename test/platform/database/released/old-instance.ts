import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { Release } from './released.js';

/**
 * An instance of a released version, as far as the road of an order goes: its own statements, with values as that version
 * wrote them. When a release changes what these statements take, it gets a class of its own.
 */
export class OldInstance {
  private constructor(
    private readonly client: pg.Client,
    private readonly release: Release,
  ) {}

  /** @param statementLimitMs limit of each statement on the server; 0: none */
  static async connect(url: string, release: Release, statementLimitMs = 0): Promise<OldInstance> {
    const client = new pg.Client({
      connectionString: url,
      application_name: 'relay',
      statement_timeout: statementLimitMs,
    });
    // a test that fails closes its database first
    client.on('error', () => {});
    await client.connect();
    return new OldInstance(client, release);
  }

  /** Stores a sale of the terminal platform. @returns the job's id */
  async accept(restaurant: { id: string; code: string; posCode: string }, key: string): Promise<string> {
    const event = {
      ...{ transactionKey: key, sourceKey: key, testMode: false, restaurantId: restaurant.id },
      ...{ storeCode: restaurant.code, transactionNumber: '1', transactionDate: '2026-01-31T20:15:00.000Z' },
      ...{ amountMismatchCents: null, paidCents: '7980', paidByTender: { 16: 7980 }, warnings: [] },
      ...{ codeStoreTerminal: restaurant.code, codeStorePos: restaurant.posCode },
    };
    const payload = {
      ...{ transactionKey: key, storeCode: restaurant.code, totalAmount: 79.8 },
      items: [{ itemCode: 'PZ-01', itemName: 'Pizza Margherita', quantity: 2, price: 39.9 }],
      payments: [{ tenderType: 16, amount: 79.8 }],
    };
    const [stored] = await this.run<{ jobId: string }>('enqueue', [JSON.stringify([event]), [JSON.stringify(payload)]]);
    return String(stored?.jobId);
  }

  /** Locks one due job. @returns it; undefined when nothing is due */
  async lock(): Promise<{ id: string; eventKey: string; lockedBy: string; lockedAt: string } | undefined> {
    const [job] = await this.run<{ id: string; eventKey: string; lockedBy: string; lockedAt: string }>(
      'lock_by_turns',
      [[`old-instance/${randomUUID()}`], 1, ...[[], [], []]],
    );
    return job;
  }

  /** Settles it as delivered. @returns whether its lock held */
  async deliver({ id, lockedBy, lockedAt }: { id: string; lockedBy: string; lockedAt: string }): Promise<boolean> {
    const columns = [id, lockedBy, lockedAt, 12, 200, null, 'SENT', 'ANSWERED', null, null, '{"order_id":"any"}'];
    return (
      (
        await this.run(
          'settle',
          columns.map((value) => [value]),
        )
      ).length === 1
    );
  }

  /** Whether the server still understands every statement of it. @returns what it said of those it does not */
  async misunderstood(): Promise<string[]> {
    const errors: string[] = [];
    for (const { text } of this.release.statements) {
      const error = await this.client.query(`PREPARE old AS ${text}`).then(
        () => this.client.query('DEALLOCATE old').then(() => undefined),
        (refused: Error) => refused,
      );
      if (error) errors.push(`${error.message}: ${text}`);
    }
    return errors;
  }

  end(): Promise<void> {
    return this.client.end();
  }

  private async run<Row extends object>(name: string, values: unknown[]): Promise<Row[]> {
    const statement = this.release.statements.find((each) => each.name === name);
    if (!statement) throw new Error(`${this.release.version} has no statement ${name}`);
    return (await this.client.query<Row>(statement.text, values)).rows;
  }
}
