import { Duplex } from 'node:stream';
import type { PGlite } from '@electric-sql/pglite';
import pg from 'pg';
import { RELAY } from '../../../src/platform/database/connection.js';
import { PrismaClient } from '../../../src/platform/database/generated/client.js';
import { migrate } from '../../../src/platform/database/migrations/migrations.js';
import { ZonedPrismaPg } from '../../../src/platform/database/times.js';
import { restored } from '../../support/database.js';
import { muteAlarms, withoutAlarms } from './time.js';

/** A row of `outbox_jobs`; times in ms by the simulated clock. */
export interface Job {
  readonly id: string;
  readonly key: string;
  readonly restaurant: string;
  readonly action: 'CREATE' | 'CANCEL';
  readonly status: 'PENDING' | 'PROCESSING' | 'SENT' | 'FAILED' | 'DLQ';
  readonly attempts: number;
  readonly withdrawn: boolean;
  readonly lock: string | null;
  readonly error: string | null;
  readonly cause: string | null;
  readonly due: number | null;
  readonly locked: number | null;
  readonly updated: number;
}

/** A row of `delivery_attempts`; its id is the UUID of its claim. */
export interface Attempt {
  readonly id: string;
  readonly job: string;
  readonly number: number;
  readonly outcome: 'SENT' | 'FAILED' | 'DLQ' | 'LOST';
  readonly reach: 'NOT_SENT' | 'UNKNOWN' | 'ANSWERED';
  readonly http: number | null;
  readonly started: number;
}

/** A row of `pos_acceptances`: what a POS that pulls has said of an order (Q15). */
export interface Said {
  readonly id: string;
  readonly job: string;
  readonly offer: number;
  readonly state: 'ACCEPTED' | 'REFUSED';
  /** of a confirmation, its number; of a refusal, its code */
  readonly text: string;
  readonly offeredAs: string | null;
}

/** All that the rules look at, read between two steps. Events and spent keys as `restaurant/key`. */
export interface State {
  readonly jobs: readonly Job[];
  readonly attempts: readonly Attempt[];
  readonly said: readonly Said[];
  readonly events: readonly string[];
  readonly spent: readonly string[];
}

export const RESTAURANTS = ['00000000-0000-4000-8000-00000000000a', '00000000-0000-4000-8000-00000000000b'] as const;
/** credentials of the POS of the first restaurant */
export const TILLS = ['00000000-0000-4000-8000-0000000000c1', '00000000-0000-4000-8000-0000000000c2'] as const;
export const POS_STORES = ['1001', '1002'] as const;

const ms = (column: string) => `(extract(epoch FROM ${column}) * 1000)::float8`;
const STATE = `SELECT
  (SELECT coalesce(json_agg(job), '[]') FROM (
    SELECT id, event_key AS key, restaurant_id AS restaurant, action, status, attempts, withdrawn, locked_by AS lock,
           last_error AS error, cause, ${ms('next_run_at')} AS due, ${ms('processing_at')} AS locked, ${ms('updated_at')} AS updated
    FROM outbox_jobs) AS job) AS jobs,
  (SELECT coalesce(json_agg(attempt), '[]') FROM (
    SELECT id, job_id AS job, number, outcome, reach, http_status AS http, ${ms('started_at')} AS started
    FROM delivery_attempts ORDER BY started_at, number) AS attempt) AS attempts,
  (SELECT coalesce(json_agg(said), '[]') FROM (
    SELECT id, job_id AS job, offer, state, coalesce(number, code) AS text, offered_as AS "offeredAs" FROM pos_acceptances ORDER BY created_at, id) AS said) AS said,
  (SELECT coalesce(json_agg(restaurant_id || '/' || transaction_key), '[]') FROM terminal_events) AS events,
  (SELECT coalesce(json_agg(restaurant_id || '/' || transaction_key), '[]') FROM spent_keys) AS spent`;

/** The real tables, triggers and views on PGlite, spoken to by `pg` over a line within the process. */
export class SimulatedDatabase {
  /** for what is read by Prisma's models */
  readonly models: PrismaClient;
  private readonly names = new Map<string, string>();

  private constructor(
    private readonly pglite: PGlite,
    private readonly client: pg.Client,
    private readonly pool: pg.Pool,
    private readonly unmute: () => void,
  ) {
    this.models = new PrismaClient({ adapter: new ZonedPrismaPg(pool) });
  }

