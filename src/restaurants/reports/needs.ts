import { namedItems } from '../../domain/named-items.js';
import { MOST_PRODUCTS, NEED_KINDS, type NeedKind, type NeedView } from './needs.dto.js';
import type { StateRow } from './state.sql.js';

const KIND_OF = { CREATE: 'ORDER_PARKED', CANCEL: 'CANCEL_PARKED', REFUND: 'REFUND_TO_ENTER' } as const;

const plain = (kind: NeedKind, count: number, parts: Partial<NeedView> = {}): NeedView => ({
  ...{
    kind,
    name: null,
    cause: null,
    subject: null,
    count,
    cents: null,
    oldestAt: null,
    newestAt: null,
    orders: [],
    products: [],
  },
  ...parts,
});

/** Everything of a restaurant that needs somebody, one entry for each cause, the worst first (R67). */
export function needsOf(row: StateRow): NeedView[] {
  const {
    needs,
    waiting,
    waitingCents,
    failingSince,
    lastFailure,
    backAt,
    recovering,
    parked,
    refused,
    refusedKeys,
    silentSince,
    oldestReceivedAt,
    pause,
  } = row;
  const found: NeedView[] = needs.map(({ kind, refusals, ...need }) => ({
    ...need,
    kind: KIND_OF[kind],
    name: null,
    orders: [...(need.orders ?? [])],
    products: namedItems(refusals ?? [], MOST_PRODUCTS),
  }));
  const oldestAt = oldestReceivedAt?.toISOString() ?? null;
  const isFailing = waiting.orders > 0 && failingSince !== null && lastFailure !== null;
  if (pause) found.push(plain('PAUSED', waiting.orders, { cents: waitingCents, oldestAt: pause.since }));
  else if (isFailing) {
    const { cause } = lastFailure;
    found.push(
      plain('POS_REFUSES', waiting.orders, { cause, cents: waitingCents, oldestAt: failingSince.toISOString() }),
    );
  } else if (waiting.late > 0 && !(backAt && recovering > 0))
    found.push(plain('ORDER_LATE', waiting.late, { oldestAt }));
  if (refused > 0) found.push(plain('KEY_REUSED', refused));
  for (const { name, count, since } of refusedKeys)
    found.push(plain('SENDER_REFUSED', count, { name, oldestAt: since }));
  if (silentSince) found.push(plain('SENDER_SILENT', 0, { oldestAt: silentSince.toISOString() }));
  const earlier = parked.earlier.orders + parked.earlier.cancels;
  if (earlier > 0) found.push(plain('EARLIER_PARKED', earlier));
  return found.toSorted((a, b) => NEED_KINDS.indexOf(a.kind) - NEED_KINDS.indexOf(b.kind));
}
