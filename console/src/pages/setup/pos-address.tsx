import { useQueryClient } from '@tanstack/react-query';
import { answerOf, api } from '../../api/client.js';
import { Problem } from '../../api/problem.js';
import { Button } from '../../design/button.js';
import { Field } from '../../design/field.js';
import { useForm } from '../../design/form.js';
import { Outcome } from '../../design/outcome.js';
import type { OwnRestaurant } from '../../session/restaurants.js';
import { usePullingTexts } from './texts.js';

/** The address to which the relay sends the events of a POS of Open Delivery (Q19); empty: the POS asks for them. */
export function PosAddress({
  restaurant: { id: restaurantId, posBaseUrl },
  onSend,
}: {
  readonly restaurant: OwnRestaurant;
  readonly onSend: () => void;
}) {
  const { push: texts } = usePullingTexts();
  const queries = useQueryClient();
  const form = useForm({
    initial: { posBaseUrl: posBaseUrl ?? '' },
    send: async (values) => {
      onSend();
      const params = { path: { restaurantId } };
      const body = { posBaseUrl: values.posBaseUrl.trim() || null };
      const { data } = await answerOf(api.PATCH('/restaurants/{restaurantId}', { params, body }));
      await queries.invalidateQueries({ predicate: ({ queryKey: [of] }) => of === 'restaurants' || of === 'overview' });
      return data;
    },
    // the relay stores it in its own form
    onSent: (stored) => {
      form.change({ posBaseUrl: stored.posBaseUrl ?? '' });
    },
    words: { posBaseUrl: texts.refused },
  });
  const { props, sending, rest } = form;
  const { error, ...input } = form.field('posBaseUrl');
  return (
    <form {...props} noValidate>
      <Field
        {...{ label: texts.label, hint: texts.hint, type: 'url', maxLength: 2_000 }}
        {...{ autoComplete: 'off', spellCheck: false, ...input }}
        error={
          error && (
            <>
              {error} <span lang="en">{reasonOf(sending.error)}</span>
            </>
          )
        }
      />
      <Outcome
        done={sending.data && (sending.data.posBaseUrl === null ? texts.polls : texts.sent)}
        error={rest}
        known={{ VENDOR_HAS_ORDERS: texts.hasOrders }}
      />
      <div className="row">
        <Button type="submit" busy={sending.isPending}>
          {texts.save}
        </Button>
      </div>
    </form>
  );
}

/** What the relay says of the address, in English. */
function reasonOf(error: Error | null): string | undefined {
  const messages = error instanceof Problem ? error.messages : [];
  return messages.find((message) => message.startsWith('posBaseUrl'))?.replace(/^posBaseUrl:? /, '');
}
