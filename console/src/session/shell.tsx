import { type ReactNode, useId } from 'react';
import { lastAnswerAt, useReachability } from '../api/connection.js';
import { Icon, type IconName } from '../design/icons.js';
import { useFormats } from '../i18n/formats.js';
import { useSharedTexts } from '../i18n/shared.js';
import { Link } from '../router/link.js';
import { match, navigate, usePlace } from '../router/location.js';
import { AccountMenu } from './account-menu.js';
import { lastRestaurant, type OwnRestaurant } from './restaurants.js';
import type { Session } from './session.js';

/** The most links that fit on a phone; the account menu has the one that does not. */
const ON_A_PHONE = 5;

/** The frame of every page: header and navigation. */
export function Shell({
  session,
  restaurants,
  children,
}: {
  readonly session: Session;
  readonly restaurants: readonly OwnRestaurant[];
  readonly children: ReactNode;
}) {
  const texts = useSharedTexts();
  const { path } = usePlace();
  const restaurant = restaurants.find(({ id }) => path.startsWith(`/r/${id}/`)) ?? lastRestaurant(restaurants);
  return (
    <div className="shell">
      <a className="skip" href="#content">
        {texts.skip}
      </a>
      <header className="header">
        <Link to="/" className="brand" aria-label={texts.product}>
          <span className="brand-mark" aria-hidden="true" />
          <span className="brand-name" aria-hidden="true">
            {texts.product}
          </span>
        </Link>
        {restaurant && <RestaurantSwitcher restaurants={restaurants} current={restaurant} />}
        <AccountMenu session={session} />
      </header>
      <Navigation session={session} restaurant={restaurant} />
      <OfflineBanner timezone={restaurant?.timezone ?? 'UTC'} />
      <main id="content" className="content" tabIndex={-1}>
        {children}
      </main>
    </div>
  );
}

function RestaurantSwitcher({
  restaurants,
  current,
}: {
  readonly restaurants: readonly OwnRestaurant[];
  readonly current: OwnRestaurant;
}) {
  const { nav } = useSharedTexts();
  const { path } = usePlace();
  const id = useId();
  // the same page of the other restaurant; an order has none there
  const page = /^\/r\/[^/]+\/(tonight|takings|setup|audit)$/.exec(path)?.[1] ?? 'tonight';
  if (restaurants.length === 1) return <p className="switcher switcher-one">{current.name}</p>;
  return (
    <div className="switcher">
      <label htmlFor={id} className="unseen">
        {nav.restaurant}
      </label>
      <select
        id={id}
        className="input"
        value={current.id}
        onChange={(event) => navigate(`/r/${event.target.value}/${page}`)}
      >
        {restaurants.map(({ id: value, name }) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}

function Navigation({
  session,
  restaurant,
}: {
  readonly session: Session;
  readonly restaurant: OwnRestaurant | undefined;
}) {
  const { nav } = useSharedTexts();
  const { path } = usePlace();
  const here = restaurant && `/r/${restaurant.id}`;
  const items: (readonly [to: string, label: string, icon: IconName, isHere: boolean])[] = [];
  const add = (to: string, label: string, icon: IconName, isHere = path === to) =>
    items.push([to, label, icon, isHere]);
  if (here) {
    add(
      `${here}/tonight`,
      nav.tonight,
      'lamp',
      path === `${here}/tonight` || match(`${here}/orders/:key`, path) !== null,
    );
    add(`${here}/takings`, nav.takings, 'coins');
    add(`${here}/setup`, nav.setup, 'sliders');
    if (restaurant.role === 'OWNER') add(`${here}/audit`, nav.audit, 'list');
  }
  if (session.user.role === 'ADMIN') {
    add('/operators', nav.operators, 'gauge');
    add('/operators/audit', nav.operatorsAudit, 'book');
  }
  if (items.length === 0) return <div className="nav" />;
  return (
    <nav className="nav" aria-label={nav.label}>
      <ul>
        {items.map(([to, label, icon, isHere]) => (
          <li key={to} className={items.length > ON_A_PHONE && to === '/operators/audit' ? 'nav-wide' : undefined}>
            <Link to={to} aria-current={isHere ? 'page' : undefined}>
              <Icon name={icon} />
              <span>{label}</span>
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** Says since when the page is out of date, in the restaurant's zone as all times are. */
function OfflineBanner({ timezone }: { readonly timezone: string }) {
  const { offline } = useSharedTexts();
  const { time } = useFormats();
  const reachability = useReachability();
  const isFine = reachability === 'fine';
  return (
    <div role="status" className="offline" hidden={isFine}>
      {!isFine && (
        <>
          <Icon name="offline" />
          <p>
            <strong>{offline[reachability]}</strong> {offline.since(time(lastAnswerAt(), timezone))} {offline.help}
          </p>
        </>
      )}
    </div>
  );
}
