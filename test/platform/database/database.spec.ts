import { openDatabase, type TestDatabase } from '../../support/database.js';

describe('constraints and triggers (O3)', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await openDatabase();
    await database.query(`
      INSERT INTO restaurants (id, name, slug) VALUES ('00000000-0000-4000-8000-000000000001', 'Roma', 'roma')`);
    await database.query(`
      INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, payload)
      VALUES ('K', 'K', false, '00000000-0000-4000-8000-000000000001', '{}')`);
    await database.query(`
      INSERT INTO outbox_jobs (id, event_key, restaurant_id)
      VALUES (gen_random_uuid(), 'K', '00000000-0000-4000-8000-000000000001')`);
  });
  afterAll(() => database.close());

  test.each([
    ['a status that does not exist', `UPDATE outbox_jobs SET status = 'LOST'`],
    ['PROCESSING without a lock', `UPDATE outbox_jobs SET status = 'PROCESSING'`],
    ['PROCESSING without lockedBy', `UPDATE outbox_jobs SET status = 'PROCESSING', processing_at = now()`],
    ['a lock without PROCESSING', `UPDATE outbox_jobs SET locked_by = 'me/1', processing_at = now()`],
    ['negative attempts', 'UPDATE outbox_jobs SET attempts = -1'],
    ['a waiting job without a due time', 'UPDATE outbox_jobs SET next_run_at = NULL'],
    [
      'a second CREATE job of one event',
      `INSERT INTO outbox_jobs (id, event_key, restaurant_id)
       SELECT gen_random_uuid(), event_key, restaurant_id FROM outbox_jobs`,
    ],
    ['a job without an event', `UPDATE outbox_jobs SET event_key = 'nothing'`],
    [
      'a second event of one key',
      `INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, payload)
       SELECT transaction_key, 'x', false, restaurant_id, payload FROM terminal_events`,
    ],
    [
      'a job of another restaurant than its event',
      `WITH other AS (INSERT INTO restaurants (id, name, slug) VALUES (gen_random_uuid(), 'Napoli', 'napoli') RETURNING id)
       UPDATE outbox_jobs SET restaurant_id = other.id FROM other`,
    ],
    ['an event without a restaurant', 'UPDATE terminal_events SET restaurant_id = gen_random_uuid()'],
    ['an event deleted under its job', 'DELETE FROM terminal_events'],
    ['an email with capitals', `INSERT INTO users (id, email, password_hash) VALUES (gen_random_uuid(), 'A@b.c', 'x')`],
    [
      'two restaurants of one slug',
      `INSERT INTO restaurants (id, name, slug) VALUES (gen_random_uuid(), 'Roma 2', 'roma')`,
    ],
    [
      'an attempt of no job',
      `INSERT INTO delivery_attempts (id, job_id, number, started_at, duration_ms, outcome, reach)
       VALUES (gen_random_uuid(), gen_random_uuid(), 1, now(), 1, 'SENT', 'ANSWERED')`,
    ],
  ])('%s is refused', async (_, sql) => {
    await expect(database.query(sql)).rejects.toMatchObject({ code: expect.stringMatching(/^(23|22P02)/) });
  });

  test('no session moves a job out of SENT', async () => {
    await database.query(
      `INSERT INTO outbox_jobs (id, event_key, restaurant_id, action, status, next_run_at)
       SELECT gen_random_uuid(), event_key, restaurant_id, 'CANCEL', 'SENT', NULL FROM outbox_jobs`,
    );
    for (const status of ['PENDING', 'FAILED', 'DLQ'])
      await expect(
        database.query(`UPDATE outbox_jobs SET status = $1::job_status, next_run_at = now()`, [status]),
      ).rejects.toThrow(/cannot be moved/);
  });
});
