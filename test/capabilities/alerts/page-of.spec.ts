import '../../../src/capabilities/alerts/order-conditions.js';
import '../../../src/capabilities/terminal-files/conditions.js';
import { pageOf } from '../../../src/capabilities/alerts/message.js';

describe('the page that a message leads to', () => {
  const restaurantId = '00000000-0000-4000-8000-000000000001';
  const fileId = '00000000-0000-4000-8000-000000000002';

  test("of sales that are missing it is the page of the terminal's file, whatever their number (N30)", () => {
    for (const count of [1, 3])
      expect(pageOf({ kind: 'MISSING_HERE', count, details: { name: 'evening.csv', fileId }, restaurantId })).toBe(
        `/console/r/${restaurantId}/terminal-files/${fileId}`,
      );
  });

  test('of one parked order it is the page of the order, of several the page of alerts (G8)', () => {
    const of = (count: number) =>
      pageOf({ kind: 'ORDER_PARKED', count, details: { transactionKey: 'SALE-1' }, restaurantId });
    expect(of(1)).toBe(`/console/r/${restaurantId}/orders/SALE-1`);
    expect(of(2)).toBe(`/console/r/${restaurantId}/alerts`);
  });
});
