import { useMutation, useQueryClient } from '@tanstack/react-query';
import { answerOf, api } from '../api/client.js';
import { Button } from '../design/button.js';
import { ErrorText } from '../design/feedback.js';
import { useSharedTexts } from '../i18n/shared.js';
import type { OwnRestaurant } from './restaurants.js';

/** Asks users who were added to a restaurant by others to accept (A26). */
export function AcceptLink({ restaurant }: { readonly restaurant: OwnRestaurant }) {
  const { link: texts, roles } = useSharedTexts();
  const queries = useQueryClient();
  const { id, name, role, accepted } = restaurant;
  const accepting = useMutation({
    mutationFn: () => answerOf(api.POST('/users/me/restaurants/{id}/accept', { params: { path: { id } } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['restaurants'] }),
  });
  if (accepted) return null;
  return (
    <section className="question" aria-label={texts.title}>
      <p>
        <bdi>{texts.question(name, roles[role])}</bdi> <span className="quiet">{texts.help}</span>
      </p>
      {accepting.error && <ErrorText error={accepting.error} />}
      <Button icon="check" busy={accepting.isPending} onClick={() => accepting.mutate()}>
        {texts.accept}
      </Button>
    </section>
  );
}
