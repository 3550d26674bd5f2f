import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, api } from '../../api/client.js';
import { queries } from '../../api/queries.js';
import { Button } from '../../design/button.js';
import { Confirm } from '../../design/confirm.js';
import { ErrorText } from '../../design/feedback.js';
import { Icon } from '../../design/icons.js';
import { useMayResend, WhoMayResend } from '../../session/resend.js';
import type { OwnRestaurant } from '../../session/restaurants.js';
import { type Order, orderBadgeOf, orderName } from './reading.js';
import { useTexts } from './texts.js';

/**
 * Sends a parked order again, or tries one now that waits for a retry. For a user who may not: who may.
 * @param mayHaveArrived asks first: the POS may have the order
 */
export function SendAgain({
  order,
  restaurant,
  mayHaveArrived,
}: {
  readonly order: Order;
  readonly restaurant: OwnRestaurant;
  readonly mayHaveArrived: boolean;
}) {
  const texts = useTexts().again;
  const may = useMayResend(restaurant.id);
  const [isAsked, setAsked] = useState(false);
  const badge = orderBadgeOf(order);
  const sending = useMutation({
    mutationFn: () =>
      answerOf(
        api.POST('/restaurants/{restaurantId}/orders/{transactionKey}/resend', {
          params: {
            path: { restaurantId: restaurant.id, transactionKey: 'key' },
            query: { key: order.transactionKey },
          },
        }),
      ),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['order', restaurant.id] }),
    onSettled: () => setAsked(false),
  });
  const canBeSent = badge === 'parked' || badge === 'retrying';
  const name = orderName(order, order.transactionKey);
  if (!may.data) return null;
  if (canBeSent && !may.data.allowed) return badge === 'parked' ? <WhoMayResend may={may.data} /> : null;
  return (
    <div className="order-again">
      {canBeSent && (
        <Button
          kind="primary"
          icon="repeat"
          busy={sending.isPending}
          onClick={() => (mayHaveArrived ? setAsked(true) : sending.mutate())}
        >
          {badge === 'parked' ? texts.send : texts.tryNow}
        </Button>
      )}
      <div role="status">
        {sending.isSuccess && !canBeSent && badge !== 'delivered' && (
          <p className="field-good">
            <Icon name="check" /> {texts.done}
          </p>
        )}
        {sending.error && <ErrorText error={sending.error} />}
      </div>
      {isAsked && (
        <Confirm
          open
          title={texts.title(name)}
          action={texts.send}
          busy={sending.isPending}
          onConfirm={() => sending.mutate()}
          onClose={() => setAsked(false)}
        >
          <p>{texts.mayHaveArrived}</p>
        </Confirm>
      )}
    </div>
  );
}
