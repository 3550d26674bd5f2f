import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { answerOf, api } from '../../api/client.js';
import { Button } from '../../design/button.js';
import { Confirm } from '../../design/confirm.js';
import { Field } from '../../design/field.js';
import { Panel } from '../../design/page.js';
import type { OwnRestaurant } from '../../session/restaurants.js';
import { fieldErrors, useFocusOnError } from './field-errors.js';
import { Outcome } from './outcome.js';
import { useTexts } from './texts.js';

type Pair = { readonly posIdPartner: string | null; readonly posSecret: string | null };

/** The POS credentials of the restaurant: written, never shown. */
export function CredentialsPanel({ restaurant }: { readonly restaurant: OwnRestaurant }) {
  const texts = useTexts();
  const { credentials } = texts;
  const queries = useQueryClient();
  const { id: restaurantId, posIdPartner, hasPosSecret } = restaurant;
  const [[partner, secret], enter] = useState([posIdPartner ?? '', '']);
  const [isAsking, ask] = useState(false);
  const saving = useMutation({
    mutationFn: (body: Pair) =>
      answerOf(api.PATCH('/restaurants/{restaurantId}', { params: { path: { restaurantId } }, body })),
    onSuccess: async (_, pair) => {
      // the secret stays nowhere on the page
      enter([pair.posIdPartner ?? '', '']);
      ask(false);
      await queries.invalidateQueries({ queryKey: ['restaurants'] });
    },
    onError: () => ask(false),
  });
  const { of, rest } = fieldErrors(saving.error, credentials.errors);
  const form = useFocusOnError(saving.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!saving.isPending) saving.mutate({ posIdPartner: partner, posSecret: secret });
  };
  const hasAny = posIdPartner !== null || hasPosSecret;
  const isWhole = posIdPartner !== null && hasPosSecret;
  return (
    <Panel title={credentials.title}>
      <form ref={form} className="stack" onSubmit={submit}>
        <p>{isWhole ? credentials.stored : hasAny ? credentials.half : credentials.none}</p>
        <Field
          label={credentials.posIdPartner}
          name="posIdPartner"
          autoComplete="off"
          spellCheck={false}
          required
          maxLength={256}
          value={partner}
          error={of.posIdPartner}
          onChange={({ target }) => enter([target.value, secret])}
        />
        <Field
          label={credentials.posSecret}
          name="posSecret"
          type="password"
          autoComplete="new-password"
          required
          maxLength={256}
          hint={credentials.secretHint}
          value={secret}
          error={of.posSecret}
          onChange={({ target }) => enter([partner, target.value])}
        />
        <Outcome
          done={saving.isSuccess ? (saving.variables.posSecret ? credentials.check : texts.saved) : undefined}
          error={rest}
        />
        <div className="row">
          <Button type="submit" busy={saving.isPending}>
            {saving.isPending ? texts.saving : credentials.save}
          </Button>
          {hasAny && (
            <Button kind="danger" onClick={() => ask(true)}>
              {credentials.clear}
            </Button>
          )}
        </div>
      </form>
      {isAsking && (
        <Confirm
          open
          title={credentials.clearTitle}
          action={credentials.clear}
          busy={saving.isPending}
          onConfirm={() => saving.mutate({ posIdPartner: null, posSecret: null })}
          onClose={() => ask(false)}
        >
          <p>{credentials.clearText}</p>
        </Confirm>
      )}
    </Panel>
  );
}
