import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, api } from '../../api/client.js';
import { Button } from '../../design/button.js';
import { Confirm } from '../../design/confirm.js';
import { Field } from '../../design/field.js';
import { useForm } from '../../design/form.js';
import { Outcome } from '../../design/outcome.js';
import { Panel } from '../../design/page.js';
import type { OwnRestaurant } from '../../session/restaurants.js';
import { useTexts } from './texts.js';

type Pair = { readonly posIdPartner: string | null; readonly posSecret: string | null };

/** The POS credentials of the restaurant: written, never shown. */
export function CredentialsPanel({ restaurant }: { readonly restaurant: OwnRestaurant }) {
  const texts = useTexts();
  const { credentials } = texts;
  const queries = useQueryClient();
  const { id: restaurantId, posIdPartner, hasPosSecret } = restaurant;
  const [isAsking, ask] = useState(false);
  const save = async (body: Pair) => {
    const params = { path: { restaurantId } };
    await answerOf(api.PATCH('/restaurants/{restaurantId}', { params, body }));
    await queries.invalidateQueries({ predicate: ({ queryKey: [of] }) => of === 'restaurants' || of === 'overview' });
  };
  const form = useForm({
    initial: { posIdPartner: posIdPartner ?? '', posSecret: '' },
    send: (pair) => {
      removing.reset();
      return save(pair);
    },
    onSent: () => {
      // the secret stays nowhere on the page
      form.change({ posSecret: '' });
    },
    words: credentials.errors,
  });
  const { sending } = form;
  const removing = useMutation({
    mutationFn: () => {
      sending.reset();
      return save({ posIdPartner: null, posSecret: null });
    },
    onSuccess: () => form.change({ posIdPartner: '', posSecret: '' }),
    onSettled: () => ask(false),
  });
  const hasAny = posIdPartner !== null || hasPosSecret;
  const isWhole = posIdPartner !== null && hasPosSecret;
  return (
    <Panel title={credentials.title}>
      <form {...form.props}>
        <p>{isWhole ? credentials.stored : hasAny ? credentials.half : credentials.none}</p>
        <Field
          label={credentials.posIdPartner}
          autoComplete="off"
          spellCheck={false}
          required
          maxLength={256}
          {...form.field('posIdPartner')}
        />
        <Field
          label={credentials.posSecret}
          type="password"
          autoComplete="new-password"
          required
          maxLength={256}
          hint={credentials.secretHint}
          {...form.field('posSecret')}
        />
        <Outcome
          done={removing.isSuccess ? texts.saved : sending.isSuccess && credentials.check}
          error={form.rest ?? removing.error}
        />
        <div className="row">
          <Button type="submit" busy={sending.isPending}>
            {sending.isPending ? texts.saving : credentials.save}
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
          busy={removing.isPending}
          onConfirm={() => removing.mutate()}
          onClose={() => ask(false)}
        >
          <p>{credentials.clearText}</p>
        </Confirm>
      )}
    </Panel>
  );
}
