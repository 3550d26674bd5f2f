import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, api, type View } from '../../api/client.js';
import { queries } from '../../api/queries.js';
import { Button } from '../../design/button.js';
import { Confirm } from '../../design/confirm.js';
import { ErrorText } from '../../design/feedback.js';
import { Icon } from '../../design/icons.js';
import { Panel } from '../../design/page.js';
import { useTexts } from './texts.js';

/**
 * How many parked and cancelled orders are older than the retention, and the yes that erases their content (W41). Nothing is shown while
 * there are none.
 */
export function EraseOldPanel({ restaurantId }: { readonly restaurantId: string }) {
  const { eraseOld: texts } = useTexts();
  const [isAsked, setAsked] = useState(false);
  const queryKey = ['erase-old', restaurantId];
  const counted = useQuery({ queryKey, queryFn: () => eraseOld(restaurantId, true) });
  const erasing = useMutation({
    mutationFn: () => eraseOld(restaurantId, false),
    onSuccess: () => queries.invalidateQueries(),
    onSettled: () => setAsked(false),
  });
  const { matched, days } = counted.data?.data ?? { matched: 0, days: 0 };
  if (matched === 0 && !erasing.isSuccess) return null;
  return (
    <Panel title={texts.title}>
      {matched > 0 && (
        <>
          <p>{texts.found(matched, days)}</p>
          <Button kind="quiet" busy={erasing.isPending} onClick={() => setAsked(true)}>
            {texts.button}
          </Button>
        </>
      )}
      <span role="status">
        {erasing.isSuccess && (
          <span className="field-good">
            <Icon name="check" /> {texts.done(erasing.data.data.erased)}
          </span>
        )}
        {erasing.error && <ErrorText error={erasing.error} />}
      </span>
      {isAsked && (
        <Confirm
          open
          title={texts.confirmTitle}
          action={texts.action(matched)}
          busy={erasing.isPending}
          onConfirm={() => erasing.mutate()}
          onClose={() => setAsked(false)}
        >
          <p>{texts.what}</p>
        </Confirm>
      )}
    </Panel>
  );
}

function eraseOld(restaurantId: string, dryRun: boolean): Promise<View<'OrdersErasedView'>> {
  const params = { path: { restaurantId } };
  return answerOf(api.POST('/restaurants/{restaurantId}/parked/erase', { params, body: { dryRun } }));
}
