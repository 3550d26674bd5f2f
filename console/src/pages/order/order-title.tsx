import { type Order, orderName } from './reading.js';
import { useTexts } from './texts.js';

/** The number of an order, and its label: people look for the table, not for the number. */
export function OrderTitle({
  order,
  keyInAddress,
}: {
  readonly order: Order | undefined;
  readonly keyInAddress: string;
}) {
  const texts = useTexts();
  return (
    <span className="order-title">
      {texts.title(orderName(order, keyInAddress))}
      {order?.label != null && (
        <>
          {' · '}
          <bdi>{order.label}</bdi>
        </>
      )}
    </span>
  );
}
