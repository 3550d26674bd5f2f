import { loadConfig } from '../../../src/platform/config/config.js';
import { ENVIRONMENT, NO_POS } from '../../support/environment.js';
import { marked } from '../../support/secrets.js';

const SECRET = `whsec_${Buffer.from(marked('of the webhook of tests')).toString('base64')}`;
const MAIL = { SMTP_URL: 'smtps://user:p%40ss@mail.example', MAIL_FROM: 'Relay <relay@example.com>' };
const WEBHOOK = { ALERT_WEBHOOK_URL: 'https://hooks.example/x', ALERT_WEBHOOK_SECRET: SECRET };

const load = (changes: Record<string, string>) =>
  loadConfig({
    ...ENVIRONMENT,
    ...{ DATABASE_URL: 'postgresql://relay@db.example/relay', POS_BASE_URL: NO_POS },
    ...changes,
  }).alerts;

describe('the variables of the channels', () => {
  test('are read (S13)', () => {
    expect(load({ ...MAIL, ...WEBHOOK, ALERT_CONTACT: 'https://example.com/contact' })).toEqual({
      contact: 'https://example.com/contact',
      mail: { smtpUrl: MAIL.SMTP_URL, from: MAIL.MAIL_FROM },
      webhook: { url: WEBHOOK.ALERT_WEBHOOK_URL, secret: SECRET },
      outboundAllow: [],
    });
  });

  test.each([
    ['"Name, Ltd" <a@example.com>', '"Name, Ltd" <a@example.com>'],
    ['"A \\"b\\"" <a@example.com>', '"A \\"b\\"" <a@example.com>'],
    ['Pizzaria:Centro <a@example.com>', '"Pizzaria:Centro" <a@example.com>'],
    ['Relay <a@example.com>', 'Relay <a@example.com>'],
  ])('MAIL_FROM %s is the sender %s (S29)', (MAIL_FROM, from) => {
    expect(load({ ...MAIL, MAIL_FROM }).mail?.from).toBe(from);
  });

  test.each([
    ['MAIL_FROM is required with SMTP_URL', { ...MAIL, MAIL_FROM: '' }],
    ['SMTP_URL is required with MAIL_FROM', { ...MAIL, SMTP_URL: '' }],
    ['ALERT_WEBHOOK_SECRET is required with ALERT_WEBHOOK_URL', { ...WEBHOOK, ALERT_WEBHOOK_SECRET: '' }],
    ['ALERT_WEBHOOK_URL is required with ALERT_WEBHOOK_SECRET', { ...WEBHOOK, ALERT_WEBHOOK_URL: '' }],
    ...['mail.example', 'http://mail.example'].map((url) => ['SMTP_URL must be a URL', { ...MAIL, SMTP_URL: url }]),
    ['SMTP_URL must name a host', { ...MAIL, SMTP_URL: 'smtp://' }],
    ...['relay', 'Relay <relay>', 'a@example.com, b@example.com', '<a@example.com>', 'A "b" <a@example.com,b@c>'].map(
      (from) => ['MAIL_FROM must be an email address', { ...MAIL, MAIL_FROM: from }],
    ),
    ['MAIL_FROM must be one line', { ...MAIL, MAIL_FROM: 'a@example.com\r\nBcc: b@example.com' }],
    ['ALERT_WEBHOOK_URL must be a URL', { ...WEBHOOK, ALERT_WEBHOOK_URL: 'hooks.example' }],
    ...['secret', 'whsec_c2hvcnQ=', `whsec_${'A'.repeat(88)}`, `whsec_${'~'.repeat(44)}`].map((secret) => [
      'ALERT_WEBHOOK_SECRET must be whsec_ and 24 to 64 bytes',
      { ...WEBHOOK, ALERT_WEBHOOK_SECRET: secret },
    ]),
  ] as [string, Record<string, string>][])('%s: %j (S2)', (problem, changes) => {
    expect(() => load(changes)).toThrow(problem);
  });
});
