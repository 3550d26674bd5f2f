import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, api, type View } from '../../api/client.js';
import { queries } from '../../api/queries.js';
import { Button } from '../../design/button.js';
import { Confirm } from '../../design/confirm.js';
import { Answer, ErrorText } from '../../design/feedback.js';
import { Field } from '../../design/field.js';
import { Icon } from '../../design/icons.js';
import { useFormats } from '../../i18n/formats.js';
import { useTexts } from './texts.js';

/** Settles the parked orders of earlier days by hand: their number first, and a reason, which the audit keeps (R40). */
export default function ResolveEarlier({ restaurantId }: { readonly restaurantId: string }) {
  const texts = useTexts().resolve;
  const [isAsked, setAsked] = useState(false);
  const settling = useMutation({
    mutationFn: (reason: string) => resolve(restaurantId, reason, false),
    onSuccess: () => queries.invalidateQueries(),
    onSettled: () => setAsked(false),
  });
  return (
    <>
      <Button kind="quiet" busy={settling.isPending} onClick={() => setAsked(true)}>
        {texts.button}
      </Button>
      <span role="status">
        {settling.isSuccess && (
          <span className="field-good">
            <Icon name="check" /> {texts.done(settling.data.data.resolved)}
          </span>
        )}
        {settling.error && <ErrorText error={settling.error} />}
      </span>
      {isAsked && (
        <Question
          restaurantId={restaurantId}
          busy={settling.isPending}
          onConfirm={(reason) => settling.mutate(reason)}
          onClose={() => setAsked(false)}
        />
      )}
    </>
  );
}

function Question({
  restaurantId,
  busy,
  onConfirm,
  onClose,
}: {
  readonly restaurantId: string;
  readonly busy: boolean;
  readonly onConfirm: (reason: string) => void;
  readonly onClose: () => void;
}) {
  const texts = useTexts().resolve;
  const { number } = useFormats();
  const [reason, setReason] = useState('');
  const counted = useQuery({
    queryKey: ['resolve', restaurantId, 'count'],
    queryFn: () => resolve(restaurantId, '-', true),
    gcTime: 0,
  });
  const matched = counted.data?.data.matched ?? 0;
  const given = reason.trim();
  return (
    <Confirm
      open
      title={texts.title}
      action={texts.action(number(matched))}
      busy={busy || matched === 0 || given === ''}
      isOver={counted.isSuccess && matched === 0}
      onConfirm={() => onConfirm(given)}
      onClose={onClose}
    >
      <Answer query={counted} lines={2}>
        {({ data }) =>
          data.matched === 0 ? (
            <p>{texts.none}</p>
          ) : (
            <>
              <p>{texts.what(data.matched)}</p>
              <p>{texts.check}</p>
              <Field
                label={texts.reason}
                hint={texts.reasonHelp}
                value={reason}
                maxLength={200}
                required
                autoComplete="off"
                onChange={(event) => setReason(event.target.value)}
              />
            </>
          )
        }
      </Answer>
    </Confirm>
  );
}

function resolve(restaurantId: string, reason: string, dryRun: boolean): Promise<View<'ResolvedView'>> {
  const params = { path: { restaurantId } };
  return answerOf(api.POST('/restaurants/{restaurantId}/parked/resolve', { params, body: { reason, dryRun } }));
}
