import { SETUP_TOPICS, type SetupTopic } from '../api/setup-place.js';
import { mayAdminister, mayManage, type OwnRestaurant } from './restaurants.js';
import { useHas } from './session.js';

/** The topics of the set-up that a user sees in a restaurant, in their order. */
export function useTopics({ role }: Pick<OwnRestaurant, 'role'>): readonly SetupTopic[] {
  const has = useHas();
  const isAdmin = mayAdminister(role);
  const shown: Record<SetupTopic, boolean> = {
    restaurant: true,
    pos: isAdmin,
    terminals: isAdmin,
    printers: isAdmin && has('tickets'),
    people: mayManage(role),
    alerts: isAdmin && has('channels'),
  };
  return SETUP_TOPICS.filter((topic) => shown[topic]);
}
