import { PosSimulator } from '../../src/pos/simulator.js';
import { openDatabase, type TestDatabase } from '../support/database.js';
import { PARTNER, testEnvironment } from '../support/environment.js';
import { TestRelay } from '../support/relay.js';
import { sale } from '../support/sale.js';

/** What a case takes away, or spoils. */
const SPOILED = ['restaurants', 'user_restaurants', '_prisma_migrations'];

/** A job locked as a worker locks it, but for the time. */
export const LOCKED = `status = 'PROCESSING', next_run_at = NULL, locked_by = 'old-host:1/claim', attempts = 1`;

/** A deployment with one restaurant, which lacks nothing until a test takes something away. */
export class Deployment {
  private constructor(
    readonly database: TestDatabase,
    readonly pos: PosSimulator,
    readonly relay: TestRelay,
    readonly environment: Record<string, string>,
  ) {}

  static async open(): Promise<Deployment> {
    const database = await openDatabase();
    // a POS where a new login ends the token before it
    const pos = new PosSimulator({ partners: { [PARTNER.id]: PARTNER.secret, own: 'hush-hush' }, singleSession: true });
    const environment = testEnvironment(database, { POS_BASE_URL: await pos.listen() });
    const relay = await TestRelay.start(database, environment);
    await relay.createRestaurant({ posIdPartner: 'own', posSecret: 'hush-hush' });
    for (const table of SPOILED) await database.query(`CREATE TABLE kept_${table} AS TABLE ${table}`);
    return new Deployment(database, pos, relay, environment);
  }

  /** Healthy again, and without a sale. */
  async restore(): Promise<void> {
    const { database, pos } = this;
    await database.query(`TRUNCATE terminal_events, outbox_jobs, delivery_attempts, ${SPOILED} CASCADE`);
    for (const table of SPOILED) await database.query(`INSERT INTO ${table} SELECT * FROM kept_${table}`);
    pos.behave({ mode: 'ok' });
    await pos.up();
  }

  async close(): Promise<void> {
    await this.relay.close();
    await this.pos.close();
    await this.database.close();
  }

  /** A sale whose order was given up for this reason. */
  async park(error: string): Promise<void> {
    await this.database.query(
      `UPDATE outbox_jobs SET status = 'DLQ', next_run_at = NULL, last_error = $2 WHERE id = $1::uuid`,
      [await this.relay.accept(sale()), error],
    );
  }
}
