// The sale that everybody is measured with: about 700 bytes of JSON, three items, one payment.

/** What the sale of every benchmark is paid with, in cents, and its tender. */
export const PAID_CENTS = 4297;
export const TENDER_TYPE = 16;

/** Key of the sale with this number; the receiver reads the number from its end. */
export const keyOf = (prefix, number) => `${prefix}-${number}`;

/** @param store the terminal's code of the restaurant */
export function sale(prefix, number, store) {
  return {
    transactionKey: keyOf(prefix, number),
    transactionNumber: String(number),
    storeCode: store,
    terminalId: 'T-07',
    transactionDate: '2026-01-15T10:20:30.456Z',
    currency: 'EUR',
    customer: 'cus_8f3a2b1c9d',
    totalAmount: PAID_CENTS / 100,
    items: [
      item(1, 'Pizza Margherita', 1, 9.99),
      item(2, 'Tagliatelle al ragu', 2, 7.49),
      item(3, 'Acqua minerale', 3, 6),
    ],
    payments: [
      {
        tenderType: TENDER_TYPE,
        amount: PAID_CENTS / 100,
        status: 'captured',
        reference: 'ch_3Nq1f2LkdIwHu7ix0',
        network: 'network-0042',
      },
    ],
  };
}

const item = (line, itemName, quantity, price) => ({
  itemCode: `SKU-10${line}4`,
  itemName,
  quantity,
  price,
  taxRate: 19,
  discount: 0,
  category: 'kitchen',
});

/** The JSON of a sale as one text, in which `{key}`, `{number}` and `{store}` are to be replaced. */
export const TEMPLATE = JSON.stringify(sale('{prefix}', '{number}', '{store}')).replace(
  keyOf('{prefix}', '{number}'),
  '{key}',
);

/** A function that writes the JSON of a store's sale without serialising it again: (key, number) -> text. */
export function saleWriter(store) {
  const [beforeKey, afterKey] = TEMPLATE.replace('{store}', store).split('{key}');
  const [beforeNumber, afterNumber] = afterKey.split('{number}');
  return (key, number) => beforeKey + key + beforeNumber + number + afterNumber;
}
