import { Scenario } from '../../support/scenario.js';
import { PullingPos } from './pulling.js';

describe('the credentials of a POS that pulls (Q3)', () => {
  const scenario = Scenario.ofSuite();
  const opened = () => scenario;
  const pathOf = ({ id }: { readonly id: string }) => `/restaurants/${id}/pos-credentials`;

  test('the secret is shown once and stored as a digest; the list says what works', async () => {
    const { restaurant, pos } = await PullingPos.ofRestaurant(opened);
    const { clientSecret, clientId } = pos.credentials;
    expect(clientSecret).toMatch(/^pos_[\w-]{43}$/);
    const { body } = await scenario.api.get(pathOf(restaurant), restaurant.token).expect(200);
    expect(body.data).toMatchObject([{ id: clientId, name: 'Till', live: true, polledAt: null, leftOut: [] }]);
    expect(JSON.stringify(body)).not.toContain(clientSecret);
    const rows = await scenario.database.query('SELECT row_to_json(pos_credentials)::text AS row FROM pos_credentials');
    expect(JSON.stringify(rows)).not.toContain(clientSecret);
  });

  test('a token is of its restaurant and for an hour (L261); wrong credentials get none, in the words of the standard (Q10)', async () => {
    const { pos } = await PullingPos.ofRestaurant(opened);
    const { pos: other } = await PullingPos.ofRestaurant(opened);
    const { access_token: token, ...granted } = (await pos.signIn().expect(200)).body;
    expect(granted).toEqual({ token_type: 'bearer', expires_in: 3_600 });
    const { iat, exp } = JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString());
    expect(exp - iat).toBe(3_600);
    for (const refused of [
      pos.signIn('pos_wrong'),
      pos.signIn(other.credentials.clientSecret),
      pos.signIn(undefined, 'no-uuid'),
      pos.signIn(undefined, other.credentials.clientId),
    ]) {
      const { body } = await refused.expect(401);
      expect(body).toMatchObject({ title: expect.stringContaining('client_id'), status: 401, code: 'UNAUTHENTICATED' });
    }
    const password = { grant_type: 'password', client_id: 'a', client_secret: 'b' };
    const { body } = await scenario.relay.http.post('/oauth/token').type('form').send(password).expect(400);
    expect(body).toMatchObject({ title: 'grant_type must be client_credentials', status: 400 });
    await scenario.api.post('/oauth/token', undefined, password).expect(415);
    await scenario.relay.http
      .post('/oauth/token')
      .type('form')
      .send({ client_id: 'x'.repeat(5_000) })
      .expect(413);
  });

  test('a token of a person is none of a POS, and the other way round', async () => {
    const { restaurant, pos } = await PullingPos.ofRestaurant(opened);
    await scenario.api.get('/v1/events:polling', restaurant.token).expect(401);
    await scenario.api.get('/v1/events:polling').expect(401);
    await scenario.api.get(`/restaurants/${restaurant.id}`, pos.token).expect(401);
    await scenario.api.post('/webhooks/terminal', pos.token, {}).expect(401);
  });

  test.each<[string, (restaurant: { id: string; token: string }, id: string) => Promise<unknown>]>([
    [
      'revoked',
      async (restaurant, id) => scenario.api.delete(`${pathOf(restaurant)}/${id}`, restaurant.token).expect(200),
    ],
    [
      'of a restaurant whose POS no longer pulls',
      async ({ id, token }) => scenario.api.patch(`/restaurants/${id}`, token, { posVendor: null }).expect(200),
    ],
    ['of a deleted restaurant', async ({ id, token }) => scenario.api.delete(`/restaurants/${id}`, token).expect(200)],
  ])('credentials that are %s end with their tokens at once', async (_, end) => {
    const { restaurant, pos } = await PullingPos.ofRestaurant(opened);
    await pos.ask().expect(204);
    await end(restaurant, pos.credentials.id);
    await pos.ask().expect(401);
    await pos.acknowledgeAll([]).expect(401);
    await pos.read(restaurant.id).expect(401);
    await pos.accept(restaurant.id, '1').expect(401);
    await pos.refuse(restaurant.id).expect(401);
    await pos.signIn().expect(401);
  });

  test('a rotation makes new ones; the old ones work for overlapHours, and are replaced once', async () => {
    const { restaurant, pos } = await PullingPos.ofRestaurant(opened);
    const path = `${pathOf(restaurant)}/${pos.credentials.id}/rotate`;
    const { data } = (await scenario.api.post(path, restaurant.token, { overlapHours: 0 }).expect(201)).body;
    await pos.ask().expect(401);
    await pos.signIn(data.clientSecret, data.clientId).expect(200);
    const { body } = await scenario.api.post(path, restaurant.token).expect(409);
    expect(body.code).toBe('CREDENTIALS_ENDED');
  });

  test('five work at the same time (L260); every act is in the audit, without a secret', async () => {
    const { restaurant, pos } = await PullingPos.ofRestaurant(opened);
    const create = () => scenario.api.post(pathOf(restaurant), restaurant.token, { name: 'Bar' });
    for (let i = 0; i < 4; i++) await create().expect(201);
    expect((await create().expect(409)).body.code).toBe('TOO_MANY_CREDENTIALS');
    await scenario.api.delete(`${pathOf(restaurant)}/${pos.credentials.id}`, restaurant.token).expect(200);
    await create().expect(201);
    const { body } = await scenario.api
      .get(`/restaurants/${restaurant.id}/audit?limit=100`, restaurant.token)
      .expect(200);
    const acts = body.data.map(({ action }: { action: string }) => action);
    expect(acts.filter((action: string) => action.startsWith('pos_credential.'))).toHaveLength(7);
  });

  test('the vendor is a setting of the restaurant (Q1): an unknown one is refused, and null is that of the deployment', async () => {
    const { restaurant } = await PullingPos.ofRestaurant(opened);
    const patch = (body: object) => scenario.api.patch(`/restaurants/${restaurant.id}`, restaurant.token, body);
    expect((await patch({ posVendor: 'other' }).expect(400)).body.message).toEqual([
      'posVendor must be one of: partner, open-delivery, or null',
    ]);
    expect((await patch({ posVendor: 'partner', codeStorePos: '1' }).expect(200)).body.data).toMatchObject({
      posVendor: 'partner',
    });
    const jobId = await restaurant.sell();
    await scenario.relay.tick();
    expect(await scenario.jobs.get(jobId)).toMatchObject({ status: 'SENT' });
    expect((await patch({ posVendor: null }).expect(200)).body.data).toMatchObject({ posVendor: null });
  });
});
