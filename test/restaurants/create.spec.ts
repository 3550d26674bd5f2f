import { randomUUID } from 'node:crypto';
import type { TestDatabase } from '../support/database.js';
import { ADMIN } from '../support/environment.js';
import type { TestRelay } from '../support/relay.js';
import { Scenario } from '../support/scenario.js';
import { marked } from '../support/secrets.js';

const SECRET = marked('s3cret-of-the-restaurant');
const slug = () => `slug-${randomUUID()}`;

describe('POST /restaurants (A19)', () => {
  const scenario = Scenario.ofSuite();
  let database: TestDatabase;
  let relay: TestRelay;
  let token: string;

  beforeAll(async () => {
    ({ database, relay } = scenario);
    token = await relay.login();
  });

  const create = (body: unknown) =>
    relay.http
      .post('/restaurants')
      .auth(token, { type: 'bearer' })
      .set('Content-Type', 'application/json')
      .send(JSON.stringify(body));

  test('201 {message, data}: every field as sent, with hasPosSecret and without posSecret; the caller is its only user, as OWNER', async () => {
    const fields = {
      name: 'Pizzeria Roma',
      slug: 'pizzeria-roma-1',
      address: 'Via Appia 1',
      codeStoreTerminal: 'T-77',
      codeStorePos: '1001',
      posIdPartner: 'partner-77',
      timezone: 'America/Sao_Paulo',
      dayClosesAt: '04:00',
    };
    const { body } = await create({ ...fields, posSecret: SECRET }).expect(201);
    expect(body).toEqual({
      message: expect.any(String),
      data: {
        ...fields,
        currency: null,
        defaultItemCode: null,
        posVendor: null,
        posBaseUrl: null,
        id: expect.any(String),
        hasPosSecret: true,
        warnings: [],
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
      },
    });
    const links = await database.query(
      `SELECT u.email, l.role::text FROM user_restaurants l JOIN users u ON u.id = l.user_id WHERE l.restaurant_id = $1`,
      [body.data.id],
    );
    expect(links).toEqual([{ email: ADMIN.email, role: 'OWNER' }]);
  });

  test('with a name only: the other fields are null, hasPosSecret is false, the time zone is UTC', async () => {
    const { body } = await create({ name: 'Trattoria' }).expect(201);
    const unset = { address: null, codeStoreTerminal: null, codeStorePos: null, posIdPartner: null };
    expect(body.data).toMatchObject({ ...unset, hasPosSecret: false, timezone: 'UTC', dayClosesAt: '00:00' });
  });

  test.each([
    ['Pizzeria São João', 'pizzeria-sao-joao'],
    ['  Café & Bar "2000"  ', 'cafe-bar-2000'],
    ['BURGER---HOUSE!', 'burger-house'],
    ['Ωmega 7 – Grill', 'mega-7-grill'],
  ])('the slug derived from the name "%s" is %s', async (name, made) => {
    expect((await create({ name }).expect(201)).body.data.slug).toBe(made);
  });

  test('a derived slug is valid for a long name, and unique when it is taken', async () => {
    const name = `${'Very Long Name '.repeat(13)}`;
    const slugs = new Set<string>();
    for (let i = 0; i < 4; i++) slugs.add((await create({ name }).expect(201)).body.data.slug);
    expect(slugs.size).toBe(4);
    for (const made of slugs) {
      expect(made).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
      expect(made.length).toBeGreaterThanOrEqual(3);
      expect(made.length).toBeLessThanOrEqual(63);
    }
  });

  test.each([
    ['مطعم', /^restaurant-[0-9a-f]{6}$/],
    ['!!!', /^restaurant-[0-9a-f]{6}$/],
    ['Zé', /^ze-[0-9a-f]{6}$/],
  ])('the name "%s" has fewer than three letters of a slug: a random suffix (A19)', async (name, made) => {
    const slugs = [];
    for (let i = 0; i < 2; i++) slugs.push((await create({ name }).expect(201)).body.data.slug);
    for (const each of slugs) expect(each).toMatch(made);
    expect(new Set(slugs).size).toBe(2);
  });

  test.each(['abc', '0-0', 'x'.repeat(63)])('the slug %s is accepted', async (good) => {
    expect((await create({ name: 'Any', slug: good }).expect(201)).body.data.slug).toBe(good);
  });

  const LONG = 'x'.repeat(64);
  test.each(
    [
      ...['ab', LONG, 'Roma', 'ro ma', 'roma ', 'ro_ma', 'são', '-roma', 'roma-', 'ro--ma', 'roma\n', ''],
      ...[12345, {}, ['roma']],
    ].map((value) => [value]),
  )('the slug %j: 400', async (bad) => {
    const { body } = await create({ name: 'Any', slug: bad }).expect(400);
    expect(body.code).toBe('VALIDATION_FAILED');
    expect(body.message).toContainEqual(expect.stringContaining('slug'));
  });

  test.each(['slug', 'codeStoreTerminal'])('a taken %s: 409 that names the field (H3)', async (field) => {
    const taken = { [field]: slug() };
    await create({ name: 'First', slug: slug(), ...taken }).expect(201);
    const counts = () =>
      database.query('SELECT (SELECT count(*) FROM restaurants), (SELECT count(*) AS links FROM user_restaurants)');
    const before = await counts();
    const { body } = await create({ name: 'Second', slug: slug(), ...taken }).expect(409);
    expect(body).toMatchObject({ statusCode: 409, error: 'Conflict', code: 'CONFLICT' });
    expect(body.message).toContain(field);
    expect(await counts()).toEqual(before);
  });

  test('a taken codeStoreTerminal is named in the 409 when the derived slug is taken too', async () => {
    const fields = { name: 'Twice The Same', codeStoreTerminal: slug() };
    await create(fields).expect(201);
    expect((await create(fields).expect(409)).body.message).toContain('codeStoreTerminal');
  });

  test.each<unknown[]>(
    [
      ...[[{ name: 'Any' }], [], null, 'Any', 7, {}, { name: '   ' }, { name: 7 }, { name: null }, { name: 'A\0ny' }],
      ...['address', 'codeStoreTerminal', 'codeStorePos'].map((field) => ({ name: 'Any', [field]: 'A\0' })),
      ...[{ codeStoreTerminal: '' }, { address: {} }, { hasPosSecret: true }].map((bad) => ({ name: 'Any', ...bad })),
    ].map((body) => [body]),
  )('the body %j: 400', async (body) => {
    await create(body).expect(400);
  });

  test('without a body: 400', async () => {
    await relay.http.post('/restaurants').auth(token, { type: 'bearer' }).expect(400);
  });

  describe.each(['posSecret', 'posIdPartner'])('%s, which is sent in a header', (field) => {
    test.each(
      [
        ...['', 'top secret', 'topsecret\n', 'top\rsecret', 'top\0secret', 'topsécret', 'top'.repeat(86)],
        ...[12345, { toString: 'top' }, ['topsecret']],
      ].map((value) => [value]),
    )('%j: 400 that names the field, not the value', async (value) => {
      const { body } = await create({ name: 'Any', slug: slug(), [field]: value }).expect(400);
      expect(body.message).toContainEqual(expect.stringContaining(field));
      expect(JSON.stringify(body)).not.toMatch(/top|12345/);
    });

    test.each(['!"#$%&()*+,-./:;<=>?@[]^_`{|}~', 'x'.repeat(256)])('%s is accepted', async (value) => {
      await create({ name: 'Any', slug: slug(), [field]: value }).expect(201);
    });
  });

  // the search for marked secrets in answers, log lines and tables (test/support/secrets.ts) fails this test on a leak
  test('posSecret is in no answer, no log line and, unencrypted, in no table (A20)', async () => {
    const fields = { name: 'Any', slug: slug(), posIdPartner: 'p', posSecret: SECRET };
    const answers = [await create(fields), await create(fields), await create({ ...fields, name: '', more: 1 })];
    expect(answers.map(({ status }) => status)).toEqual([201, 409, 400]);
    expect(await database.leaks()).toEqual([]);
  });

  describe('A18: with ONBOARDING=admin', () => {
    let closed: TestRelay;

    beforeAll(async () => {
      closed = await scenario.start({ ONBOARDING: 'admin' });
    });

    test('a platform administrator creates, sets store codes, and links the OWNER afterwards', async () => {
      const owner = await scenario.person();
      const fields = { name: 'Chain', slug: slug(), codeStoreTerminal: slug() };
      const { body } = await closed.api.post('/restaurants', token, fields).expect(201);
      const path = `/restaurants/${body.data.id}`;
      await closed.api.patch(path, token, { codeStorePos: '7' }).expect(200);
      await closed.api.post(`${path}/users`, token, { userId: owner.id, role: 'OWNER' }).expect(201);
      const renamed = await closed.api.patch(path, owner.token, { name: 'Chain 1', posIdPartner: 'p' }).expect(200);
      expect(renamed.body.data).toMatchObject({ ...fields, name: 'Chain 1', codeStorePos: '7' });
      for (const change of [
        { codeStoreTerminal: 'X' },
        { codeStorePos: '8' },
        { codeStoreTerminal: null, name: 'Y' },
      ]) {
        const answer = await closed.api.patch(path, owner.token, change).expect(403);
        expect(answer.body).toMatchObject({
          code: 'ONBOARDING_BY_ADMIN',
          message: expect.stringMatching(/ONBOARDING/),
        });
      }
      expect((await closed.api.get(path, owner.token).expect(200)).body).toMatchObject({
        ...fields,
        name: 'Chain 1',
        codeStorePos: '7',
      });
    });

    test('any other user: 403, and nothing is stored', async () => {
      const person = await scenario.person();
      const { body } = await closed.api.post('/restaurants', person.token, { name: 'Mine' }).expect(403);
      expect(body.code).toBe('ONBOARDING_BY_ADMIN');
      expect((await closed.api.get('/restaurants', person.token).expect(200)).body.meta.total).toBe(0);
    });
  });
});
