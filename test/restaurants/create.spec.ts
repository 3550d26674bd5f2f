import type { TestDatabase } from '../support/database.js';
import { ADMIN, TERMINAL_TOKEN } from '../support/environment.js';
import type { TestRelay } from '../support/relay.js';
import { Scenario } from '../support/scenario.js';
import { marked } from '../support/secrets.js';
import { People } from '../user-links/people.js';

const SECRET = marked('s3cret-of-the-restaurant');
let count = 0;
const slug = () => `slug-${Date.now()}-${++count}`;

describe('POST /restaurants (A19)', () => {
  let scenario: Scenario;
  let database: TestDatabase;
  let relay: TestRelay;
  let token: string;

  beforeAll(async () => {
    scenario = await Scenario.open();
    ({ database, relay } = scenario);
    token = await relay.login();
  });
  afterAll(() => scenario.close());

  const create = (body: unknown) =>
    relay.http
      .post('/restaurants')
      .auth(token, { type: 'bearer' })
      .set('Content-Type', 'application/json')
      .send(JSON.stringify(body));

  test('201 {message, data}: every field as sent, with hasPosSecret and without posSecret', async () => {
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
        id: expect.any(String),
        hasPosSecret: true,
        warnings: [],
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
      },
    });
  });

  test('a name is enough: the rest is null, hasPosSecret is false, and its days are those of UTC', async () => {
    const { body } = await create({ name: 'Trattoria' }).expect(201);
    expect(body.data).toMatchObject({
      name: 'Trattoria',
      address: null,
      codeStoreTerminal: null,
      codeStorePos: null,
      posIdPartner: null,
      hasPosSecret: false,
      timezone: 'UTC',
      dayClosesAt: '00:00',
    });
  });

  test('its creator becomes OWNER, and nobody else is linked', async () => {
    const { body } = await create({ name: 'Osteria' }).expect(201);
    expect(
      await database.query(
        `SELECT u.email, l.role::text FROM user_restaurants l JOIN users u ON u.id = l.user_id WHERE l.restaurant_id = $1`,
        [body.data.id],
      ),
    ).toEqual([{ email: ADMIN.email, role: 'OWNER' }]);
  });

  test('any user may create one; the terminal platform may not', async () => {
    const person = await new People(database).user();
    const request = () => relay.http.post('/restaurants').send({ name: 'Mine', slug: slug() });
    await request()
      .auth(await relay.login(person), { type: 'bearer' })
      .expect(201);
    await request().auth(TERMINAL_TOKEN, { type: 'bearer' }).expect(401);
    await request().expect(401);
  });

  test.each([
    ['Pizzeria São João', 'pizzeria-sao-joao'],
    ['  Café & Bar "2000"  ', 'cafe-bar-2000'],
    ['BURGER---HOUSE!', 'burger-house'],
    ['Ωmega 7 – Grill', 'mega-7-grill'],
  ])('the slug of "%s" is made from the name: %s', async (name, made) => {
    expect((await create({ name }).expect(201)).body.data.slug).toBe(made);
  });

  test('a made slug keeps to the rules however long the name is, and however often it is taken', async () => {
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
    ['ピザ', /^restaurant-[0-9a-f]{6}$/],
    ['مطعم', /^restaurant-[0-9a-f]{6}$/],
    ['!!!', /^restaurant-[0-9a-f]{6}$/],
    ['A', /^a-[0-9a-f]{6}$/],
    ['Zé', /^ze-[0-9a-f]{6}$/],
  ])(
    'the name "%s" makes no slug of three characters: it gets a random end, and each its own (A19)',
    async (name, made) => {
      const slugs = [];
      for (let i = 0; i < 3; i++) slugs.push((await create({ name }).expect(201)).body.data.slug);
      for (const each of slugs) expect(each).toMatch(made);
      expect(new Set(slugs).size).toBe(3);
    },
  );

  test.each(['abc', 'a-1', '0-0', 'x'.repeat(63)])('the slug %s is good', async (good) => {
    expect((await create({ name: 'Any', slug: good }).expect(201)).body.data.slug).toBe(good);
  });

  test.each<[string, unknown]>([
    ['two characters', 'ab'],
    ['64 characters', 'x'.repeat(64)],
    ['capitals', 'Roma'],
    ['a blank', 'ro ma'],
    ['a blank at the end', 'roma '],
    ['an underscore', 'ro_ma'],
    ['letters beyond ASCII', 'são'],
    ['a hyphen first', '-roma'],
    ['a hyphen last', 'roma-'],
    ['two hyphens together', 'ro--ma'],
    ['a newline at the end', 'roma\n'],
    ['nothing', ''],
    ['a number', 12345],
    ['an object', {}],
    ['an array', ['roma']],
  ])('a slug of %s: 400', async (_, bad) => {
    const { body } = await create({ name: 'Any', slug: bad }).expect(400);
    expect(body.code).toBe('VALIDATION_FAILED');
    expect(body.message).toContainEqual(expect.stringContaining('slug'));
  });

  test.each(['slug', 'codeStoreTerminal'])('a taken %s: 409 that names the field (H3)', async (field) => {
    const taken = { [field]: slug() };
    await create({ name: 'First', slug: slug(), ...taken }).expect(201);
    const { body } = await create({ name: 'Second', slug: slug(), ...taken }).expect(409);
    expect(body).toMatchObject({ statusCode: 409, error: 'Conflict', code: 'CONFLICT' });
    expect(body.message).toContain(field);
  });

  test('a taken codeStoreTerminal is a 409 of its own name also when the made slug is taken too', async () => {
    const fields = { name: 'Twice The Same', codeStoreTerminal: slug() };
    await create(fields).expect(201);
    expect((await create(fields).expect(409)).body.message).toContain('codeStoreTerminal');
  });

  test('a refused restaurant leaves neither itself nor a link', async () => {
    const taken = slug();
    await create({ name: 'First', slug: taken }).expect(201);
    const counts = () =>
      database.query('SELECT (SELECT count(*) FROM restaurants), (SELECT count(*) AS links FROM user_restaurants)');
    const before = await counts();
    await create({ name: 'Second', slug: taken }).expect(409);
    expect(await counts()).toEqual(before);
  });

  test('slug and store code of a deleted restaurant are free again', async () => {
    const fields = { name: 'Phoenix', slug: slug(), codeStoreTerminal: slug() };
    const { body } = await create(fields).expect(201);
    await new People(database).deleteRestaurant(body.data.id);
    await create(fields).expect(201);
  });

  test('two simultaneous creates with one slug: 201 and 409', async () => {
    const fields = { name: 'Race', slug: slug() };
    const answers = await Promise.all([create(fields), create(fields)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
  });

  test.each(['id', 'hasPosSecret', 'deletedAt', 'users', 'ownerId'])(
    'the unknown field %s: 400 that names it',
    async (field) => {
      const text = `{"name":"Any","slug":"${slug()}","${field}":"x"}`;
      const request = relay.http.post('/restaurants').auth(token, { type: 'bearer' });
      const { body } = await request.set('Content-Type', 'application/json').send(text).expect(400);
      expect(body.message).toContainEqual(expect.stringContaining(field));
    },
  );

  test.each<[string, unknown]>([
    ['an array', [{ name: 'Any' }]],
    ['an empty array', []],
    ['null', null],
    ['a text', 'Any'],
    ['a number', 7],
    ['an empty object', {}],
    ['a name of blanks', { name: '   ', slug: slug() }],
    ['a name that is a number', { name: 7, slug: slug() }],
    ['a name of null', { name: null, slug: slug() }],
    ['a NUL in the name', { name: 'A\0ny', slug: slug() }],
    ['a NUL in the address', { name: 'Any', slug: slug(), address: 'A\0' }],
    ['a NUL in the codeStoreTerminal', { name: 'Any', slug: slug(), codeStoreTerminal: 'A\0' }],
    ['a NUL in the codeStorePos', { name: 'Any', slug: slug(), codeStorePos: 'A\0' }],
    ['an empty codeStoreTerminal', { name: 'Any', slug: slug(), codeStoreTerminal: '' }],
    ['an address that is an object', { name: 'Any', slug: slug(), address: {} }],
  ])('%s: 400', async (_, body) => {
    await create(body).expect(400);
  });

  test('no body: 400', async () => {
    await relay.http.post('/restaurants').auth(token, { type: 'bearer' }).expect(400);
  });

  describe.each(['posSecret', 'posIdPartner'])('%s becomes a header', (field) => {
    test.each<[string, unknown]>([
      ['nothing', ''],
      ['a blank', 'top secret'],
      ['a newline', 'top\nsecret'],
      ['a newline at the end', 'topsecret\n'],
      ['a carriage return', 'top\rsecret'],
      ['a NUL', 'top\0secret'],
      ['letters beyond ASCII', 'topsécret'],
      ['257 characters', 'x'.repeat(257)],
      ['a number', 12345],
      ['an object', { toString: 'x' }],
      ['an array', ['topsecret']],
    ])('%s: 400 that names the field, not the value', async (_, value) => {
      const { body } = await create({ name: 'Any', slug: slug(), [field]: value }).expect(400);
      expect(body.message).toContainEqual(expect.stringContaining(field));
      expect(JSON.stringify(body)).not.toMatch(/top|12345/);
    });

    test.each(['x', '!"#$%&()*+,-./:;<=>?@[]^_`{|}~', 'x'.repeat(256)])('%s is good', async (value) => {
      await create({ name: 'Any', slug: slug(), [field]: value }).expect(201);
    });
  });

  test('posSecret is never echoed, not even by a refusal, and stands in no line of the log (A20)', async () => {
    const fields = { name: 'Any', slug: slug(), posIdPartner: 'p', posSecret: SECRET };
    const answers = [await create(fields), await create(fields), await create({ ...fields, name: '', more: 1 })];
    expect(answers.map(({ status }) => status)).toEqual([201, 409, 400]);
    for (const { text } of answers) expect(text).not.toContain(SECRET);
    expect(JSON.stringify(relay.logged)).not.toContain(SECRET);
  });

  test('posSecret is encrypted in the database, differently for each restaurant (A20)', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 2; i++)
      ids.push((await create({ name: 'Any', slug: slug(), posSecret: SECRET }).expect(201)).body.data.id);
    const rows = await database.query<{ pos_secret: string; everything: string }>(
      'SELECT pos_secret, r::text AS everything FROM restaurants r WHERE id = ANY ($1)',
      [ids],
    );
    expect(new Set(rows.map(({ pos_secret }) => pos_secret)).size).toBe(2);
    for (const encoded of [SECRET, Buffer.from(SECRET).toString('base64'), Buffer.from(SECRET).toString('hex')])
      for (const { everything } of rows) expect(everything).not.toContain(encoded);
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

    test('anybody else creates none: 403, and nothing is stored', async () => {
      const person = await scenario.person();
      const { body } = await closed.api.post('/restaurants', person.token, { name: 'Mine' }).expect(403);
      expect(body.code).toBe('ONBOARDING_BY_ADMIN');
      expect((await closed.api.get('/restaurants', person.token).expect(200)).body.meta.total).toBe(0);
    });
  });
});
