import { type ReactNode, useEffect } from 'react';
import { lastAnswerAt, useReachability } from '../api/connection.js';
import { useNeeds } from '../browser/needs.js';
import { Icon } from '../design/icons.js';
import { useFormats } from '../i18n/formats.js';
import { useSharedTexts } from '../i18n/shared.js';
import { Link } from '../router/link.js';
import { usePlace } from '../router/location.js';
import { AccountMenu } from './account-menu.js';
import { FindButton } from './find-button.js';
import { useNavigation } from './navigation.js';
import { useCountedNeeds } from './needs.js';
import { keepSubscription } from './push.js';
import { lastRestaurant, type OwnRestaurant } from './restaurants.js';
import { type Session, useHas } from './session.js';

/** The most links that fit on a phone; the account menu has those that do not. */
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
  const has = useHas();
  useCountedNeeds(has('alerts') ? restaurant?.id : undefined);
  const hasDevices = has('channels');
  useEffect(() => {
    // where it fails, the device keeps the subscription that it has
    if (hasDevices) keepSubscription().catch(() => {});
  }, [hasDevices]);
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
        <FindButton session={session} restaurants={restaurants} current={restaurant} />
        <AccountMenu session={session} restaurant={restaurant} />
      </header>
      <Navigation session={session} restaurant={restaurant} />
      <OfflineBanner timezone={restaurant?.timezone ?? 'UTC'} />
      <main id="content" className="content" tabIndex={-1}>
        {children}
      </main>
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
  const needs = useNeeds();
  const items = useNavigation(session, restaurant);
  if (items.length === 0) return <div className="nav" />;
  return (
    <nav className="nav" aria-label={nav.label}>
      <ul>
        {items.map(({ to, label, icon, isHere, isElsewhere }) => (
          <li key={to} className={items.length > ON_A_PHONE && isElsewhere ? 'nav-wide' : undefined}>
            <Link to={to} aria-current={isHere ? 'page' : undefined}>
              <Icon name={icon} />
              <span>{label}</span>
              {icon === 'bell' && needs > 0 && (
                <span className="nav-needs" role="img" aria-label={nav.needs(needs)}>
                  {needs}
                </span>
              )}
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
