import type { IconName } from '../design/icons.js';
import { useSharedTexts } from '../i18n/shared.js';
import { match, usePlace } from '../router/location.js';
import type { OwnRestaurant } from './restaurants.js';
import { type Session, useHas } from './session.js';

/** A page of the navigation. */
export interface NavigationItem {
  readonly to: string;
  readonly label: string;
  readonly icon: IconName;
  readonly isHere: boolean;
  /** on a phone without room for all, the account menu has it */
  readonly isElsewhere: boolean;
}

/** The pages that the user may open, of the restaurant and of the platform. */
export function useNavigation(session: Session, restaurant: OwnRestaurant | undefined): readonly NavigationItem[] {
  const { nav } = useSharedTexts();
  const { path } = usePlace();
  const has = useHas();
  const items: NavigationItem[] = [];
  const add = (to: string, label: string, icon: IconName, isHere = path === to) =>
    items.push({ to, label, icon, isHere, isElsewhere: /audit$|^\/operators\//.test(to) });
  if (restaurant) {
    const here = `/r/${restaurant.id}`;
    const isOrder = match(`${here}/orders/:key`, path) !== null;
    add(`${here}/tonight`, nav.tonight, 'lamp', path === `${here}/tonight` || isOrder);
    if (has('alerts')) add(`${here}/alerts`, nav.alerts, 'bell');
    add(`${here}/takings`, nav.takings, 'coins', path === `${here}/takings` || path.startsWith(`${here}/days`));
    add(`${here}/setup`, nav.setup, 'sliders', path.startsWith(`${here}/setup`) || path === `${here}/products`);
    if (restaurant.role === 'OWNER') add(`${here}/audit`, nav.audit, 'list');
  }
  if (session.user.role === 'ADMIN') {
    add('/operators', nav.operators, 'gauge');
    if (has('alerts')) add('/operators/alerts', nav.operatorsAlerts, 'warning');
    add('/operators/audit', nav.operatorsAudit, 'book');
  }
  return items;
}
