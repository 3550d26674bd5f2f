import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, api, type View } from '../../api/client.js';
import { queries } from '../../api/queries.js';
import { Button } from '../../design/button.js';
import { Confirm } from '../../design/confirm.js';
import { Answer, ErrorText } from '../../design/feedback.js';
import { Icon } from '../../design/icons.js';
import { useFormats } from '../../i18n/formats.js';
import { useMayResend, WhoMayResend } from '../../session/resend.js';
import type { OwnRestaurant } from '../../session/restaurants.js';
import { useTexts } from './texts.js';

/** Parked orders that are older than this are named in the dialog, in ms. */
const OLD_MS = 43_200_000;

type State = View<'StateView'>;
type Filter = { readonly cause?: string; readonly since?: string };

/**
 * Sends the parked orders of the business day again, with their number, age and sum first; if none was parked today, those of earlier days.
 * For a user who may not: who may.
 */
export function SendAll({ state, restaurant }: { readonly state: State; readonly restaurant: OwnRestaurant }) {
  const texts = useTexts().again;
  const may = useMayResend(restaurant.id);
  const [isAsked, setAsked] = useState(false);
  const sending = useMutation({
    mutationFn: (filter: Filter) => resend(restaurant.id, filter, false),
    onSuccess: () => queries.invalidateQueries(),
    onSettled: () => setAsked(false),
  });
  if (!may.data) return null;
  if (!may.data.allowed) return <WhoMayResend may={may.data} />;
  return (
    <>
      <Button icon="repeat" busy={sending.isPending} onClick={() => setAsked(true)}>
        {texts.button}
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
        <Question
          state={state}
          restaurant={restaurant}
          busy={sending.isPending}
          onConfirm={(filter) => sending.mutate(filter)}
          onClose={() => setAsked(false)}
        />
      )}
    </>
  );
}

function Question({
  state,
  restaurant,
  busy,
  onConfirm,
  onClose,
}: {
  readonly state: State;
  readonly restaurant: OwnRestaurant;
  readonly busy: boolean;
  readonly onConfirm: (filter: Filter) => void;
  readonly onClose: () => void;
}) {
  const texts = useTexts().again;
  const { number, amount, dateTime } = useFormats();
  const { from } = state.today;
  const counted = useQuery({
    queryKey: ['resend', restaurant.id, 'count', from],
    queryFn: async () => {
      const today = await resend(restaurant.id, { since: from }, true);
      if (today.data.matched > 0) return { ...today, filter: { since: from } };
      return { ...(await resend(restaurant.id, {}, true)), filter: {} };
    },
    gcTime: 0,
  });
  const matched = counted.data?.data.matched ?? 0;
  return (
    <Confirm
      open
      title={texts.title}
      action={texts.action(number(matched))}
      busy={busy || matched === 0}
      isOver={counted.isSuccess && matched === 0}
      onConfirm={() => counted.data && onConfirm(counted.data.filter)}
      onClose={onClose}
    >
      <Answer query={counted} lines={2}>
        {({ data, meta }) =>
          data.matched === 0 || !meta?.oldestAt ? (
            <p>{texts.none}</p>
          ) : (
            <>
              <p>{texts.what(data.matched, dateTime(meta.oldestAt, restaurant.timezone), amount(meta.paidCents))}</p>
              {Date.parse(state.now) - Date.parse(meta.oldestAt) > OLD_MS && (
                <p className="meaning-arrived">
                  <Icon name="warning" /> {texts.old}
                </p>
              )}
              <p>{texts.again}</p>
            </>
          )
        }
      </Answer>
    </Confirm>
  );
}

function resend(restaurantId: string, filter: Filter, dryRun: boolean): Promise<View<'ResetView'>> {
  const params = { path: { restaurantId } };
  return answerOf(api.POST('/restaurants/{restaurantId}/resend', { params, body: { ...filter, dryRun } }));
}
