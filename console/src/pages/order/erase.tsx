import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, api } from '../../api/client.js';
import { queries } from '../../api/queries.js';
import { Button } from '../../design/button.js';
import { Confirm } from '../../design/confirm.js';
import { ErrorText } from '../../design/feedback.js';
import { Icon } from '../../design/icons.js';
import { Panel } from '../../design/page.js';
import { useFormats } from '../../i18n/formats.js';
import { isolated } from '../../i18n/isolated.js';
import type { OwnRestaurant } from '../../session/restaurants.js';
import { isMoving, type Order, orderName } from './reading.js';
import { useTexts } from './texts.js';

/** When and by whom the content of the sale was erased, and which fields only owners see (W40, S23). */
export function Withheld({ order, timezone }: { readonly order: Order; readonly timezone: string }) {
  const texts = useTexts().erase;
  const { dateTime } = useFormats();
  const { erased, hidden } = order;
  return (
    <>
      {erased && (
        <p>
          <Icon name="clock" /> {texts.erased(dateTime(erased.at, timezone), isolated(erased.by))}
        </p>
      )}
      {hidden.length > 0 && (
        <p>
          <Icon name="warning" /> {texts.hidden(hidden.map(isolated).join(', '))}
        </p>
      )}
    </>
  );
}

/** Erases the content of the sale after a confirmation; only for OWNERs, and while the order is not on its way (W40). */
export function EraseOrder({ order, restaurant }: { readonly order: Order; readonly restaurant: OwnRestaurant }) {
  const texts = useTexts().erase;
  const [isAsked, setAsked] = useState(false);
  const { transactionKey } = order;
  const erasing = useMutation({
    mutationFn: () =>
      answerOf(
        api.POST('/restaurants/{restaurantId}/orders/{transactionKey}/erase', {
          params: { path: { restaurantId: restaurant.id, transactionKey: 'key' }, query: { key: transactionKey } },
        }),
      ),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['order', restaurant.id] }),
    onSettled: () => setAsked(false),
  });
  if (restaurant.role !== 'OWNER' || order.erased || isMoving(order)) return null;
  const name = orderName(order, transactionKey);
  return (
    <Panel title={texts.title}>
      <p className="fine">{texts.intro}</p>
      <Button kind="quiet" busy={erasing.isPending} onClick={() => setAsked(true)}>
        {texts.button}
      </Button>
      <span role="status">{erasing.error && <ErrorText error={erasing.error} />}</span>
      {isAsked && (
        <Confirm
          open
          title={texts.confirmTitle(name)}
          action={texts.action(name)}
          busy={erasing.isPending}
          onConfirm={() => erasing.mutate()}
          onClose={() => setAsked(false)}
        >
          <p>{texts.what}</p>
          <p>{texts.forGood}</p>
        </Confirm>
      )}
    </Panel>
  );
}
