import { useMayMap } from '../../session/order-acts.js';
import { useMayResend, WhoMayResend } from '../../session/resend.js';
import type { OwnRestaurant } from '../../session/restaurants.js';
import { SendOne } from '../../session/send-one.js';
import { createJobOf, type Order, orderBadgeOf, orderName } from './reading.js';

/** The button that sends the order again; none for an erased sale. For a user who may not: who may. */
export function SendAgain({ order, restaurant }: { readonly order: Order; readonly restaurant: OwnRestaurant }) {
  const may = useMayResend(restaurant.id);
  const mayMap = useMayMap(restaurant);
  const badge = orderBadgeOf(order);
  if (!may.data || order.erased) return null;
  if (!may.data.allowed) return badge === 'parked' ? <WhoMayResend may={may.data} /> : null;
  return (
    <SendOne
      restaurantId={restaurant.id}
      transactionKey={order.transactionKey}
      name={orderName(order, order.transactionKey)}
      badge={badge}
      jobs={order.jobs}
      // the code of the product is entered first, and sends it too (I8)
      kind={mayMap && createJobOf(order)?.subject === 'product' ? 'plain' : 'primary'}
    />
  );
}
