import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, api, type View } from '../api/client.js';
import { queries } from '../api/queries.js';
import { Button } from '../design/button.js';
import { Confirm } from '../design/confirm.js';
import { ErrorText } from '../design/feedback.js';
import { Icon } from '../design/icons.js';
import { useSharedTexts } from '../i18n/shared.js';
import { mayManage, type OwnRestaurant } from './restaurants.js';
import { useHas } from './session.js';

/** Records that an order, or a refund, was entered in the till by hand (R65); it says by whom it was. For those who may. */
export function EnterOne({
  restaurant,
  transactionKey,
  name,
  entered,
  mayBeThere = false,
}: {
  readonly restaurant: OwnRestaurant;
  readonly transactionKey: string;
  /** the number of the order, or its key */
  readonly name: string;
  readonly entered?: Pick<View<'OrderView'>, 'enteredAt' | 'enteredBy'>;
  /** an attempt may have brought it there */
  readonly mayBeThere?: boolean;
}) {
  const texts = useSharedTexts().entered;
  const has = useHas();
  const [isAsked, setAsked] = useState(false);
  const entering = useMutation({
    mutationFn: () => {
      const params = { path: { restaurantId: restaurant.id, transactionKey: 'key' }, query: { key: transactionKey } };
      return answerOf(api.POST('/restaurants/{restaurantId}/orders/{transactionKey}/entered', { params, body: {} }));
    },
    // it is shown as done at once; a refusal takes that back
    onMutate: () => setAsked(false),
    onSuccess: () => queries.invalidateQueries(),
  });
  const isDone = entering.isPending || entering.isSuccess;
  if (entered?.enteredAt || !has('resend') || !mayManage(restaurant.role)) return null;
  const label = mayBeThere ? texts.there : texts.button;
  return (
    <div className="send-one">
      {!isDone && (
        <Button icon="check" onClick={() => setAsked(true)}>
          {label}
          <span className="unseen"> {name}</span>
        </Button>
      )}
      <div role="status">
        {isDone && (
          <p className="field-good">
            <Icon name="check" /> {texts.done}
          </p>
        )}
        {entering.error && <ErrorText error={entering.error} />}
      </div>
      {isAsked && (
        <Confirm
          open
          title={texts.title(name)}
          action={label}
          onConfirm={() => entering.mutate()}
          onClose={() => setAsked(false)}
        >
          <p>{texts.text}</p>
        </Confirm>
      )}
    </div>
  );
}
