import { examined } from '../../capabilities/doctor/doctor.js';
import { sale } from '../../support/client.js';
import { Scenario } from '../../support/scenario.js';
import { until } from '../../support/until.js';
import { keysOf, sendBy } from './keys.js';

interface Person {
  readonly userId: string;
  readonly email: string | null;
  readonly by: 'password' | 'token';
  readonly at: string;
}

describe('sales that come by the password or the token of a person', () => {
  const scenario = Scenario.ofSuite();
  let roma: Awaited<ReturnType<Scenario['restaurant']>>;

  beforeEach(async () => {
    await scenario.empty();
    roma = await scenario.restaurant('ROMA');
  });

  const persons = async (): Promise<Person[]> =>
    (await scenario.api.get(`/restaurants/${roma.id}/sender-keys`, roma.token).expect(200)).body.persons;
  const byBasic = (fields: object = {}, { http } = scenario.relay) =>
    http
      .post('/webhooks/terminal')
      .auth(roma.owner.email, roma.owner.password)
      .send(sale({ storeCode: 'ROMA', ...fields }));
  const check = async () => {
    const { text } = await examined(scenario.environment, { json: true });
    const checks = JSON.parse(text) as {
      name: string;
      level: string;
      text: string;
      details?: string[];
      hint?: string;
    }[];
    return checks.find(({ name }) => name === 'sales by persons');
  };

  test('Basic and body are kept as a password, a JWT as a token; keys, the static token and test sales as neither (V13, V14)', async () => {
    const { owner, id, token, sell } = roma;
    await sell();
    const key = await keysOf(scenario.relay, id, token).create();
    await sendBy(scenario.relay, key.token).expect(200);
    await byBasic({ isTestTransaction: true }).expect(200);
    await scenario.api.post('/webhooks/terminal', token, sale({ storeCode: 'ROMA' })).expect(200);
    const [byToken] = await until(async () => ((await persons()).length > 0 ? persons() : undefined));
    expect(byToken).toMatchObject({ userId: owner.id, email: owner.email, by: 'token' });
    const { email, password } = owner;
    await scenario.relay.http
      .post('/webhooks/terminal')
      .send(sale({ storeCode: 'ROMA', email, password }))
      .expect(200);
    await until(async () => (await persons()).length === 2);
    expect((await persons()).map(({ by }) => by)).toEqual(['password', 'token']);
  });

  test('Basic is written at most once an hour, on all instances together (V13)', async () => {
    const second = await scenario.start();
    const at = async () => (await persons())[0]?.at;
    await byBasic().expect(200);
    const first = await until(at);
    await byBasic().expect(200);
    await byBasic({}, second).expect(200);
    expect(await at()).toBe(first);
    await scenario.database.query(`UPDATE user_restaurants SET password_sale_at = now() - interval '61 minutes'`);
    const old = await at();
    const third = await scenario.start();
    await byBasic({}, third).expect(200);
    await until(async () => (await at()) !== old);
  });

  test('a sale that was refused is not kept, and a failed write delays no answer (V13)', async () => {
    await byBasic({ transactionKey: '' }).expect(400);
    await scenario.database.query('ALTER TABLE user_restaurants RENAME COLUMN password_sale_at TO away');
    await byBasic().expect(200);
    await until(() => scenario.relay.logged.some(({ event }) => event === 'sender.use_not_written'));
    await scenario.database.query('ALTER TABLE user_restaurants RENAME COLUMN away TO password_sale_at');
    expect(await persons()).toEqual([]);
  });

  test('the doctor names who, by what, the restaurants and when, until a week has passed without such a sale (V14)', async () => {
    expect(await check()).toMatchObject({ level: 'ok' });
    await byBasic().expect(200);
    await until(async () => (await persons())[0]);
    const found = await check();
    expect(found).toMatchObject({
      level: 'warning',
      text: 'the sales of terminals depend on the sign-in of 1 person',
      hint: expect.stringContaining('make a sender key'),
    });
    const [{ name }] = (await scenario.database.query('SELECT name FROM restaurants WHERE id = $1', [roma.id])) as [
      { name: string },
    ];
    expect(found?.details).toEqual([
      expect.stringMatching(new RegExp(`^${roma.owner.email}: by password; for ${name}; last on \\d{4}-.* UTC$`)),
    ]);
    await scenario.database.query(`UPDATE user_restaurants SET password_sale_at = now() - interval '8 days'`);
    expect(await check()).toMatchObject({ level: 'ok' });
    expect(await persons()).toEqual([]);
  });

  test('one line for a person with many restaurants, which names five of them (V14)', async () => {
    for (let i = 0; i < 7; i++) {
      const { id } = await scenario.restaurant(`MANY-${i}`);
      await scenario.database.query(
        `INSERT INTO user_restaurants (id, user_id, restaurant_id, role, password_sale_at, token_sale_at, updated_at)
         VALUES (gen_random_uuid(), $1, $2, 'OWNER', now(), now(), now())`,
        [roma.owner.id, id],
      );
    }
    const details = (await check())?.details ?? [];
    expect(details).toHaveLength(1);
    expect(details[0]).toMatch(/: by password and by token; for .*,.* and \d+ more; last on /);
  });

  test('the email of a person who was linked by id is hidden from the restaurant until the link is accepted (A30, V14)', async () => {
    await byBasic().expect(200);
    await until(async () => (await persons())[0]);
    await scenario.database.query('UPDATE user_restaurants SET by_id = true, accepted_at = NULL WHERE user_id = $1', [
      roma.owner.id,
    ]);
    const administrator = await scenario.staff(roma.id, 'ADMIN');
    const { body } = await scenario.api.get(`/restaurants/${roma.id}/sender-keys`, administrator.token).expect(200);
    expect(body.persons).toEqual([expect.objectContaining({ userId: roma.owner.id, email: null, by: 'password' })]);
  });
});
