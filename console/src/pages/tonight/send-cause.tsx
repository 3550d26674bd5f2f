import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, api } from '../../api/client.js';
import { queries } from '../../api/queries.js';
import { Button } from '../../design/button.js';
import { Confirm } from '../../design/confirm.js';
import { ErrorText } from '../../design/feedback.js';
import { Icon } from '../../design/icons.js';
import { useFormats } from '../../i18n/formats.js';
import type { OwnRestaurant } from '../../session/restaurants.js';
import { useTexts } from './texts.js';
import type { Need } from './verdict.js';

/** Parked orders that are older than this are named in the dialog, in ms. */
const OLD_MS = 43_200_000;

/** Sends all parked orders of a cause again, and no others, with their number, age and sum first (R35). */
export function SendCause({ need, restaurant }: { readonly need: Need; readonly restaurant: OwnRestaurant }) {
  const texts = useTexts().again;
  const { number, amount, dateTime } = useFormats();
  const [isAsked, setAsked] = useState(false);
  const { cause, subject, count, cents, oldestAt } = need;
  const sending = useMutation({
    mutationFn: () => {
      const params = { path: { restaurantId: restaurant.id } };
      const body = { dryRun: false, ...(cause && { cause }), ...(subject && { subject }) };
      return answerOf(api.POST('/restaurants/{restaurantId}/resend', { params, body }));
    },
    onSuccess: () => queries.invalidateQueries(),
    onSettled: () => setAsked(false),
  });
  const isOld = oldestAt !== null && Date.now() - Date.parse(oldestAt) > OLD_MS;
  return (
    <>
      <Button icon="repeat" busy={sending.isPending} onClick={() => setAsked(true)}>
        {texts.action(number(count))}
      </Button>
      <span role="status">
        {sending.isSuccess && (
          <span className="field-good">
            <Icon name="check" /> {texts.done(sending.data.data.reset)}
          </span>
        )}
        {sending.error && <ErrorText error={sending.error} />}
      </span>
      {isAsked && (
        <Confirm
          open
          title={texts.title}
          action={texts.action(number(count))}
          busy={sending.isPending}
          onConfirm={() => sending.mutate()}
          onClose={() => setAsked(false)}
        >
          {oldestAt !== null && cents !== null && (
            <p>{texts.what(count, dateTime(oldestAt, restaurant.timezone), amount(cents))}</p>
          )}
          {isOld && (
            <p className="meaning-arrived">
              <Icon name="warning" /> {texts.old}
            </p>
          )}
          <p>{texts.again}</p>
        </Confirm>
      )}
    </>
  );
}
