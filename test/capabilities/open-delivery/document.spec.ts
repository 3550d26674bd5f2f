import { Scenario } from '../../support/scenario.js';
import { PullingPos } from './pulling.js';
import { deviationFrom } from './standard.js';

interface Amount {
  readonly value: number;
  readonly currency: string;
}
interface Item {
  readonly id: string;
  readonly quantity: number;
  readonly unitPrice: Amount;
  readonly optionsPrice?: Amount;
  readonly totalPrice: Amount;
}
interface Document {
  readonly items: readonly Item[];
  readonly total: Record<'itemsPrice' | 'otherFees' | 'discount' | 'orderAmount', Amount>;
  readonly otherFees?: readonly { readonly type: string; readonly price: Amount }[];
  readonly payments: {
    readonly prepaid: number;
    readonly pending: number;
    readonly methods: readonly { readonly value: number }[];
  };
  readonly [field: string]: unknown;
}

const DISH = { itemCode: 'D-1', itemName: 'Pasta', quantity: 2, price: 20 };
const cents = (value: number) => Math.round(value * 100);
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

describe('what the relay answers and offers is of the standard (Q9, Q10)', () => {
  const scenario = Scenario.ofSuite();
  let own: Awaited<ReturnType<typeof PullingPos.ofRestaurant>>;
  beforeAll(async () => {
    own = await PullingPos.ofRestaurant(() => scenario);
  });

  async function documentOf(changes: object): Promise<Document> {
    const jobId = await own.restaurant.sell(changes);
    const events = await own.pos.poll();
    for (const event of events) expect(deviationFrom('Event', event)).toBeNull();
    const { body } = await own.pos.read(jobId).expect(200);
    await own.pos.acknowledge(...events);
    return body;
  }

  test.each<[string, object]>([
    ['two pizzas by card', {}],
    [
      'tip, service fee, notes, options, evidence',
      {
        totalAmount: 53,
        tipAmount: 5,
        serviceFeeAmount: 4,
        notes: 'no onions',
        items: [
          { ...DISH, notes: 'well done', options: [{ itemCode: 'O', itemName: 'Cheese', quantity: 1, price: 2 }] },
        ],
        payments: [
          {
            tenderType: 28,
            amount: 53,
            authorizationCode: '004217',
            acquirerDocument: '01027058000191',
            brand: 'Visa',
          },
        ],
      },
    ],
    ['a discount', { totalAmount: 30, items: [DISH], payments: [{ tenderType: 1, amount: 30 }] }],
    ['more paid than sold', { totalAmount: 45, items: [DISH], payments: [{ tenderType: 50, amount: 45 }] }],
    [
      'a line below zero is a discount',
      {
        totalAmount: 35,
        items: [DISH, { itemCode: 'X', itemName: 'Voucher', quantity: 1, price: -5 }],
        payments: [{ tenderType: 1, amount: 35 }],
      },
    ],
    [
      'an unknown tender, without item names',
      {
        totalAmount: 40,
        items: [{ quantity: 2, price: 20 }],
        payments: [
          { tenderType: 'XYZ', amount: 15 },
          { tenderType: 16, amount: 25, brand: 'Some Card' },
        ],
      },
    ],
    [
      'weights and fractions of a cent',
      {
        totalAmount: 12.35,
        items: [{ itemCode: 'W', itemName: 'Salad', quantity: 0.345, price: 35.79999 }],
        payments: [{ tenderType: 1, amount: 12.35 }],
      },
    ],
    ['in test mode', { testMode: true }],
  ])('%s: by the schema, and its sums close to the cent', async (_, changes) => {
    const document = await documentOf(changes);
    expect(deviationFrom('Order', document)).toBeNull();
    const { items, total, otherFees = [], payments } = document;
    expect(sum(items.map(({ totalPrice }) => cents(totalPrice.value)))).toBe(cents(total.itemsPrice.value));
    expect(sum(otherFees.map(({ price }) => cents(price.value)))).toBe(cents(total.otherFees.value));
    expect(cents(total.orderAmount.value)).toBe(
      cents(total.itemsPrice.value) + cents(total.otherFees.value) - cents(total.discount.value),
    );
    expect(sum(payments.methods.map(({ value }) => cents(value)))).toBe(cents(total.orderAmount.value));
    expect(payments).toMatchObject({ prepaid: total.orderAmount.value, pending: 0 });
  });

  test('the order: the key of the sale, the terminal, paid in advance, fees by name', async () => {
    const document = await documentOf({
      transactionKey: 'SALE-1',
      totalAmount: 49,
      tipAmount: 5,
      serviceFeeAmount: 4,
      items: [{ ...DISH, options: [{ itemCode: 'O', quantity: 1, price: 0 }] }],
      payments: [{ tenderType: 1, amount: 49 }],
    });
    expect(document).toMatchObject({
      type: 'INDOOR',
      displayId: 'SALE-1',
      orderTiming: 'INSTANT',
      lastEvent: 'CREATED',
      merchant: { id: own.restaurant.id },
      indoor: { mode: 'TERMINAL' },
      otherFees: [
        { name: 'Tip', type: 'TIP', price: { value: 5, currency: 'BRL' } },
        { name: 'Service fee', type: 'SERVICE_FEE', price: { value: 4, currency: 'BRL' } },
      ],
      payments: { prepaid: 49, pending: 0, methods: [{ type: 'PREPAID', method: 'CASH', currency: 'BRL' }] },
      items: [
        { externalCode: 'D-1', name: 'Pasta', totalPrice: { value: 40 }, options: [{ externalCode: 'O', name: 'O' }] },
      ],
    });
  });

  test("the restaurant's codes are sent, and a tender code of the standard is the means of payment", async () => {
    const { id, token } = own.restaurant;
    await scenario.api.put(`/restaurants/${id}/codes/ITEM/D-1`, token, { posCode: 'POS-9', name: 'Massa' }).expect(201);
    await scenario.api.put(`/restaurants/${id}/codes/TENDER/77`, token, { posCode: 'MEAL_VOUCHER' }).expect(201);
    const document = await documentOf({ totalAmount: 40, items: [DISH], payments: [{ tenderType: 77, amount: 40 }] });
    expect(document).toMatchObject({
      items: [{ externalCode: 'POS-9', name: 'Massa' }],
      payments: { methods: [{ method: 'MEAL_VOUCHER' }] },
    });
  });

  test('an item has the same id at each read', async () => {
    const jobId = await own.restaurant.sell();
    const ids = async () => ((await own.pos.read(jobId).expect(200)).body as Document).items.map(({ id }) => id);
    expect(await ids()).toEqual(await ids());
  });

  test('the sign-in, the versions and errors', async () => {
    expect(deviationFrom('TokenResponse', (await own.pos.signIn().expect(200)).body)).toBeNull();
    const versions = await scenario.api.get('/v1/versions/orderingApp', own.pos.token).expect(200);
    expect(deviationFrom('VersionOrderingApp', versions.body)).toBeNull();
    const refused = [
      await own.pos.signIn('wrong').expect(401),
      await own.pos.read(own.restaurant.id).expect(404),
      await own.pos.read('no-uuid').expect(400),
      await own.pos.acknowledgeAll([{ id: 1 }]).expect(400),
      await own.pos.acknowledgeAll('no list').expect(400),
      await own.pos.ask(`?${'eventType=A&'.repeat(51)}`).expect(400),
      await scenario.api.get('/v1/events:polling', 'nonsense').expect(401),
    ];
    for (const { body } of refused) expect(deviationFrom('Error', body)).toBeNull();
  });
});
