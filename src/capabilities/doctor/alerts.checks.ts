import type { Config } from '../../platform/config/config.js';
import { refusalOf } from '../../platform/outbound/guard.js';
import { platformKeyContext } from '../../platform/secrets/contexts.js';
import type { SecretBox } from '../../platform/secrets/secret-box.js';
import { type MailError, withMailServer } from '../channels/mail-transport.js';
import { errorText, ok, type Result, warning } from './check.js';
import { type Connection, rowsOf } from './connection.js';

const OPERATIONS = 'docs/operations/alerts.md';
const LOCAL_HOST = /^(localhost|127\.0\.0\.1|\[::1\])$/;

/** Checks that the mail server of SMTP_URL answers and accepts the sign-in (G25). No mail is sent. */
export async function mailCheck({ alerts: { mail } }: Config): Promise<Result> {
  if (!mail) return ok('not set up (SMTP_URL)');
  const { hostname } = new URL(mail.smtpUrl);
  try {
    await withMailServer(mail.smtpUrl, (server) => server.verify());
    return ok(`${hostname} is ready for mail of MAIL_FROM`);
  } catch (error) {
    const { responseCode } = error as MailError;
    const how = responseCode === undefined ? 'does not answer' : `refuses with ${responseCode}`;
    const hint = `check SMTP_URL; ${OPERATIONS}`;
    return warning(`${hostname} ${how}: nobody is notified by mail`, { details: [errorText(error)], hint });
  }
}

/** Checks that browsers can subscribe, and that the key of web push can be decrypted (G23). */
export async function pushCheck(database: Connection | 'new', config: Config, box: SecretBox): Promise<Result> {
  if (config.alerts.contact === undefined) return ok('not set up (ALERT_CONTACT)');
  const { protocol, hostname } = new URL(config.publicUrl);
  if (protocol !== 'https:' && !LOCAL_HOST.test(hostname))
    return warning('browsers subscribe over https only, and PUBLIC_URL is http', {
      hint: 'serve the console by https, and set PUBLIC_URL to its address',
    });
  const keys = await rowsOf<{ key: string }>(
    database,
    `SELECT private_key AS key FROM platform_keys WHERE name = 'push'`,
  );
  if (keys.some(({ key }) => box.open(key, platformKeyContext('push')) === undefined))
    return warning('SECRETS_KEY does not decrypt the key of web push: no device is notified', {
      hint: `set the previous SECRETS_KEY, or begin with a new key; ${OPERATIONS}`,
    });
  return ok('ALERT_CONTACT is set');
}

/** Checks that the relay may call the webhook of the platform (G27, G28). No message is sent. */
export function platformWebhookCheck({ alerts: { webhook, outboundAllow } }: Config): Result {
  if (!webhook) return ok('not set up (ALERT_WEBHOOK_URL)');
  const refusal = refusalOf(webhook.url, outboundAllow);
  if (refusal === undefined) return ok(`${new URL(webhook.url).host} is notified of alerts`);
  return warning(`it is not called: ${refusal}`, { hint: 'change ALERT_WEBHOOK_URL, or see OUTBOUND_ALLOW' });
}

/** Checks that there is somebody whom an alert reaches (G21), and somebody whom those of the platform reach (G4). */
export async function recipientsCheck(database: Connection | 'new', { alerts }: Config): Promise<Result> {
  if (alerts.webhook) return ok('the webhook of the platform is notified');
  const [row] = await rowsOf<{ anybody: boolean; administrator: boolean; webhook: boolean }>(
    database,
    `WITH reached AS (
       SELECT user_id FROM notification_preferences WHERE ${alerts.mail !== undefined} AND mail AND mail_confirmed_at IS NOT NULL
       UNION SELECT user_id FROM devices LEFT JOIN notification_preferences USING (user_id)
             WHERE ${alerts.contact !== undefined} AND confirmed_at IS NOT NULL AND coalesce(push, true))
     SELECT EXISTS (SELECT 1 FROM reached) AS anybody,
            EXISTS (SELECT 1 FROM reached JOIN users ON id = user_id WHERE role = 'ADMIN') AS administrator,
            EXISTS (SELECT 1 FROM alert_webhooks JOIN restaurants ON id = restaurant_id
                    WHERE confirmed_at IS NOT NULL AND deleted_at IS NULL) AS webhook`,
  );
  if (row?.administrator) return ok('somebody has confirmed a channel');
  if (row?.anybody || row?.webhook)
    return warning(
      'alerts of the platform, such as VENDOR_DOWN, reach nobody: no platform administrator has confirmed a channel',
      {
        hint: `ALERT_WEBHOOK_URL, or an administrator confirms a test message on the page Account of the console; ${OPERATIONS}`,
      },
    );
  if (!alerts.mail && alerts.contact === undefined)
    return warning('nobody is notified when orders wait: no channel is set up', {
      hint: `SMTP_URL, ALERT_CONTACT or ALERT_WEBHOOK_URL; ${OPERATIONS}`,
    });
  return warning('nobody is notified when orders wait: nobody has confirmed a channel', {
    hint: 'each person confirms a test message on the page Account of the console',
  });
}
