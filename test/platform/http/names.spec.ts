import { randomUUID } from 'node:crypto';
import { type Caller, Scenario } from '../../support/scenario.js';
import { marked } from '../../support/secrets.js';

const PASSWORD = marked('the password of somebody new');

describe('names that people read (A38)', () => {
  const scenario = Scenario.ofSuite();
  let admin: Caller;
  let own: string;

  beforeAll(async () => {
    admin = await scenario.person('ADMIN');
    own = `/restaurants/${await scenario.people.restaurant('STORE-1', [admin, 'OWNER'])}`;
  });

  const email = () => `${randomUUID()}@example.com`;
  const post = (path: string, body: object) => scenario.api.post(path, admin.token, body);
  /** What has a name: it is sent, and the status is answered. */
  const NAMED: Record<string, (name: string) => Promise<{ status: number; body: { message: unknown } }>> = {
    'a new restaurant': (name) => post('/restaurants', { name, slug: `r-${randomUUID()}` }),
    'a restaurant': (name) => scenario.api.patch(own, admin.token, { name }),
    'a printer': (name) => post(`${own}/printers`, { name }),
    'a sender key': (name) => post(`${own}/sender-keys`, { name, kind: 'TOKEN' }),
    'a sender key of the platform': (name) => post('/admin/sender-keys', { name, kind: 'TOKEN' }),
    'a new user': (name) =>
      post(`${own}/users/create-and-link`, { name, email: email(), password: PASSWORD, role: 'VIEWER' }),
    'somebody who joins': async (name) => {
      const { body } = await post(`${own}/invitations`, { email: email(), role: 'VIEWER' }).expect(201);
      return post('/invitations/join', { name, token: body.data.token, password: PASSWORD });
    },
  };

  test.each(Object.entries(NAMED))(
    'of %s: with an invisible character, or one that turns the text: 400',
    async (_, send) => {
      for (const wrong of [
        'Ro\u202ema',
        'Roma\u2066',
        'Ro\u200bma',
        'Ro\u200dma',
        'Ro\u00adma',
        'Ro\nma',
        '\u3164',
        ' \t ',
      ]) {
        const { status, body } = await send(wrong);
        expect([wrong, status]).toEqual([wrong, 400]);
        expect(body.message).toContainEqual(expect.stringMatching(/^name must/));
      }
    },
  );

  test.each(Object.entries(NAMED))('of %s: any script, and emojis, are accepted', async (_, send) => {
    expect((await send("Trattoria L'Été 日本 №1")).status).toBeLessThan(300);
    // they need a joiner, or a selector
    expect(
      (await send('می\u200cخواهم ශ්\u200dරී \u{1f469}\u{1f3fd}\u200d\u{1f373} ☕\ufe0f 1\ufe0f\u20e3')).status,
    ).toBeLessThan(300);
  });

  test('a name is trimmed', async () => {
    expect((await post('/restaurants', { name: '  Roma ' }).expect(201)).body.data.name).toBe('Roma');
    expect((await post(`${own}/printers`, { name: ' Bar  ' }).expect(201)).body.data.name).toBe('Bar');
  });
});
