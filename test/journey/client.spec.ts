import createClient from 'openapi-fetch';
import type { components, paths } from '../../console/src/api/schema.js';
import { ADMIN, TERMINAL_TOKEN } from '../support/environment.js';
import { Scenario } from '../support/scenario.js';

/** The API through a client that openapi-typescript generated from the OpenAPI document. */
describe('a client generated from the OpenAPI document', () => {
  const scenario = Scenario.ofSuite();

  /** @param token undefined: not signed in */
  const clientOf = (token?: string) =>
    createClient<paths>({
      baseUrl: scenario.relay.url,
      ...(token && { headers: { Authorization: `Bearer ${token}` } }),
    });

  test('signs in, creates a restaurant, posts a sale and reads the delivered order (P1, P5)', async () => {
    const login = await clientOf().POST('/auth/login', { body: ADMIN });
    expect(login.response.status).toBe(200);
    const staff = clientOf(login.data?.access_token);

    const name = 'Pizzeria Roma';
    const made = await staff.POST('/restaurants', {
      body: { name, codeStoreTerminal: 'STORE-1', codeStorePos: '1001' },
    });
    expect(made.data?.data).toMatchObject({ name, slug: 'pizzeria-roma', hasPosSecret: false });
    const restaurantId = made.data?.data.id as string;

    const sale: components['schemas']['TerminalEventDto'] = {
      transactionKey: 'T-1',
      storeCode: 'STORE-1',
      items: [{ itemCode: 'PZ-01', itemName: 'Pizza Margherita', quantity: 2, price: 39.9 }],
      payments: [{ tenderType: 16, amount: 79.8 }],
    };
    const sold = await clientOf(TERMINAL_TOKEN).POST('/webhooks/terminal', { body: sale });
    expect(sold.data).toMatchObject({ success: true, jobId: expect.any(String) });

    await scenario.relay.tick();

    const list = await staff.GET('/restaurants/{restaurantId}/orders', {
      params: { path: { restaurantId }, query: { status: 'SENT' } },
    });
    expect(list.data?.data.map(({ transactionKey }) => transactionKey)).toEqual(['T-1']);
    const order = await staff.GET('/restaurants/{restaurantId}/orders/{transactionKey}', {
      params: { path: { restaurantId, transactionKey: 'T-1' } },
    });
    expect(order.data?.jobs).toMatchObject([{ id: sold.data?.jobId, action: 'CREATE', status: 'SENT', attempts: 1 }]);
    expect(scenario.pos.orders.size).toBe(1);
  });

  test('an error has the type of errors', async () => {
    const { error, response } = await clientOf('wrong').POST('/webhooks/terminal', { body: { transactionKey: 'T-2' } });
    const refused: components['schemas']['ErrorView'] | undefined = error;
    expect([response.status, refused]).toMatchObject([401, { code: 'UNAUTHENTICATED', statusCode: 401 }]);
  });

  test('a path, body or value that the document does not have does not compile', () => {
    const client = createClient<paths>({ baseUrl: 'http://127.0.0.1:9' });
    const _calls = [
      // @ts-expect-error there is no such path
      () => client.GET('/orders'),
      // @ts-expect-error the key is required
      () => client.POST('/webhooks/terminal', { body: { storeCode: 'STORE-1' } }),
      // @ts-expect-error the status does not exist
      () => client.GET('/admin/jobs', { params: { query: { status: 'LATE' } } }),
    ];
    expect(_calls).toHaveLength(3);
  });
});
