import type { RestaurantRole } from '../../src/domain/role.js';
import { PosSimulator } from '../../src/pos/simulator.js';
import { People } from '../api/people.js';
import { openDatabase, type TestDatabase } from '../support/database.js';
import { PARTNER } from '../support/environment.js';
import { Jobs } from '../support/jobs.js';
import { TestRelay } from '../support/relay.js';
import { sale } from '../support/sale.js';

export type Settled = 'SENT' | 'FAILED' | 'DLQ';

/** A relay, its POS, and the staff who look at the orders of restaurants. */
export class House {
  readonly jobs: Jobs;
  readonly people: People;

  private constructor(
    readonly database: TestDatabase,
    readonly relay: TestRelay,
    readonly pos: PosSimulator,
  ) {
    this.jobs = new Jobs(database);
    this.people = new People(database);
  }

  static async open(changes: Record<string, string> = {}): Promise<House> {
    const database = await openDatabase();
    const pos = new PosSimulator({ partners: { [PARTNER.id]: PARTNER.secret, 'own-partner': 'own-secret-4711' } });
    const relay = await TestRelay.start(database, { POS_BASE_URL: await pos.listen(), ...changes });
    return new House(database, relay, pos);
  }

  async close(): Promise<void> {
    await this.relay.close();
    await this.pos.close();
    await this.database.close();
  }

  /** A token of somebody with this role in the restaurant. */
  async staff(restaurantId: string, role: RestaurantRole): Promise<string> {
    const person = await this.people.user();
    await this.people.link(person.id, restaurantId, role);
    return this.relay.login(person);
  }

  /** A restaurant for one test alone, and the token of its owner. */
  async restaurant(code: string): Promise<{ id: string; token: string; sell: (changes?: object) => Promise<string> }> {
    const owner = await this.people.user();
    const id = await this.people.restaurant(code, [owner, 'OWNER']);
    await this.database.query(`UPDATE restaurants SET code_store_pos = '1001' WHERE id = $1`, [id]);
    const sell = (changes: object = {}) => this.relay.accept(sale({ storeCode: code, ...changes }));
    return { id, token: await this.relay.login(owner), sell };
  }

  get(path: string, token: string) {
    return this.relay.http.get(path).auth(token, { type: 'bearer' });
  }

  cancel(restaurantId: string, key: string, token: string) {
    const path = `/restaurants/${restaurantId}/orders/${encodeURIComponent(key)}/cancel`;
    return this.relay.http.post(path).auth(token, { type: 'bearer' });
  }

  async keyOf(jobId: string): Promise<string> {
    return (await this.jobs.get(jobId)).event_key;
  }

  /** One tick, in which the POS lets a job settle like this. */
  async settle(jobId: string, as: Settled, message?: string): Promise<string> {
    if (as !== 'SENT') this.pos.behave({ mode: 'status', status: as === 'DLQ' ? 422 : 503, errorCode: 310, message });
    await this.jobs.makeDue(jobId);
    await this.relay.tick();
    this.pos.behave({ mode: 'ok' });
    return jobId;
  }

  /** As if a worker had just taken it. */
  async take(jobId: string): Promise<string> {
    await this.database.query(
      `UPDATE outbox_jobs SET status = 'PROCESSING', attempts = 1, processing_at = now(),
         locked_by = 'worker-7/' || gen_random_uuid() WHERE id = $1`,
      [jobId],
    );
    return jobId;
  }

  /** As if it had been received, or asked for, at that time. */
  async receivedAt(jobId: string, time: string): Promise<void> {
    await this.database.query(
      `WITH job AS (UPDATE outbox_jobs SET created_at = $2 WHERE id = $1 RETURNING event_key, action)
       UPDATE terminal_events SET received_at = $2 FROM job WHERE transaction_key = event_key AND action = 'CREATE'`,
      [jobId, time],
    );
  }
}
