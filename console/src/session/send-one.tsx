import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, api, type View } from '../api/client.js';
import { readOrder } from '../api/orders.js';
import { queries } from '../api/queries.js';
import { Button } from '../design/button.js';
import { Confirm } from '../design/confirm.js';
import { ErrorText } from '../design/feedback.js';
import { Icon } from '../design/icons.js';
import { useSharedTexts } from '../i18n/shared.js';

type Jobs = View<'OrderDetailView'>['jobs'];

/** Whether an attempt to deliver the order ended without an answer, so that the POS may have it. */
export function mayHaveArrived(jobs: Jobs): boolean {
  const create = jobs.find(({ action }) => action === 'CREATE');
  return create?.history.some(({ reach }) => reach === 'UNKNOWN') ?? false;
}

/** Sends an order again for the staff of its restaurant (R35). */
async function resend(restaurantId: string, transactionKey: string): Promise<boolean> {
  const params = { path: { restaurantId, transactionKey: 'key' }, query: { key: transactionKey } };
  await answerOf(api.POST('/restaurants/{restaurantId}/orders/{transactionKey}/resend', { params }));
  return true;
}

/**
 * Sends a parked order again, or tries one now that waits for a retry (R35). It asks first if the POS may have the order.
 * @param jobs of the order; undefined: they are read first
 * @param send sends it, and says whether it was; the default is the way of the staff
 */
export function SendOne({
  restaurantId,
  transactionKey,
  name,
  badge,
  jobs,
  kind = 'primary',
  send = () => resend(restaurantId, transactionKey),
}: {
  readonly restaurantId: string;
  readonly transactionKey: string;
  /** the number of the order, or its key */
  readonly name: string;
  /** what is shown of the order now */
  readonly badge: string;
  readonly jobs?: Jobs;
  /** plain where another button comes first */
  readonly kind?: 'primary' | 'plain';
  readonly send?: () => Promise<boolean>;
}) {
  const texts = useSharedTexts().resend;
  const [isAsked, setAsked] = useState(false);
  const sending = useMutation({
    mutationFn: async (isSure: boolean) => {
      if (!isSure && mayHaveArrived(jobs ?? (await readOrder(restaurantId, transactionKey)).jobs)) {
        setAsked(true);
        return undefined;
      }
      const isSent = await send();
      setAsked(false);
      return isSent;
    },
    onSuccess: (isSent) => (isSent === undefined ? undefined : queries.invalidateQueries()),
    onError: () => setAsked(false),
  });
  const isParked = badge === 'parked';
  const canBeSent = isParked || badge === 'retrying';
  const isOnList = jobs === undefined;
  return (
    <div className="send-one">
      {canBeSent && (
        <Button
          // what may be there is looked up first
          kind={isOnList || mayHaveArrived(jobs) ? 'plain' : kind}
          icon="repeat"
          busy={sending.isPending}
          onClick={() => sending.mutate(false)}
        >
          {isParked ? texts.send : texts.tryNow}
          {isOnList && <span className="unseen"> {name}</span>}
        </Button>
      )}
      <div role="status">
        {sending.data && !canBeSent && badge !== 'delivered' && (
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
          onConfirm={() => sending.mutate(true)}
          onClose={() => setAsked(false)}
        >
          <p>{texts.mayHaveArrived}</p>
        </Confirm>
      )}
    </div>
  );
}
