import { sale } from '../support/client.js';
import { TERMINAL_TOKEN } from '../support/environment.js';
import { Scenario } from '../support/scenario.js';

const KIND = 'other_currency';
const textOf = (currency: string) =>
  `currency: is ${currency}, not the currency of the restaurant; its amounts count in the currency of the restaurant`;

describe('the currency of a restaurant', () => {
  const scenario = Scenario.ofSuite();
  let stores = 0;

  /** A new restaurant with this currency. */
  async function restaurant(currency: string | null) {
    const code = `CURRENCY-${++stores}`;
    const { id, token, owner } = await scenario.restaurant(code);
    const change = (to: unknown) => scenario.api.patch(`/restaurants/${id}`, token, { currency: to });
    if (currency !== null) await change(currency).expect(200);
    const send = async (changes: object) =>
      (await scenario.api.post('/webhooks/terminal', TERMINAL_TOKEN, sale({ storeCode: code, ...changes })).expect(200))
        .body as { jobId: string; warnings?: string[] };
    const get = async (path = '') => (await scenario.api.get(`/restaurants/${id}${path}`, token).expect(200)).body;
    return { id, token, owner, change, send, get };
  }
  const counted = async () => {
    const { text } = await scenario.api.get('/admin/metrics/prometheus', await scenario.relay.login()).expect(200);
    return Number(new RegExp(`^relay_webhook_warnings_total\\{kind="${KIND}"\\} (\\d+)$`, 'm').exec(text)?.[1]);
  };

  test('R46: null until it is set; POST and PATCH set it, null clears it, and the change is audited', async () => {
    const { get, change, token, id } = await restaurant(null);
    expect((await get()).currency).toBeNull();
    expect((await change('BRL').expect(200)).body.data.currency).toBe('BRL');
    expect((await change(null).expect(200)).body.data.currency).toBeNull();
    const fields = { name: `Created ${++stores}`, currency: 'HUF' };
    expect((await scenario.api.post('/restaurants', token, fields).expect(201)).body.data.currency).toBe('HUF');
    const { body } = await scenario.api.get(`/restaurants/${id}/audit?action=restaurant.changed`, token).expect(200);
    expect(body.data.map(({ details }: { details: object }) => details)).toEqual([
      { fields: ['currency'] },
      { fields: ['currency'] },
    ]);
  });

  test.each(['JPY', 'KWD', 'MGA', 'XAU', 'DEM', 'brl', ' BRL', 'R$', '', 986, true, ['BRL'], { code: 'BRL' }])(
    'R46: %p is refused by an error that names the field and says what to do',
    async (currency) => {
      const { get, change, token } = await restaurant('BRL');
      const message = [
        'currency must be a code of ISO 4217 in capitals whose minor unit is a hundredth, for example BRL; one without cents (JPY) or ' +
          'with thousandths (KWD) cannot be set: send null',
      ];
      expect((await change(currency).expect(400)).body).toMatchObject({ code: 'VALIDATION_FAILED', message });
      await scenario.api.post('/restaurants', token, { name: 'Refused', currency }).expect(400);
      expect((await get()).currency).toBe('BRL');
    },
  );

  test('R46: the database refuses what is no code', async () => {
    const { id } = await restaurant(null);
    await expect(
      scenario.database.query(`UPDATE restaurants SET currency = 'real' WHERE id = $1`, [id]),
    ).rejects.toThrow('restaurants_currency_check');
  });

  test('R47: every answer with amounts of a restaurant has it, and the CSV; null while it is not set', async () => {
    const { get, change, send, token, id } = await restaurant('BRL');
    const key = await scenario.keyOf((await send({})).jobId);
    const told = async () => {
      const overview = await scenario.api.get('/restaurants/overview', token).expect(200);
      const csv = await scenario.api.get(`/restaurants/${id}/takings.csv`, token).expect(200);
      const [header, row] = csv.text
        .trimEnd()
        .split('\r\n')
        .map((line) => line.split(','));
      return [
        (await get('/statistics')).currency,
        (await get('/orders')).data[0].currency,
        (await get(`/orders/${key}`)).currency,
        overview.body.data[0].currency,
        row?.[header?.indexOf('currency') ?? -1] || null,
      ];
    };
    expect(await told()).toEqual(Array(5).fill('BRL'));
    await change(null).expect(200);
    expect(await told()).toEqual(Array(5).fill(null));
  });

  test('W34: a sale in another currency is stored, with a warning in answer, order, list, log and metric', async () => {
    const { send, get } = await restaurant('BRL');
    const before = await counted();
    const { jobId, warnings } = await send({ currency: 'usd' });
    expect(warnings).toEqual([textOf('USD')]);
    const key = await scenario.keyOf(jobId);
    expect((await get(`/orders/${key}`)).warnings).toEqual(warnings);
    expect((await get('/orders')).data[0]).toMatchObject({ warnings, currency: 'BRL', paidCents: 7_980 });
    const line = scenario.relay.logged.find((each) => each.event === 'webhook.accepted' && each.job === jobId);
    expect(line).toMatchObject({ warnings: [KIND] });
    expect(await counted()).toBe(before + 1);
  });

  test('W34: it is the last warning, and the order is sent as ever', async () => {
    const { send, token, id } = await restaurant('EUR');
    await scenario.api.patch(`/restaurants/${id}`, token, { codeStorePos: null }).expect(200);
    const { jobId, warnings } = await send({ currency: 986, transactionDate: 'yesterday' });
    expect(warnings).toEqual([
      'transactionDate: cannot be read; stored as null, and the order carries the time of receipt',
      'restaurant has no codeStorePos: the order waits until it is set',
      textOf('986'),
    ]);
    await scenario.api.patch(`/restaurants/${id}`, token, { codeStorePos: '1001' }).expect(200);
    await scenario.settle(jobId, 'SENT');
    expect((await scenario.jobs.get(jobId)).status).toBe('SENT');
  });

  test.each<[string | null, unknown]>([
    ['BRL', 'BRL'],
    ['BRL', ' brl'],
    ['BRL', null],
    ['BRL', ''],
    ['BRL', undefined],
    [null, 'USD'],
  ])('W34: a restaurant with %p warns of nothing when the sale says %p', async (currency, sent) => {
    const { send } = await restaurant(currency);
    expect((await send({ currency: sent })).warnings).toBeUndefined();
  });

  test('W34: among sales that arrive together, only the one that differs has the warning; a test sale repeated has it again', async () => {
    const { send } = await restaurant('BRL');
    const sent = await Promise.all(['BRL', 'USD', undefined, 'EUR'].map((currency) => send({ currency })));
    expect(sent.map(({ warnings }) => warnings)).toEqual([undefined, [textOf('USD')], undefined, [textOf('EUR')]]);
    const trial = { transactionKey: 'TRIAL', isTestTransaction: true, currency: 'USD' };
    expect(await send(trial)).toEqual(await send(trial));
  });

  test('W34: a hostile currency is a warning of one short text', async () => {
    const { send } = await restaurant('BRL');
    const { warnings } = await send({ currency: `=\u0000${'x'.repeat(100_000)}` });
    expect(warnings).toEqual([textOf(`=\ufffd${'X'.repeat(18)}`)]);
  });
});
