import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { answerOf, api, type View } from '../api/client.js';
import { readState } from '../api/orders.js';
import { Button } from '../design/button.js';
import { Outcome } from '../design/outcome.js';
import { useSharedTexts } from '../i18n/shared.js';
import { mayManage, type OwnRestaurant } from './restaurants.js';

/** The state with the pause of a restaurant (O49), from the same cache as Tonight. */
export function usePause(restaurantId: string, isEnabled = true): View<'StateView'>['pause'] | undefined {
  const state = useQuery({
    queryKey: ['state', restaurantId],
    queryFn: ({ signal }) => readState(restaurantId, signal),
    enabled: isEnabled,
  });
  return state.data?.pause;
}

/** Resumes what is sent for a restaurant, at the pace that the relay suggests (O50). */
export function Resume({ restaurant: { id, role } }: { readonly restaurant: OwnRestaurant }) {
  const { pause: texts } = useSharedTexts();
  const queries = useQueryClient();
  const resuming = useMutation({
    mutationFn: () =>
      answerOf(api.POST('/restaurants/{restaurantId}/resume', { params: { path: { restaurantId: id } }, body: {} })),
    onSettled: () => queries.invalidateQueries(),
  });
  if (!mayManage(role)) return null;
  return (
    <>
      <Button icon="repeat" kind="primary" busy={resuming.isPending} onClick={() => resuming.mutate()}>
        {texts.resume}
      </Button>
      <Outcome done={undefined} error={resuming.error} />
    </>
  );
}