  static async open(): Promise<SimulatedDatabase> {
    // from its first moment: an alarm that is set before the simulation may ring within it
    const unmute = muteAlarms();
    const pglite = await withoutAlarms.run(true, restored);
    const config = { user: 'postgres', database: 'postgres', stream: () => new Line(pglite) } as pg.ClientConfig;
    // nobody reads the start-up message: the only session is the relay's
    await pglite.exec(`SET application_name = '${RELAY}'`);
    const client = new pg.Client(config);
    await client.connect();
    await migrate(client);
    const pool = new pg.Pool({ ...config, max: 1, idleTimeoutMillis: 0 });
    const database = new SimulatedDatabase(pglite, client, pool, unmute);
    await database.addRestaurants();
    return database;
  }

  /** Runs a statement, which is parsed and planned once. */
  query(text: string, values: readonly unknown[] = []): Promise<pg.QueryResult> {
    const name = this.names.get(text) ?? `simulated_${this.names.size}`;
    this.names.set(text, name);
    return this.client.query({ text, values: [...values], name });
  }

  async state(): Promise<State> {
    return (await this.query(STATE)).rows[0];
  }

  /** Empties it, so that rows lie in the same places in every run: jobs that are due at the same time are taken in this order. @param pulls the POS of the first restaurant does */
  async empty(pulls: boolean): Promise<void> {
    await this.query(
      `UPDATE restaurants SET pulls = $2, pos_vendor = CASE WHEN $2 THEN 'open-delivery' END, currency = 'BRL' WHERE id = $1`,
      [RESTAURANTS[0], pulls],
    );
    for (const table of ['delivery_attempts', 'outbox_jobs', 'terminal_events', 'spent_keys'])
      await this.query(`DELETE FROM ${table}`);
    await this.query('VACUUM delivery_attempts, outbox_jobs, terminal_events, spent_keys, pos_acceptances');
  }

  async close(): Promise<void> {
    await this.models.$disconnect();
    await this.pool.end();
    await this.client.end();
    await withoutAlarms.run(true, () => this.pglite.close());
    this.unmute();
  }

  private async addRestaurants(): Promise<void> {
    const owner = RESTAURANTS[0];
    await this.query(`INSERT INTO users (id, email, password_hash) VALUES ($1, 'owner@example.com', '')`, [owner]);
    for (const [i, id] of RESTAURANTS.entries()) {
      await this.query('INSERT INTO restaurants (id, name, slug, code_store_pos) VALUES ($1, $2, $2, $3)', [
        id,
        `restaurant-${i}`,
        POS_STORES[i],
      ]);
      await this.query(
        `INSERT INTO user_restaurants (id, user_id, restaurant_id, role) VALUES (gen_random_uuid(), $1, $2, 'OWNER')`,
        [owner, id],
      );
    }
    for (const till of TILLS)
      await this.query(
        `INSERT INTO pos_credentials (id, restaurant_id, name, secret_hash) VALUES ($1, $2, 'Till', '')`,
        [till, owner],
      );
  }
}

/** A connection without a socket: what `pg` writes goes to PGlite at once. */
class Line extends Duplex {
  constructor(private readonly pglite: PGlite) {
    super();
  }

  connect(): this {
    process.nextTick(() => this.emit('connect'));
    return this;
  }

  setNoDelay = () => this;
  setKeepAlive = () => this;
  ref = () => this;
  unref = () => this;

  override _read(): void {}

  override _write(chunk: Buffer, _: unknown, done: (error?: Error) => void): void {
    withoutAlarms.run(true, () => this.send(chunk)).then(() => done(), done);
  }

  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error) => void): void {
    this._write(Buffer.concat(chunks.map(({ chunk }) => chunk)), undefined, done);
  }

  private async send(messages: Buffer): Promise<void> {
    if (messages[0] === TERMINATE) {
      // the session is PGlite's only one
      this.destroy();
      return;
    }
    const answer = Buffer.from(await this.pglite.execProtocolRaw(messages));
    if (answer.length > 0) this.push(answer);
    // what follows an error in the same bytes is thrown away, the Sync that ends the error too
    const isOver = answer.subarray(-READY.length - 1, -1).equals(READY);
    if (messages.subarray(-SYNC.length).equals(SYNC) && !isOver) await this.send(SYNC);
  }
}

const TERMINATE = 0x58;
const SYNC = Buffer.from([0x53, 0, 0, 0, 4]);
/** ReadyForQuery; one byte follows */
const READY = Buffer.from([0x5a, 0, 0, 0, 5]);
