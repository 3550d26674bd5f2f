import { useId } from 'react';
import type { View } from '../api/client.js';
import { useSharedTexts } from '../i18n/shared.js';
import { navigate, usePlace } from '../router/location.js';
import { useOverview } from './overview.js';
import type { OwnRestaurant } from './restaurants.js';

const ALL = '/restaurants';

/** Signs and no colours: an option of a select has no picture. */
const SIGNS: Record<View<'RestaurantOverviewView'>['light'], string> = { good: '✓', wait: '…', bad: '!', idle: '–' };

/** Switches to another restaurant of the user, each with its light (N23), or to all of them; for one restaurant only its name. */
export function RestaurantSwitcher({
  restaurants,
  current,
}: {
  readonly restaurants: readonly OwnRestaurant[];
  readonly current: OwnRestaurant;
}) {
  const { nav } = useSharedTexts();
  const { path } = usePlace();
  const id = useId();
  const isAlone = restaurants.length === 1;
  const overview = useOverview('', undefined, !isAlone);
  // the same page of the other restaurant; an order has none there
  const page = /^\/r\/[^/]+\/(tonight|alerts|takings|setup.*|audit)$/.exec(path)?.[1] ?? 'tonight';
  if (isAlone) return <p className="switcher switcher-one">{current.name}</p>;
  const lights = new Map(overview.data?.data.map((each) => [each.id, SIGNS[each.light]]));
  return (
    <div className="switcher">
      <label htmlFor={id} className="unseen">
        {nav.restaurant}
      </label>
      <select
        id={id}
        className="input"
        value={path === ALL ? ALL : current.id}
        onChange={({ target: { value } }) => navigate(value === ALL ? ALL : `/r/${value}/${page}`)}
      >
        <option value={ALL}>{nav.allRestaurants}</option>
        {restaurants.map(({ id: value, name }) => (
          <option key={value} value={value}>
            {lights.has(value) ? `${lights.get(value)} ${name}` : name}
          </option>
        ))}
      </select>
    </div>
  );
}
