import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { answerOf, api } from '../../api/client.js';
import { queries } from '../../api/queries.js';
import { Button } from '../../design/button.js';
import { Confirm } from '../../design/confirm.js';
import { ErrorText } from '../../design/feedback.js';
import { Icon } from '../../design/icons.js';
import { useFormats } from '../../i18n/formats.js';
import { mayManage, type OwnRestaurant } from '../../session/restaurants.js';
import { type Order, orderBadgeOf, orderName, paidOf } from './reading.js';
import { useTexts } from './texts.js';

/** Cancels the order after a confirmation; only for roles that may, and while it can be cancelled. */
export function CancelOrder({ order, restaurant }: { readonly order: Order; readonly restaurant: OwnRestaurant }) {
  const texts = useTexts();
  const { amount } = useFormats();
  const [isAsked, setAsked] = useState(false);
  const { transactionKey } = order;
  const isEntered = order.enteredAt !== null;
  const cancelling = useMutation({
    mutationFn: () =>
      answerOf(
        api.POST('/restaurants/{restaurantId}/orders/{transactionKey}/cancel', {
          params: { path: { restaurantId: restaurant.id, transactionKey: 'key' }, query: { key: transactionKey } },
          // the dialog has said what to do in the till first
          ...(isEntered && { body: { entered: true } }),
        }),
      ),
    // the dialog stays until the answer
    onSuccess: () => queries.invalidateQueries({ queryKey: ['order', restaurant.id] }),
    onSettled: () => setAsked(false),
  });
  const said = useRef<HTMLDivElement>(null);
  const { isSuccess } = cancelling;
  useEffect(() => {
    // the button that had the focus is gone
    if (isSuccess) said.current?.focus();
  }, [isSuccess]);
  const badge = orderBadgeOf(order);
  if (!mayManage(restaurant.role)) return null;
  const name = orderName(order, transactionKey);
  const paid = paidOf(order);
  const atPos = badge === 'delivered' || badge === 'cancelParked';
  const text = texts.cancelText[isEntered ? 'entered' : atPos ? 'delivered' : 'waiting'];
  const isDone = badge === 'cancelled' || badge === 'cancelling' || badge === 'refund';
  return (
    <div className="order-cancel">
      {!isDone && (
        <Button kind="danger" icon="cross" busy={cancelling.isPending} onClick={() => setAsked(true)}>
          {badge === 'cancelParked' ? texts.cancelAgain : texts.cancel}
        </Button>
      )}
      <div ref={said} role="status" tabIndex={-1}>
        {cancelling.isSuccess && (
          <p className="field-good">
            <Icon name="check" /> {texts.cancelDone}
          </p>
        )}
        {cancelling.error && <ErrorText error={cancelling.error} />}
      </div>
      {isAsked && (
        <Confirm
          open
          title={texts.cancelTitle(name)}
          action={texts.cancelYes(name)}
          busy={cancelling.isPending}
          onConfirm={() => cancelling.mutate()}
          onClose={() => setAsked(false)}
        >
          <p>{text(paid === undefined ? '–' : amount(paid))}</p>
          <p>{texts.cancelMoney}</p>
        </Confirm>
      )}
    </div>
  );
}
