import { sale } from '../../support/client.js';
import { OWN } from '../../support/environment.js';
import { Scenario } from '../../support/scenario.js';
import { marked } from '../../support/secrets.js';

/** Tables that a case changes. */
const SPOILED = ['users', 'restaurants', 'user_restaurants', '_prisma_migrations'];

/** Settings with which every check is ok. */
export const CAREFUL = {
  ...{ ONBOARDING: 'admin', LOGIN_ATTEMPTS_PER_MINUTE: '1000', ALERT_WEBHOOK_URL: 'https://hooks.example/alerts' },
  ALERT_WEBHOOK_SECRET: `whsec_${Buffer.from(marked('the secret of the webhook')).toString('base64')}`,
};

/** The columns of a claimed job, without processing_at. */
export const LOCKED = `status = 'PROCESSING', next_run_at = NULL, locked_by = 'old-host:1/claim', attempts = 1`;

/** A sale of each restaurant, without a job. */
const EARLIER_SALE = `INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, payload)
                      SELECT 'earlier', 'earlier', true, id, '{}' FROM restaurants`;

/** A deployment with one restaurant, in which every check is ok until a test changes something. */
export class Deployment {
  readonly database: Scenario['database'];
  readonly pos: Scenario['pos'];
  readonly relay: Scenario['relay'];
  readonly environment: Scenario['environment'];

  private constructor(private readonly scenario: Scenario) {
    ({ database: this.database, pos: this.pos, relay: this.relay, environment: this.environment } = scenario);
  }

  static async open(): Promise<Deployment> {
    // a POS where a new login ends the token before it
    const scenario = await Scenario.open({ POS_TIMEOUT_MS: '2000', ...CAREFUL }, { pos: { singleSession: true } });
    await scenario.relay.createRestaurant({ ...OWN, timezone: 'Europe/Rome' });
    for (const table of SPOILED) await scenario.database.query(`CREATE TABLE kept_${table} AS TABLE ${table}`);
    await scenario.database.query(EARLIER_SALE);
    // for a server whose autovacuum is off
    await scenario.database.query('ANALYZE');
    return new Deployment(scenario);
  }

  /** Restores the healthy deployment, without orders. */
  async restore(): Promise<void> {
    const { database, pos } = this;
    await database.query(`TRUNCATE terminal_events, outbox_jobs, delivery_attempts, ${SPOILED} CASCADE`);
    for (const table of SPOILED) await database.query(`INSERT INTO ${table} SELECT * FROM kept_${table}`);
    await database.query(EARLIER_SALE);
    await database.query('ALTER TABLE outbox_jobs RESET (autovacuum_enabled)');
    pos.behave({ mode: 'ok' });
    await pos.up();
  }

  close(): Promise<void> {
    return this.scenario.close();
  }

  /** A sale whose order is parked with this error. */
  async park(error: string): Promise<void> {
    await this.database.query(
      `UPDATE outbox_jobs SET status = 'DLQ', next_run_at = NULL, last_error = $2 WHERE id = $1::uuid`,
      [await this.relay.accept(sale()), error],
    );
  }
}
