import { useMutation } from '@tanstack/react-query';
import { answerOf, api } from '../../api/client.js';
import { queries } from '../../api/queries.js';
import { Button } from '../../design/button.js';
import { ErrorText } from '../../design/feedback.js';
import { Icon } from '../../design/icons.js';
import { useSharedTexts } from '../../i18n/shared.js';
import { useMayResend } from '../../session/resend.js';

/** Tries the oldest waiting order now (R35): when the POS takes it, the outage is over and the others follow (O33). */
export function TryNow({ restaurantId }: { readonly restaurantId: string }) {
  const texts = useSharedTexts().resend;
  const may = useMayResend(restaurantId);
  const trying = useMutation({
    mutationFn: () => tryOldest(restaurantId),
    onSuccess: () => queries.invalidateQueries(),
  });
  if (!may.data?.allowed) return null;
  return (
    <>
      <Button icon="repeat" busy={trying.isPending} onClick={() => trying.mutate()}>
        {texts.tryNow}
      </Button>
      <span role="status">
        {trying.isSuccess && (
          <span className="field-good">
            <Icon name="check" /> {texts.done}
          </span>
        )}
        {trying.error && <ErrorText error={trying.error} />}
      </span>
    </>
  );
}

async function tryOldest(restaurantId: string): Promise<void> {
  const path = { restaurantId };
  const { data } = await answerOf(
    api.GET('/restaurants/{restaurantId}/orders', {
      params: { path, query: { state: 'waiting', sort: 'receivedAt', limit: 1 } },
    }),
  );
  const [oldest] = data;
  // it was delivered meanwhile
  if (!oldest) return;
  await answerOf(
    api.POST('/restaurants/{restaurantId}/orders/{transactionKey}/resend', {
      params: { path: { ...path, transactionKey: 'key' }, query: { key: oldest.transactionKey } },
    }),
  );
}
