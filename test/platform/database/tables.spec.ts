import { openDatabase, type TestDatabase } from '../../support/database.js';

/** The columns of a job that operators' SQL and the API speak of. */
const JOB = [
  ...['id', 'event_key', 'action', 'status', 'attempts', 'next_run_at', 'processing_at', 'locked_by', 'last_error'],
  ...['created_at', 'updated_at'],
];

describe('the tables', () => {
  let database: TestDatabase;
  let columns: { table: string; column: string }[];

  beforeAll(async () => {
    database = await openDatabase();
    columns = await database.query(
      `SELECT table_name::text AS "table", column_name::text AS "column" FROM information_schema.columns
       WHERE table_schema = 'public' AND table_name <> '_prisma_migrations'`,
    );
  });
  afterAll(() => database.close());

  test('have the names that operators know; none of them, and no column, needs quotes (S3)', async () => {
    const tables = ['users', 'restaurants', 'user_restaurants', 'terminal_events', 'outbox_jobs', 'delivery_attempts'];
    expect(columns.map(({ table }) => table)).toEqual(
      expect.arrayContaining([...tables, 'pos_tokens', 'audit_entries', 'relay_instances']),
    );
    const quoted = await database.query<{ name: string }>(
      `SELECT name FROM unnest($1::text[]) AS name WHERE quote_ident(name) <> name`,
      [[...new Set(columns.flatMap(({ table, column }) => [table, column]))]],
    );
    // words of SQL that are quoted here, and stand unquoted in a column list all the same
    const keywords = await database.query<{ word: string }>(
      `SELECT word FROM pg_get_keywords() WHERE catcode IN ('U', 'C')`,
    );
    const known = keywords.map(({ word }) => word);
    expect(quoted.filter(({ name }) => !known.includes(name))).toEqual([]);
  });

  test('a job has these columns (O4)', () => {
    const ofJobs = columns.filter(({ table }) => table === 'outbox_jobs').map(({ column }) => column);
    expect(ofJobs).toEqual(expect.arrayContaining(JOB));
  });
});
