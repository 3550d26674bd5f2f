import { answerOf, api } from '../../api/client.js';
import { SendOne } from '../../session/send-one.js';
import { createJobOf, type Order, orderBadgeOf, orderName } from './reading.js';

/** The button of an operator (R9) that sends the order again, or its cancel if that was given up; none where the reset would leave it out. */
export function SendAsOperator({ order, restaurantId }: { readonly order: Order; readonly restaurantId: string }) {
  const badge = orderBadgeOf(order);
  const isCancel = badge === 'cancelParked';
  const job = isCancel ? order.jobs.find(({ action }) => action === 'CANCEL') : createJobOf(order);
  // sent again it would be parked again (M10), unless it can be mapped by now
  const isInVain = job?.cause === 'unmappable' && order.unmappable !== null;
  if (!job || isInVain || (!isCancel && order.erased)) return null;
  return (
    <SendOne
      restaurantId={restaurantId}
      transactionKey={order.transactionKey}
      name={orderName(order, order.transactionKey)}
      badge={isCancel ? 'parked' : badge}
      // a cancel that arrives twice does no harm
      jobs={isCancel ? [] : order.jobs}
      send={async () => {
        const { data } = await answerOf(api.POST('/admin/jobs/reset', { body: { jobIds: [job.id] } }));
        return data.reset > 0;
      }}
    />
  );
}
