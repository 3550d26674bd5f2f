import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { orderOf, readSale } from '../../src/domain/sale.js';
import type { JsonObject } from '../../src/domain/transaction.js';
import { partner } from '../../src/pos/vendors/partner/partner.js';

/** Body of the order or why there is none, warnings, what was paid, difference of totalAmount: amounts in cents, as text. */
type Recorded = readonly [order: string, warnings: string[], paid: object | null, mismatch: string | null];
/** A stored payload, and what the version without options, notes and tips made of it; `folded` is null where POS_ODD_LINES changes nothing. */
type Line = readonly [payload: JsonObject, sent: Recorded, folded: Recorded | null];

/** Written by the code of commit afe0f778 from random sales; never written again. */
const LINES = gunzipSync(readFileSync(new URL('recorded-orders.jsonl.gz', import.meta.url)))
  .toString()
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Line);

function made(payload: JsonObject, oddLines: 'send' | 'fold'): Recorded {
  const vendor = partner({ oddLines });
  const sale = readSale(payload, vendor);
  const id = String(payload.transactionKey);
  const order = orderOf(sale, { id, store: 'POS-7' }, new Date('2026-03-01T12:31:00.000Z'));
  const { paid, mismatchCents, warnings } = sale;
  const byTender = Object.entries(paid?.byTender ?? {}).map(([tender, cents]) => [tender, String(cents)]);
  return [
    'unmappable' in order ? order.unmappable : JSON.stringify(vendor.createOrder(order).body),
    warnings.map(({ kind, text }) => `${kind}: ${text}`),
    paid && { total: String(paid.total), byTender: Object.fromEntries(byTender) },
    mismatchCents === null ? null : String(mismatchCents),
  ];
}

test('a sale without options, notes, tip, fee and evidence has the order of the version before, byte for byte (M2 to M16)', () => {
  expect(LINES).toHaveLength(306);
  const changed = LINES.filter(
    ([payload, sent, folded]) =>
      JSON.stringify(made(payload, 'send')) !== JSON.stringify(sent) ||
      JSON.stringify(made(payload, 'fold')) !== JSON.stringify(folded ?? sent),
  );
  expect(changed).toEqual([]);
});
