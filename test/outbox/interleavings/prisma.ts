import { Prisma } from '../../../src/platform/database/generated/client.js';
import type { PreparedStatement } from '../../../src/platform/database/prepared.js';
import type { SimulatedDatabase } from './database.js';

/** Where a statement, or a transaction, waits for its turn. @param title for the history */
export type Turnstile = <T>(title: string, execute: () => Promise<T>) => Promise<T>;

/** What a statement of the outbox is about, by what only it says. */
const TITLES: readonly (readonly [RegExp, string])[] = [
  [/WITH poll AS MATERIALIZED/, 'offers orders'],
  [/INSERT INTO pos_acceptances/, 'records what the POS says'],
  [/FROM live_pos_credentials credential LEFT JOIN LATERAL/, 'reads offered orders'],
  [/FROM live_pos_credentials credential/, 'reads the order of the POS'],
  [/RECURSIVE waiting/, 'claims due jobs by turns'],
  [/WITH ended AS/, 'settles'],
  [/WITH delivered AS/, 'settles late'],
  [/locked_by = ANY/, 'releases the jobs of an unanswered claim'],
  [/SET attempts = attempts - 1/, 'releases'],
  [/WITH stuck AS/, 'returns expired leases'],
  [/WITH sale AS/, 'stores a sale'],
  [/'CANCEL', 'PENDING'/, 'stores a cancel'],
  [/^UPDATE outbox_jobs SET status = 'DLQ'/, 'withdraws the order to cancel'],
  [/INSERT INTO spent_keys/, 'notes the keys of old orders'],
  [/AS "notFoundForMs"/, 'reads the traces of the order'],
  [/AS "mayHaveArrived"/, 'reads the order to cancel'],
  [/AS arrived$/, 'reads whether the order may have arrived'],
];

const titleOf = (text: string) => TITLES.find(([words]) => words.test(text.trim()))?.[1] ?? text.trim().slice(0, 60);

/**
 * The statements of the outbox, each of which waits for its turn before it reaches the database. Text and values are those
 * that Prisma would send, without the time that Prisma takes.
 */
export class SimulatedPrisma {
  constructor(
    private readonly database: SimulatedDatabase,
    private readonly turnstile: Turnstile,
  ) {}

  prepared = ({ text }: PreparedStatement, values: readonly unknown[]) =>
    this.turnstile(titleOf(text), async () => (await this.database.query(text, values)).rows);

  $queryRaw = (text: TemplateStringsArray, ...values: unknown[]) => {
    const sql = Prisma.sql(text, ...values);
    return this.turnstile(titleOf(sql.text), async () => (await this.run(sql)).rows);
  };

  $executeRaw = (text: TemplateStringsArray, ...values: unknown[]) => {
    const sql = Prisma.sql(text, ...values);
    return this.turnstile(titleOf(sql.text), async () => (await this.run(sql)).rowCount);
  };

  /** All of it in one turn: on one session nobody else's statement comes between. */
  $transaction = <T>(work: (tx: object) => Promise<T>) =>
    this.turnstile('removes old orders', async () => {
      const tx = {
        $queryRaw: async (text: TemplateStringsArray, ...values: unknown[]) =>
          (await this.run(Prisma.sql(text, ...values))).rows,
        $executeRaw: async (text: TemplateStringsArray, ...values: unknown[]) =>
          (await this.run(Prisma.sql(text, ...values))).rowCount,
      };
      await this.database.query('BEGIN');
      try {
        const result = await work(tx);
        await this.database.query('COMMIT');
        return result;
      } catch (error) {
        await this.database.query('ROLLBACK');
        throw error;
      }
    });

  outboxJob = {
    findUnique: (args: Prisma.OutboxJobFindUniqueArgs) =>
      this.turnstile('looks up a job', async () => this.database.models.outboxJob.findUnique(args)),
  };

  deliveryAttempt = {
    findMany: (args: Prisma.DeliveryAttemptFindManyArgs) =>
      this.turnstile('reads whether it has settled before', async () =>
        this.database.models.deliveryAttempt.findMany(args),
      ),
  };

  private run(sql: Prisma.Sql) {
    return this.database.query(sql.text, sql.values);
  }
}
