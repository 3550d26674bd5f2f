import { withoutFields } from '../../../src/domain/hidden-fields.js';
import { sale } from '../../support/client.js';
import { TERMINAL_TOKEN } from '../../support/environment.js';
import { Scenario } from '../../support/scenario.js';

describe('fields of a payload that only OWNERs see', () => {
  test.each<[string, object, string[], object, string[]]>([
    ['a field', { a: 1, b: 2 }, ['a'], { a: '[hidden]', b: 2 }, ['a']],
    ['below objects', { a: { b: { c: 1 }, d: 2 } }, ['a.b'], { a: { b: '[hidden]', d: 2 } }, ['a.b']],
    [
      'in every entry',
      { l: [{ n: 1 }, { m: 2 }, [{ n: 3 }], 4] },
      ['l.n'],
      { l: [{ n: '[hidden]' }, { m: 2 }, [{ n: '[hidden]' }], 4] },
      ['l.n'],
    ],
    ['two paths, one inside the other', { a: { b: 1 } }, ['a.b', 'a'], { a: '[hidden]' }, ['a.b', 'a']],
    ['null is nothing to hide', { a: null }, ['a'], { a: null }, []],
    ['a field that is not there', { a: 'text' }, ['a.b', 'c', 'toString', '__proto__.x'], { a: 'text' }, []],
    [
      'an own field of this name',
      JSON.parse('{"__proto__": {"x": 1}}'),
      ['__proto__.x'],
      JSON.parse('{"__proto__": {"x": "[hidden]"}}'),
      ['__proto__.x'],
    ],
  ])('%s (S23)', (_, payload, paths, shown, hidden) => {
    const before = JSON.stringify(payload);
    const split = paths.map((path) => path.split('.'));
    const result = withoutFields(payload as Record<string, unknown>, split);
    expect([JSON.stringify(result.payload), result.hidden]).toEqual([JSON.stringify(shown), hidden]);
    expect(JSON.stringify(payload)).toBe(before);
  });

  test('every role but OWNER gets [hidden], and the names of the fields; a platform administrator sees them (S23)', async () => {
    const scenario = await Scenario.open({ PAYLOAD_HIDE: 'customer.name, items.note' });
    try {
      const { id, owner } = await scenario.restaurant('HIDE-1');
      const [item] = sale().items as object[];
      const transaction = sale({
        ...{ storeCode: 'HIDE-1', customer: { name: 'Maria', city: 'Recife' } },
        items: [{ ...item, note: 'no onion' }, item],
      });
      await scenario.api.post('/webhooks/terminal', TERMINAL_TOKEN, transaction).expect(200);
      const path = `/orders/${transaction.transactionKey}`;
      const read = async (token: string, at = `/restaurants/${id}${path}`) =>
        (await scenario.api.get(at, token).expect(200)).body;
      const whole = { hidden: [], event: { customer: { name: 'Maria' }, items: [{ note: 'no onion' }, {}] } };
      expect(await read(owner.token)).toMatchObject(whole);
      expect(
        await read(await scenario.relay.login(), `/admin/orders/${id}/${transaction.transactionKey}`),
      ).toMatchObject(whole);
      for (const role of ['ADMIN', 'MANAGER', 'EMPLOYEE', 'VIEWER'] as const) {
        const order = await read((await scenario.staff(id, role)).token);
        expect(order).toMatchObject({
          hidden: ['customer.name', 'items.note'],
          event: { customer: { name: '[hidden]', city: 'Recife' }, items: [{ note: '[hidden]' }, item] },
        });
        expect(JSON.stringify(order)).not.toMatch(/Maria|onion/);
      }
    } finally {
      await scenario.close();
    }
  });

  test('what is hidden is not in the order of the POS either, before it is sent and after (S23, M19 to M22)', async () => {
    const scenario = await Scenario.open({
      ...{ PAYLOAD_HIDE: 'notes, items.notes, items.options.itemName, payments.authorizationCode' },
      ...{ POS_ITEM_NOTES_FIELD: 'remark', POS_ORDER_NOTES_FIELD: 'remark' },
      POS_PAYMENT_FIELDS: '{"authorizationCode":"auth","brand":"brand"}',
    });
    try {
      const { id, owner } = await scenario.restaurant('HIDE-2');
      const [item] = sale().items as object[];
      const options = [{ itemCode: 'OP', itemName: 'for Maria', price: 0.1 }];
      const transaction = sale({
        ...{ storeCode: 'HIDE-2', notes: 'Maria', items: [{ ...item, notes: 'Maria', options }] },
        ...{ totalAmount: 80, payments: [{ tenderType: 16, amount: 80, authorizationCode: 'MARIA', brand: 'VISA' }] },
      });
      await scenario.api.post('/webhooks/terminal', TERMINAL_TOKEN, transaction).expect(200);
      const path = `/restaurants/${id}/orders/${transaction.transactionKey}`;
      const read = async (token: string) => (await scenario.api.get(path, token).expect(200)).body;
      const viewer = (await scenario.staff(id, 'VIEWER')).token;
      const shown = {
        ...{ total_amount: 80, total_increase: 0, remark: '[hidden]' },
        items: [{ remark: '[hidden]' }, { desc_item: '+ [hidden]', quantity: 2, unit_price: 0.1 }],
        payment_types: [{ code: 'CRE', amount: 80, auth: '[hidden]', brand: 'VISA' }],
      };
      for (const sent of [false, true]) {
        if (sent) await scenario.relay.tick();
        expect(await read(owner.token)).toMatchObject({ sent, hidden: [], order: { remark: 'Maria' } });
        const order = await read(viewer);
        expect(order).toMatchObject({ sent, unmappable: null, order: shown });
        expect(JSON.stringify(order)).not.toMatch(/Maria/i);
      }
    } finally {
      await scenario.close();
    }
  });
});
