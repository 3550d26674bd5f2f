import { readFileSync } from 'node:fs';
import { migrate, readMigrations } from '../../../src/platform/database/migrations/migrations.js';
import { connected } from '../../runner/template.js';
import { openDatabase, type TestDatabase } from '../../support/database.js';
import { idOf } from './left-by-a-jump.js';

const THIS = readMigrations().findIndex(({ name }) => name.endsWith('_one_message_queue'));
const [OWNER, RESTAURANT, ALERT] = [idOf(1), idOf(2), idOf(3)];

/** The statements of the version before, by what they do. */
const STATEMENTS = Object.fromEntries(
  readFileSync(new URL('before-one-queue.sql', import.meta.url), 'utf8')
    .split(/^-- /m)
    .slice(2)
    .map((part) => [part.slice(0, part.indexOf('\n')), part.slice(part.indexOf('\n'), part.lastIndexOf(';'))]),
);

describe('the upgrade to one queue of messages (decisions/088)', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await openDatabase({ migrated: false });
    await connected(database.url, (client) => migrate(client, readMigrations().slice(0, THIS)));
    await database.query(`
      INSERT INTO users (id, email, password_hash) VALUES ('${OWNER}', 'owner@example.com', '-');
      INSERT INTO restaurants (id, name, slug) VALUES ('${RESTAURANT}', 'Roma', 'roma');
      INSERT INTO user_restaurants (id, user_id, restaurant_id, role, accepted_at) VALUES ('${idOf(4)}', '${OWNER}', '${RESTAURANT}', 'OWNER', now());
      INSERT INTO notification_preferences (user_id, language, mail_confirmed_at) VALUES ('${OWNER}', 'pt-BR', now());
      INSERT INTO alerts (id, kind, dedup_key, count) VALUES ('${ALERT}', 'ORDER_LATE', 'x', 1);
      INSERT INTO closing_mails (restaurant_id, number, user_id, id, state, attempts, next_try_at, claim, claimed_at, ended_at, reason)
      SELECT '${RESTAURANT}', number, '${OWNER}', id, state, attempts, '2026-11-01T10:01Z', claim, claimed_at, ended_at, reason
      FROM (VALUES
        (1, '${idOf(11)}'::uuid, 'SENT', 1, NULL::uuid, '2026-11-01T10:02Z'::timestamptz, '2026-11-01T10:03Z'::timestamptz, NULL),
        (2, '${idOf(12)}', 'FAILED', 5, NULL, '2026-11-01T10:02Z', '2026-11-01T10:03Z', 'the mail server: 450'),
        (3, '${idOf(13)}', 'SENDING', 1, '${idOf(9)}', '2026-11-01T10:02Z', NULL, NULL),
        (4, '${idOf(14)}', 'WAITING', 0, NULL, NULL, NULL, NULL)
      ) AS mail (number, id, state, attempts, claim, claimed_at, ended_at, reason)`);
    await connected(database.url, migrate);
  });
  afterAll(() => database.close());

  const run = (does: string, ...values: unknown[]) => database.query(STATEMENTS[does] as string, values);

  test('each mail about a closing becomes a message, with what has become of it (B12)', async () => {
    const rows = await database.query('SELECT * FROM notifications ORDER BY number');
    const mail = (changes: object) => ({
      ...{
        message_kind: 'closing',
        alert_id: null,
        step: null,
        subject: RESTAURANT,
        channel: 'mail',
        recipient: `user:${OWNER}`,
      },
      ...{
        user_id: OWNER,
        language: 'pt-BR',
        next_try_at: new Date('2026-11-01T10:01Z'),
        created_at: new Date('2026-11-01T10:00Z'),
      },
      ...{
        claim: null,
        claimed_at: new Date('2026-11-01T10:02Z'),
        ended_at: null,
        reason: null,
        token_hash: null,
        attempts: 1,
        ...changes,
      },
    });
    const ended_at = new Date('2026-11-01T10:03Z');
    expect(rows).toEqual([
      mail({ number: 1, id: idOf(11), state: 'SENT', ended_at }),
      mail({ number: 2, id: idOf(12), state: 'FAILED', attempts: 5, reason: 'the mail server: 450', ended_at }),
      mail({ number: 3, id: idOf(13), state: 'SENDING', claim: idOf(9) }),
      mail({ number: 4, id: idOf(14), state: 'WAITING', attempts: 0, claimed_at: null }),
    ]);
    expect(await database.query('SELECT FROM closing_mails')).toEqual([]);
  });

  test('a day that an instance of the version before closes is mailed once, by this version (B12)', async () => {
    await run('writes the mails of a closing', RESTAURANT, 5);
    await run('writes the mails of a closing', RESTAURANT, 5);
    expect(
      await database.query(
        `SELECT message_kind, subject, state, language, recipient, next_try_at > now() AS waits FROM notifications WHERE number = 5`,
      ),
    ).toEqual([
      {
        message_kind: 'closing',
        subject: RESTAURANT,
        state: 'WAITING',
        language: 'pt-BR',
        recipient: `user:${OWNER}`,
        waits: true,
      },
    ]);
    expect(await run('claims the mails', idOf(9))).toEqual([]);
  });

  test('its instances see no message of another kind than alerts, and go on with those of alerts (G5, G9)', async () => {
    await database.query(
      `INSERT INTO notifications (id, alert_id, step, channel, recipient, user_id, token_hash) VALUES ('${idOf(20)}', '${ALERT}', 0, 'push', 'user:x', '${OWNER}', 'hash')`,
    );
    expect(await run('claims notifications', idOf(9), ['ORDER_LATE'])).toMatchObject([{ id: idOf(20), step: 0 }]);
    await database.query(`UPDATE users SET role = 'ADMIN'`);
    expect(await run('acknowledges by a token', 'hash', 24, [])).toMatchObject([
      { alertId: ALERT, kind: 'ORDER_LATE' },
    ]);
    expect(await run('lists alerts')).toMatchObject([{ id: ALERT, told: [{ channel: 'push', state: 'SENDING' }] }]);
    await database.query(`UPDATE notifications SET state = 'SENT', claim = NULL WHERE id = '${idOf(20)}'`);
    await run('writes the messages that an alert is closed', ALERT);
    expect(await database.query(`SELECT message_kind FROM notifications WHERE step = -1`)).toEqual([
      { message_kind: 'alert' },
    ]);
  });

  test.each([
    ['of no alert and no subject', `(gen_random_uuid(), NULL, NULL, NULL, NULL)`],
    ['of an alert without a step', `(gen_random_uuid(), '${ALERT}', NULL, NULL, NULL)`],
    ['of a subject without a number', `(gen_random_uuid(), NULL, NULL, '${RESTAURANT}', NULL)`],
    ['of both', `(gen_random_uuid(), '${ALERT}', 1, '${RESTAURANT}', 1)`],
  ])('the database refuses a message %s (G5)', async (_, values) => {
    await expect(
      database.query(
        `INSERT INTO notifications (id, alert_id, step, subject, number, channel, recipient)
         SELECT id, alert_id::uuid, step::int, subject::uuid, number::int, 'push', 'user:x' FROM (VALUES ${values}) AS row (id, alert_id, step, subject, number)`,
      ),
    ).rejects.toThrow('notifications_about_check');
  });
});
