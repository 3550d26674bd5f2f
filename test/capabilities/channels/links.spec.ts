import { WORDS as ALERT_WORDS } from '../../../src/capabilities/alerts/words.js';
import { mailOf } from '../../../src/capabilities/channels/mail.js';
import { withoutLinks } from '../../../src/capabilities/channels/without-links.js';
import { WORDS as CLOSING_WORDS } from '../../../src/capabilities/days/closing-words.js';
import { allConditions } from '../../../src/platform/conditions/condition.js';
import { ChannelScenario, messageWith, PUBLIC_URL } from './channel-scenario.js';

describe('the only link of a message is that of the relay (G47)', () => {
  let channels: ChannelScenario;

  beforeAll(async () => {
    channels = await ChannelScenario.open();
  });
  afterAll(() => channels.close());

  const shown = (title: string) => withoutLinks(messageWith({ title, text: title })).title;

  test.each([
    ['http://evil.test/', 'http[:]//evil[.]test/'],
    ['HTTPS://evil.test:8443/a?b=c', 'HTTPS[:]//evil[.]test:8443/a?b=c'],
    ['javascript://x', 'javascript[:]//x'],
    ['http://10.0.0.1', 'http[:]//10[.]0[.]0[.]1'],
    ['Roma www.evil.test now', 'Roma www[.]evil[.]test now'],
    ['(WWW.evil.test)', '(WWW[.]evil[.]test)'],
    ['evil.test/login', 'evil[.]test/login'],
    ['evil.test:8443/', 'evil[.]test:8443/'],
    ['evil.test?a', 'evil[.]test?a'],
    ['éxample.рф/', 'éxample[.]рф/'],
    ['evil.xn--p1ai/', 'evil[.]xn--p1ai/'],
    ['[look](http://evil.test/)', '[look](http[:]//evil[.]test/)'],
    ['<http://evil.test/|look>', '<http[:]//evil[.]test/|look>'],
  ])('%s looks like a link: %s', (name, told) => {
    expect(shown(name)).toBe(told);
  });

  test.each([
    'Pizzeria Roma',
    'St. Pauli 24/7',
    'Roma Cia. Ltda. / Filial 2',
    'S.A./2',
    'No. 107 · 1.234,50 · 21:58',
    'Roma: 1 order',
    'awww. how nice',
  ])('%s stays as it is', (name) => {
    expect(shown(name)).toBe(name);
  });

  test('the words of the relay look like no link', () => {
    const texts: string[] = [];
    const collect = (value: unknown): void => {
      if (typeof value === 'string') texts.push(value);
      else if (typeof value === 'function') texts.push(String(value(2, 'Roma', 'Bar', 'now')));
      else if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) collect(inner);
    };
    const ofConditions = allConditions().map(({ words }) => [words({}), words({ expiresAt: '2020-01-01T00:00:00Z' })]);
    collect([ALERT_WORDS, CLOSING_WORDS, ofConditions]);
    expect(texts.length).toBeGreaterThan(100);
    expect(texts.filter((text) => shown(text) !== text)).toEqual([]);
  });

  test('in a mail, on a device and at a webhook', async () => {
    const message = messageWith({
      title: 'http://evil.test/: 1 order is paid, but not in the POS',
      text: 'No. www.evil.test · 42.50\nsee evil.test/pay',
    });
    const title = 'http[:]//evil[.]test/: 1 order is paid, but not in the POS';
    const lines = ['No. www[.]evil[.]test · 42.50', 'see evil[.]test/pay'];
    const link = `${PUBLIC_URL}${message.path}`;
    const { subject, text, html } = mailOf(message, 'a@example.com', 'b@example.com', PUBLIC_URL);
    expect([subject, text]).toEqual([title, [title, '', ...lines, '', link, ''].join('\n')]);
    expect(String(html).match(/https?:\/\/[^"<\s]+/g)).toEqual([link, link]);

    const { person, browser } = await channels.withDevice();
    await channels.channels.send({ channel: 'push', userId: person.id }, message);
    expect(channels.pushedTo(browser).at(-1)?.notification).toMatchObject({
      title,
      body: lines.join('\n'),
      navigate: link,
    });

    const restaurant = await channels.scenario.restaurant();
    const path = `/restaurants/${restaurant.id}/alert-webhook`;
    await channels.api.put(path, restaurant.token, { url: `${channels.hookUrl}/first` }).expect(200);
    await channels.query('UPDATE alert_webhooks SET url = $1', [`${channels.hookUrl}/second`]);
    await channels.channels.send({ channel: 'webhook', restaurantId: restaurant.id }, message);
    const { text: sent } = JSON.parse(String(channels.hook.received.at(-1)?.body));
    expect(sent).toBe([title, ...lines, link].join('\n'));
  });
});
