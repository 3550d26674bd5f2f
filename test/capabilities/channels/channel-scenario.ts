import { randomUUID } from 'node:crypto';
import { Channels, type Message } from '../../../src/capabilities/channels/channel.js';
import { MailCatcher } from '../../../tools/simulator/mail-catcher.js';
import { type Caller, Scenario } from '../../support/scenario.js';
import { marked } from '../../support/secrets.js';
import { Browser } from './browser.js';
import { Receiver } from './receiver.js';

export const MAIL_USER = { user: 'relay', password: marked('smtp') };
export const CONTACT = 'mailto:operator@example.com';
export const PUBLIC_URL = 'https://relay.example';

/** A message to send. */
export const messageWith = (changes: Partial<Message> = {}): Message => ({
  ...{ id: randomUUID(), topic: 'alert:1', title: 'Orders wait', text: 'Table 4\nTable 5' },
  ...{ path: '/console/r/1/alerts', fields: { kind: 'ORDER_PARKED' }, ...changes },
});

/** A relay with all channels: a push service, the other end of webhooks, and a mail server on this machine. */
export class ChannelScenario {
  private constructor(
    readonly scenario: Scenario,
    readonly push: Receiver,
    readonly pushUrl: string,
    readonly hook: Receiver,
    readonly hookUrl: string,
    readonly mail: MailCatcher,
  ) {}

  /** @param changes environment variables of the relay */
  static async open(changes: Record<string, string> = {}): Promise<ChannelScenario> {
    const [push, hook, mail] = [new Receiver(), new Receiver(), new MailCatcher(MAIL_USER)];
    const [pushUrl, hookUrl, mailPort] = [await push.listen(), await hook.listen(), await mail.listen()];
    const scenario = await Scenario.open({
      ...{ ALERT_CONTACT: CONTACT, MAIL_FROM: 'Relay <relay@example.com>', PUBLIC_URL, OUTBOUND_ALLOW: '127.0.0.0/8' },
      SMTP_URL: `smtp://${MAIL_USER.user}:${MAIL_USER.password}@127.0.0.1:${mailPort}`,
      ...changes,
    });
    return new ChannelScenario(scenario, push, pushUrl, hook, hookUrl, mail);
  }

  get api() {
    return this.scenario.api;
  }

  get channels(): Channels {
    return this.scenario.relay.get(Channels);
  }

  query = (sql: string, values?: unknown[]) => this.scenario.database.query(sql, values);

  /** Lets the mail server refuse the next mails, and quote their first link, as those do that look for links to block. */
  quoteLinks(responseCode = 554): void {
    const message = (source: string) =>
      `5.7.1 blocked: ${/https:\S+#\S+/.exec(source.replaceAll('=\r\n', '').replaceAll('=3D', '='))?.[0]}`;
    this.mail.refusal = { responseCode, message };
  }

  /** Forgets what was received, and lets everything be accepted. */
  reset(): void {
    this.push.reset();
    this.hook.reset();
    this.mail.mails.length = 0;
    this.mail.refusal = undefined;
  }

  async close(): Promise<void> {
    await this.scenario.close();
    await Promise.all([this.push.close(), this.hook.close(), this.mail.close()]);
  }

  /** A new subscription of a browser at the push service. */
  browser = (name: string = randomUUID()) => new Browser(`${this.pushUrl}/${name}`);

  /** Registers a device. @returns its id */
  async register({ token }: Caller, browser: Browser): Promise<string> {
    return (await this.api.post('/users/me/devices', token, browser.subscription).expect(201)).body.data.id;
  }

  test = ({ token }: Caller, channel: 'push' | 'mail') =>
    this.api.post('/users/me/notifications/test', token, { channel });

  confirm = ({ token }: Caller, confirmed: string) =>
    this.api.post('/users/me/notifications/confirm', token, { token: confirmed });

  /** A minute later, for test messages. */
  minuteLater = () =>
    this.query(`UPDATE notification_preferences SET push_tested_at = push_tested_at - interval '1 minute',
                mail_tested_at = mail_tested_at - interval '1 minute'`);

  /** The token in the last mail. */
  mailedToken(): string {
    // quoted-printable may fold the link
    const source = (this.mail.mails.at(-1)?.source ?? '').replaceAll('=\r\n', '').replaceAll('=3D', '=');
    return /confirm=([\w-]+)/.exec(source)?.[1] ?? '';
  }

  /** The token in the last message to this browser. */
  pushedToken(browser: Browser): string {
    const { navigate } = this.pushedTo(browser).at(-1)?.notification ?? {};
    return new URLSearchParams(new URL(navigate).hash.slice(1)).get('confirm') ?? '';
  }

  /** The payloads that this browser got. */
  pushedTo(browser: Browser) {
    const { pathname } = new URL(browser.endpoint);
    return this.push.received
      .filter(({ path }) => path === pathname)
      .map(({ body }) => JSON.parse(browser.decrypt(body)));
  }

  /** A user with a confirmed device. */
  async withDevice(): Promise<{ person: Caller; browser: Browser; id: string }> {
    const [person, browser] = [await this.scenario.person(), this.browser()];
    const id = await this.register(person, browser);
    await this.test(person, 'push').expect(202);
    await this.confirm(person, this.pushedToken(browser)).expect(200);
    this.push.reset();
    return { person, browser, id };
  }

  /** A user with a confirmed address. */
  async withMail(): Promise<Caller> {
    const person = await this.scenario.person();
    await this.test(person, 'mail').expect(202);
    await this.confirm(person, this.mailedToken()).expect(200);
    this.mail.mails.length = 0;
    return person;
  }
}
