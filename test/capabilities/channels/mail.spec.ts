import { mailOf } from '../../../src/capabilities/channels/mail.js';
import { withMailServer } from '../../../src/capabilities/channels/mail-transport.js';
import { reasonFor } from '../../../src/capabilities/channels/refused.js';
import { newCheckedToken, newToken } from '../../../src/platform/secrets/token.js';
import { MailCatcher } from '../../../tools/simulator/mail-catcher.js';
import type { Caller } from '../../support/scenario.js';
import { MARK } from '../../support/secrets.js';
import { ChannelScenario, MAIL_USER, messageWith, PUBLIC_URL } from './channel-scenario.js';

describe('mail', () => {
  let channels: ChannelScenario;

  beforeAll(async () => {
    channels = await ChannelScenario.open();
  });
  beforeEach(() => channels.reset());
  afterAll(() => channels.close());

  const send = ({ id: userId }: Caller, message = messageWith()) =>
    channels.channels.send({ channel: 'mail', userId }, message);
  /** The headers of the last mail, unfolded, by name in lower case. */
  const headersOf = (source: string) =>
    Object.fromEntries(
      (source.split('\r\n\r\n')[0] as string)
        .replaceAll(/\r\n[ \t]/g, ' ')
        .split('\r\n')
        .map((line) => [line.split(':')[0]?.toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    );

  test('a confirmed address gets plain text and HTML; repeats have the same Message-ID (G25)', async () => {
    const person = await channels.withMail();
    const message = messageWith();
    expect(await send(person, message)).toEqual({ outcome: 'SENT' });
    expect(await send(person, message)).toEqual({ outcome: 'SENT' });
    const [first, second] = channels.mail.mails;
    expect(first).toMatchObject({ from: 'relay@example.com', to: [person.email] });
    const headers = headersOf(first?.source ?? '');
    expect(headers).toMatchObject({
      ...{ subject: message.title, 'message-id': `<${message.id}@example.com>`, 'auto-submitted': 'auto-generated' },
      ...{ from: 'Relay <relay@example.com>', to: person.email },
      'content-type': expect.stringContaining('multipart/alternative'),
    });
    expect(headersOf(second?.source ?? '')['message-id']).toBe(headers['message-id']);
    expect(first?.source).toContain('Content-Type: text/plain');
    expect(first?.source).toContain('Content-Type: text/html');
    expect(first?.source).toContain(`${PUBLIC_URL}${message.path}`);
  });

  test.each([
    ['Orders\r\nBcc: thief@example.com\r\n\r\nbody', 'Orders Bcc: thief@example.com body'],
    ['Orders\nBcc: thief@example.com', 'Orders Bcc: thief@example.com'],
    ['Orders\u2028\u0000\u0085 wait', 'Orders wait'],
    ['x'.repeat(5_000), `${'x'.repeat(199)}…`],
  ])('no header comes from a text: %j (G26)', async (title, subject) => {
    const person = await channels.withMail();
    expect(await send(person, messageWith({ title, text: 'a\r\n.\r\nQUIT\r\nb' }))).toEqual({ outcome: 'SENT' });
    const [mail] = channels.mail.mails;
    expect(mail?.to).toEqual([person.email]);
    expect(headersOf(mail?.source ?? '')).not.toHaveProperty('bcc');
    expect(mailOf(messageWith({ title }), 'a@example.com', 'b@example.com', PUBLIC_URL).subject).toBe(subject);
  });

  test('each link stands with what it is for (G47)', () => {
    const links = [
      { label: 'I take care of it', path: '/console/acknowledge#ack_1' },
      { label: 'Open order <7>', path: '/console/r/1/orders/7' },
    ];
    const { html, text } = mailOf(messageWith({ links }), 'a@example.com', 'b@example.com', PUBLIC_URL);
    expect(text).toContain(
      `I take care of it: ${PUBLIC_URL}/console/acknowledge#ack_1\nOpen order <7>: ${PUBLIC_URL}/console/r/1/orders/7\n`,
    );
    expect(html).toContain(`<a href="${PUBLIC_URL}/console/r/1/orders/7">Open order &lt;7&gt;</a>`);
  });

  test('texts are not HTML (G26)', () => {
    const text = '<img src=x onerror=alert(1)> & "quotes"\n<script>';
    const message = messageWith({ title: '<b>bold</b>', text, path: '/console/x?a="><i>' });
    const { html } = mailOf(message, 'a@example.com', 'b@example.com', PUBLIC_URL);
    expect(html).not.toMatch(/<(b|img|script|i)\b/);
    expect(html).toContain('&lt;img src=x onerror=alert(1)&gt; &amp; &quot;quotes&quot;<br>');
  });

  test.each([
    [550, 'FAILED'],
    [552, 'FAILED'],
    [450, 'RETRY'],
    [421, 'RETRY'],
  ])('a mail server that answers %i: %s (G25)', async (responseCode, outcome) => {
    const person = await channels.withMail();
    channels.mail.refusal = { responseCode, message: `no mail for ${person.email}` };
    const sent = await send(person);
    expect(sent).toEqual({ outcome, reason: expect.stringContaining(String(responseCode)) });
    expect(JSON.stringify(sent)).not.toContain(person.email);
  });

  test.each([554, 451])(
    'a mail server that answers %i and quotes the link: its token is in no reason, answer or log (G20)',
    async (responseCode) => {
      const person = await channels.withMail();
      await channels.minuteLater();
      channels.quoteLinks(responseCode);
      const { body } = await channels.test(person, 'mail').expect(202);
      expect(body.data.reason).toContain(`blocked: ${PUBLIC_URL}/console/`);
      const token = newCheckedToken('ack_');
      const links = [{ label: 'I take care of it', path: `/console/acknowledge#${token}` }];
      const sent = await send(person, messageWith({ links }));
      expect(sent).toMatchObject({ reason: expect.stringContaining(`${PUBLIC_URL}/console/acknowledge#`) });
      const said = JSON.stringify([body, sent, channels.scenario.relay.logged]);
      expect(said).not.toMatch(/(?:cfm|ack)_/);
      expect(said).not.toContain(token.slice(4));
    },
  );

  test.each([
    ['in parts', (token: string) => token.replaceAll(/(.{9})/g, '$1 ')],
    ['in base64', (token: string) => Buffer.from(`=> ${token}`).toString('base64')],
    ['across the cut', (token: string) => `${'x'.repeat(250)} ${token}`],
    ['of another message', () => newToken('pwl_')],
  ])('a token that the other side quotes %s is in no reason (G20)', (_, quoted) => {
    const token = newCheckedToken('ack_');
    const text = quoted(token);
    const reason = reasonFor(messageWith({ path: `/console/acknowledge#${token}` }), `blocked: ${text}`);
    expect(reason).toMatch(/blocked: .*(?:\[secret]|\*\*\*)/);
    for (const run of text.split(/[ x]+/).filter(({ length }) => length > 8))
      expect(reason).not.toContain(run.slice(0, 9));
  });

  test('the password of SMTP_URL is in no reason and no log, even if the server repeats it (G25)', async () => {
    const strict = new MailCatcher({ ...MAIL_USER, password: 'another' });
    const port = await strict.listen();
    const { user, password } = MAIL_USER;
    // the log of each relay is searched for marked secrets
    const SMTP_URL = `smtp://${user}:${password}@127.0.0.1:${port}?logger=true&debug=true`;
    const relay = await channels.scenario.start({ SMTP_URL });
    const { token } = await channels.scenario.person();
    const { body } = await relay.api.post('/users/me/notifications/test', token, { channel: 'mail' }).expect(202);
    expect(body.data).toEqual({ outcome: 'FAILED', reason: expect.stringContaining('535') });
    expect(body.data.reason).not.toContain(MARK);
    await strict.close();
  });

  test('a delivery ends with its deadline, whatever the server does (L42)', async () => {
    const never = () => new Promise<never>(() => {});
    await expect(withMailServer('smtp://127.0.0.1:9', never, 20)).rejects.toThrow('no answer within 0.02 s');
  });

  test('a mail server that is away: RETRY (G25)', async () => {
    const relay = await channels.scenario.start({ SMTP_URL: 'smtp://127.0.0.1:9' });
    const { token } = await channels.scenario.person();
    const { body } = await relay.api.post('/users/me/notifications/test', token, { channel: 'mail' }).expect(202);
    expect(body.data).toEqual({ outcome: 'RETRY', reason: expect.stringContaining('ECONNREFUSED') });
  });

  test('the first test message sets the language of a user who has chosen none (G29)', async () => {
    const person = await channels.scenario.person();
    const test = (language: string) =>
      channels.api.post('/users/me/notifications/test', person.token, { channel: 'mail', language }).expect(202);
    const stored = async () =>
      (await channels.api.get('/users/me/notifications', person.token).expect(200)).body.data.language;
    await test('pt-BR');
    expect(channels.mail.mails.at(-1)?.source).toContain('Subject: Mensagem de teste');
    expect(await stored()).toBe('pt-BR');
    await channels.minuteLater();
    await test('en');
    expect(await stored()).toBe('pt-BR');
  });

  test('an address that is not confirmed gets no mail (G21)', async () => {
    const person = await channels.scenario.person();
    expect(await send(person)).toEqual({ outcome: 'FAILED', reason: 'the user has not confirmed the address' });
    expect(channels.mail.mails).toEqual([]);
  });
});
