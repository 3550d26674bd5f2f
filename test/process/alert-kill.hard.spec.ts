import { MailCatcher } from '../../tools/simulator/mail-catcher.js';
import { Scenario } from '../support/scenario.js';
import { until } from '../support/until.js';

/** A round is due within 15 s of the start. */
const PATIENCE_MS = 60_000;

describe('a process is killed while it tells somebody (G5)', () => {
  test('the message is sent again with the same id by another process; its row says that it may have arrived twice', async () => {
    const mail = new MailCatcher();
    const environment = { SMTP_URL: `smtp://127.0.0.1:${await mail.listen()}`, MAIL_FROM: 'relay@example.com' };
    const scenario = await Scenario.ofProcesses({ ...environment, WORKER_ENABLED: 'true' });
    try {
      const { database, people } = scenario;
      const owner = await people.user();
      const restaurant = await people.restaurant('STORE-1', [owner, 'OWNER']);
      await database.query('UPDATE user_restaurants SET accepted_at = now()');
      await database.query(`INSERT INTO notification_preferences (user_id, mail_confirmed_at) VALUES ($1, now())`, [
        owner.id,
      ]);
      // a condition that holds to the end: without it a round closes the alert, and nobody needs its message
      await database.query(
        `INSERT INTO refused_sales (id, restaurant_id, transaction_key, digest, differs, net_cents, payload)
         VALUES (gen_random_uuid(), $1::uuid, 'a key', repeat('0', 64), ARRAY['total'], 250, '{}')`,
        [restaurant],
      );
      // the step of the mail is due
      await database.query(
        `INSERT INTO alerts (id, restaurant_id, kind, dedup_key, count, covered_until, step, next_step_at)
         VALUES (gen_random_uuid(), $1::uuid, 'KEY_REUSED', 'KEY_REUSED:' || $1, 1, now(), 1, now())`,
        [restaurant],
      );
      const read = async () =>
        (
          await database.query<{ state: string; attempts: number; reason: string | null }>(
            'SELECT * FROM notifications',
          )
        )[0];

      mail.answers = false;
      const first = await scenario.startProcess();
      await until(async () => mail.mails.length === 1, PATIENCE_MS);
      await first.kill();
      expect(await read()).toMatchObject({ state: 'SENDING', attempts: 1 });

      mail.answers = true;
      await database.query(`UPDATE notifications SET claimed_at = claimed_at - interval '61 seconds'`);
      await scenario.startProcess();
      await until(async () => (await read())?.state === 'SENT', PATIENCE_MS);
      expect(await read()).toMatchObject({ attempts: 2, reason: expect.stringContaining('may have arrived twice') });
      const ids = mail.mails.map(({ source }) => /^Message-ID: (.*)$/m.exec(source)?.[1]);
      expect(ids).toHaveLength(2);
      expect(ids[1]).toBe(ids[0]);
    } finally {
      await scenario.close();
      await mail.close();
    }
  });
});
