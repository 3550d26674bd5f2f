import { MARK, marked } from '../../support/secrets.js';
import { ChannelScenario, CONTACT, MAIL_USER } from '../channels/channel-scenario.js';
import { examined } from './doctor.js';

/** The checks of the channels. */
const NAMES = ['mail', 'web push', 'alert webhook', 'alerts'];
const NOT_SET_UP = { SMTP_URL: '', MAIL_FROM: '', ALERT_CONTACT: '' };
const SECRET = `whsec_${Buffer.from(marked('of the webhook of tests')).toString('base64')}`;

describe('the doctor and the channels (G39)', () => {
  let channels: ChannelScenario;

  beforeAll(async () => {
    channels = await ChannelScenario.open();
  });
  afterAll(() => channels.close());

  /** Level and text of each check of the channels, and all that was printed. */
  const examine = async (changes: Record<string, string> = {}) => {
    const { text } = await examined({ ...channels.scenario.environment, ...changes }, { json: true });
    const checks = (JSON.parse(text) as { name: string; level: string; text: string }[])
      .filter(({ name }) => NAMES.includes(name))
      .map((check) => [check.name, [check.level, check.text]]);
    return { found: Object.fromEntries(checks), text };
  };

  test.each<[string, Record<string, string>, string, 'ok' | 'warning', RegExp]>([
    ['a mail server that answers', {}, 'mail', 'ok', /^127\.0\.0\.1 is ready/],
    ['no mail server', NOT_SET_UP, 'mail', 'ok', /not set up/],
    ['a mail server that is away', { SMTP_URL: 'smtp://127.0.0.1:9' }, 'mail', 'warning', /does not answer/],
    ['a contact and https', {}, 'web push', 'ok', /ALERT_CONTACT is set/],
    ['no contact', NOT_SET_UP, 'web push', 'ok', /not set up/],
    ['http at localhost', { PUBLIC_URL: 'http://localhost:3000' }, 'web push', 'ok', /is set/],
    ['http', { PUBLIC_URL: 'http://relay.example' }, 'web push', 'warning', /over https only/],
    ['no webhook', {}, 'alert webhook', 'ok', /not set up/],
    ['a webhook', webhook('https://hooks.example/x'), 'alert webhook', 'ok', /^hooks\.example is notified/],
    [
      'a webhook that is not public',
      webhook('https://10.0.0.1/'),
      'alert webhook',
      'warning',
      /not lead to the public/,
    ],
    ['a webhook by http', webhook('http://hooks.example/'), 'alert webhook', 'warning', /https/],
    ['no channel', NOT_SET_UP, 'alerts', 'warning', /no channel is set up/],
    ['nobody who has confirmed one', {}, 'alerts', 'warning', /nobody has confirmed a channel/],
    ['a webhook of the platform', webhook('https://hooks.example/'), 'alerts', 'ok', /platform/],
  ])('%s (G39)', async (_, changes, name, level, words) => {
    expect((await examine(changes)).found[name]).toEqual([level, expect.stringMatching(words)]);
  });

  test('a key of web push that cannot be decrypted is a warning; a confirmed device counts as long as there is push; one of a platform administrator, for alerts of the platform (G39)', async () => {
    const { person } = await channels.withDevice();
    const nobody = ['warning', expect.stringMatching(/^alerts of the platform, such as VENDOR_DOWN, reach nobody/)];
    expect((await examine()).found.alerts).toEqual(nobody);
    expect((await examine(webhook('https://hooks.example/'))).found.alerts?.[0]).toBe('ok');
    await channels.query(`UPDATE users SET role = 'ADMIN' WHERE id = $1`, [person.id]);
    expect((await examine()).found.alerts).toEqual(['ok', 'somebody has confirmed a channel']);
    expect((await examine({ ALERT_CONTACT: '' })).found.alerts).toEqual([
      'warning',
      expect.stringMatching(/nobody has confirmed/),
    ]);
    const { found } = await examine({ SECRETS_KEY: Buffer.alloc(32, 5).toString('base64') });
    expect(found['web push']).toEqual(['warning', expect.stringContaining('SECRETS_KEY does not decrypt')]);
  });

  test.each([
    ['none', []],
    ['channels', ['mail', 'alert webhook', 'web push']],
    ['receipts,alerts', NAMES],
  ])('with CAPABILITIES=%s only what is loaded is checked (S43)', async (CAPABILITIES, names) => {
    expect(Object.keys((await examine({ CAPABILITIES })).found).toSorted()).toEqual(names.toSorted());
  });

  test('the password of SMTP_URL is not printed (G25)', async () => {
    const SMTP_URL = `smtp://wrong:${MAIL_USER.password}@127.0.0.1:${new URL(channels.scenario.environment.SMTP_URL as string).port}`;
    const { found, text } = await examine({ SMTP_URL, ALERT_CONTACT: CONTACT });
    expect(found.mail).toEqual(['warning', '127.0.0.1 refuses with 535: nobody is notified by mail']);
    expect(text).not.toContain(MARK);
  });
});

function webhook(url: string): Record<string, string> {
  return { ALERT_WEBHOOK_URL: url, ALERT_WEBHOOK_SECRET: SECRET };
}
