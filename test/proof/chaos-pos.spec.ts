import { contentOf } from '../../proof/chaos/history.js';
import { POS_FAULTS } from '../../proof/chaos/plan.js';
import { ChaosPos, PARTNER } from '../../proof/chaos/pos.js';
import { treatmentOf } from '../../proof/chaos/pos-faults.js';
import { Random } from '../../proof/random.js';

describe('the POS of a chaos run', () => {
  let pos: ChaosPos;
  let headers: Record<string, string>;

  beforeEach(async () => {
    const stores = new Map([
      ['PLAIN', false],
      ['STRICT', true],
    ]);
    pos = new ChaosPos(stores, 1_500, new Random('pos'));
    await pos.listen();
    const partner = { 'id-partner': PARTNER.id, secret: PARTNER.secret };
    const { token } = (await (await fetch(`${pos.url}/auth`, { method: 'POST', headers: partner })).json()) as {
      token: string;
    };
    const authorization = `Bearer ${token}`;
    headers = { ...partner, authorization, 'content-type': 'application/json', 'x-chaos-pid': '7' };
  });
  afterEach(() => pos.close());

  const post = (path: string, body: object) =>
    fetch(pos.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  const order = (cod_store: string) => ({
    order_id: `${cod_store}-1`,
    cod_store,
    created_at: '2026-01-31T20:15:00Z',
    total_amount: 12.5,
    total_discount: 0,
    total_increase: 0,
    items: [{ integration_code: 'PZ-01', desc_item: 'Pizza', quantity: 1, unit_price: 12.5 }],
    payment_types: [{ code: 'CRE', amount: 12.5 }],
  });
  const effects = () => pos.calls.map(({ kind, orderId, effect, status }) => [kind, orderId, effect, status]);

  test('a plain store accepts an order twice, a strict one refuses the second; both are recorded', async () => {
    for (const store of ['PLAIN', 'PLAIN', 'STRICT', 'STRICT']) await (await post('/order', order(store))).text();
    expect(effects()).toEqual([
      ['order', 'PLAIN-1', 'cooked', 200],
      ['order', 'PLAIN-1', 'cooked', 200],
      ['order', 'STRICT-1', 'cooked', 200],
      ['order', 'STRICT-1', 'refused', 400],
    ]);
    const content = contentOf('PLAIN', 1_250, [{ code: 'PZ-01', quantity: 1, price: 12.5 }]);
    expect(pos.calls[0]).toMatchObject({ pid: 7, content, treatment: 'well' });
  });

  test('look-ups and cancels are recorded', async () => {
    const { order_id, cod_store } = order('PLAIN');
    const lookUp = async (id: string) => (await fetch(`${pos.url}/order/${id}`, { headers })).status;
    const cancel = async (id: string) => (await post('/cancel-order', { order_id: id, cod_store })).status;
    await (await post('/order', order('PLAIN'))).text();
    expect([await lookUp(order_id), await lookUp('another')]).toEqual([200, 404]);
    expect([await cancel(order_id), await cancel('another')]).toEqual([200, 404]);
    expect(effects().slice(1)).toEqual([
      ['lookup', order_id, 'found', 200],
      ['lookup', 'another', 'refused', 404],
      ['cancel', order_id, 'cancelled', 200],
      ['cancel', 'another', 'refused', 404],
    ]);
  });

  test.each(POS_FAULTS.filter((fault) => fault !== 'down' && fault !== 'sessions-lost'))(
    'with the fault %s some calls fail, and some do not',
    (fault) => {
      const random = new Random(fault);
      const treatments = Array.from({ length: 200 }, () => treatmentOf(fault, 1_500, random));
      const isWell = (treatment: (typeof treatments)[number]) => treatment !== 'reset' && treatment.text === 'well';
      expect(treatments.some(isWell)).toBe(true);
      expect(treatments.every(isWell)).toBe(false);
    },
  );
});
