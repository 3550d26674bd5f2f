let count = 0;

/** A transaction with a key of its own: two pizzas, paid by card. */
export function sale(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    transactionKey: `T-${Date.now()}-${++count}`,
    transactionNumber: String(count),
    storeCode: 'STORE-1',
    transactionDate: '2026-01-31T20:15:00Z',
    totalAmount: 79.8,
    items: [{ itemCode: 'PZ-01', itemName: 'Pizza Margherita', quantity: 2, price: 39.9 }],
    payments: [{ tenderType: 16, amount: 79.8 }],
    ...changes,
  };
}
