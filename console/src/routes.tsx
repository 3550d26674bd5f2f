import { Component, type ComponentType, lazy, type ReactNode, Suspense, useEffect } from 'react';
import { Button, ButtonLink } from './design/button.js';
import { EmptyState, Loading } from './design/feedback.js';
import { Page } from './design/page.js';
import { Currency } from './i18n/formats.js';
import { useSharedTexts } from './i18n/shared.js';
import type { LinkedPageProps, PlatformPageProps, RestaurantPageProps } from './pages/page-props.js';
import { currentPath, match, usePlace } from './router/location.js';
import type { Capability } from './session/capabilities.js';
import { type OwnRestaurant, rememberRestaurant } from './session/restaurants.js';
import { useHas } from './session/session.js';

/**
 * A page that is loaded when it is first shown. One that is loaded by then is shown at once: what stands for a missing page is shown by React for
 * 300 ms at least.
 * @param capability there is no such page where it is not loaded (N33)
 */
function pageAt<Props>(
  pattern: string,
  load: () => Promise<{ default: ComponentType<Props> }>,
  capability?: Capability,
) {
  let loaded: ComponentType<Props> | undefined;
  let shown: ComponentType<Props> | undefined;
  const loadPage = async () => {
    const page = await load();
    loaded = page.default;
    return page;
  };
  /** Always the same one, so that React keeps its state. */
  const component = () => {
    shown ??= loaded ?? lazy(loadPage);
    return shown;
  };
  return { pattern, load: loadPage, capability, component };
}

const TONIGHT = pageAt<RestaurantPageProps>('/r/:restaurantId/tonight', () => import('./pages/tonight/tonight.js'));
const SETUP = pageAt<RestaurantPageProps>('/r/:restaurantId/setup', () => import('./pages/setup/setup.js'));
const RESTAURANT_PAGES = [
  TONIGHT,
  pageAt<RestaurantPageProps>('/r/:restaurantId/orders/:key', () => import('./pages/order/order.js')),
  pageAt<RestaurantPageProps>(
    '/r/:restaurantId/orders/:key/ticket',
    () => import('./pages/ticket/ticket.js'),
    'tickets',
  ),
  pageAt<RestaurantPageProps>('/r/:restaurantId/tickets', () => import('./pages/ticket/tickets.js'), 'tickets'),
  pageAt<RestaurantPageProps>('/r/:restaurantId/alerts', () => import('./pages/alerts/alerts.js'), 'alerts'),
  pageAt<RestaurantPageProps>('/r/:restaurantId/refused-sales', () => import('./pages/refused/refused.js')),
  pageAt<RestaurantPageProps>('/r/:restaurantId/takings', () => import('./pages/takings/takings.js')),
  pageAt<RestaurantPageProps>('/r/:restaurantId/days', () => import('./pages/days/days.js'), 'days'),
  pageAt<RestaurantPageProps>('/r/:restaurantId/days/:day', () => import('./pages/days/day.js'), 'days'),
  pageAt<RestaurantPageProps>(
    '/r/:restaurantId/terminal-files',
    () => import('./pages/terminal-files/files.js'),
    'terminal-files',
  ),
  pageAt<RestaurantPageProps>(
    '/r/:restaurantId/terminal-files/:file',
    () => import('./pages/terminal-files/file.js'),
    'terminal-files',
  ),
  pageAt<RestaurantPageProps>('/r/:restaurantId/products', () => import('./pages/products/products.js'), 'codes'),
  SETUP,
  { ...SETUP, pattern: '/r/:restaurantId/setup/:topic' },
  pageAt<RestaurantPageProps>('/r/:restaurantId/audit', () => import('./pages/audit/restaurant-audit.js')),
];
const PLATFORM_PAGES = [
  pageAt<PlatformPageProps>('/restaurants', () => import('./pages/restaurants/restaurants.js')),
  pageAt<PlatformPageProps>('/operators', () => import('./pages/operators/operators.js')),
  pageAt<PlatformPageProps>('/operators/order', () => import('./pages/order/operator-order.js')),
  pageAt<PlatformPageProps>('/operators/alerts', () => import('./pages/alerts/platform-alerts.js'), 'alerts'),
  pageAt<PlatformPageProps>('/operators/audit', () => import('./pages/audit/platform-audit.js')),
  pageAt<PlatformPageProps>('/account', () => import('./pages/account/account.js')),
  pageAt<PlatformPageProps>('/new', () => import('./pages/setup/new-restaurant.js')),
];

/** Pages of links in mails: for everybody, signed in or not. */
const LINKED_PAGES = [
  {
    ...pageAt<LinkedPageProps>('/acknowledge', () => import('./pages/alerts/acknowledge.js'), 'alerts'),
    // it reads the alert at once: only where alerts are loaded (N33)
    waitsForSession: true,
  },
  {
    ...pageAt<LinkedPageProps>('/password', () => import('./pages/password/password.js'), 'password-links'),
    waitsForSession: false,
  },
  {
    ...pageAt<LinkedPageProps>('/invitation', () => import('./pages/invitation/invitation.js')),
    waitsForSession: true,
  },
];

/** The page of the current place, if it is one of a link; undefined: it is another one, or is not loaded. */
export function useLinkedPage() {
  const { path } = usePlace();
  const has = useHas();
  return LINKED_PAGES.find(
    ({ pattern, capability }) => match(pattern, path) && (capability === undefined || has(capability)),
  );
}

/** The frame waits this time for the page of its address, in ms: a request that gets no answer must not keep the frame away. */
const PRELOAD_MS = 3_000;

/**
 * Loads the page of this address before the session is known; Tonight where the address has no page. A failure is shown when the page is loaded
 * again to be shown.
 */
export async function preloadPage(): Promise<void> {
  const path = currentPath();
  const { load } = [...RESTAURANT_PAGES, ...PLATFORM_PAGES].find(({ pattern }) => match(pattern, path)) ?? TONIGHT;
  const late = new Promise<void>((resolve) => setTimeout(resolve, PRELOAD_MS));
  await Promise.race([load().catch(() => {}), late]);
}

/** The key of a page: React mounts the page again when it changes. All topics of the set-up have one key, so that what they hold stays (N34). */
const pageOf = (path: string) => path.replace(/(\/setup)\/.*/, '$1');

/** The page of the current place. */
export function Pages({ session, restaurants }: PlatformPageProps) {
  const { path } = usePlace();
  return (
    <PageFailure key={pageOf(path)}>
      <Suspense fallback={<Loading lines={6} />}>
        <PageAt path={path} session={session} restaurants={restaurants} />
      </Suspense>
    </PageFailure>
  );
}

function PageAt({ path, session, restaurants }: PlatformPageProps & { readonly path: string }) {
  const { errors } = useSharedTexts();
  const has = useHas();
  const isThere = (capability: Capability | undefined) => capability === undefined || has(capability);
  for (const { pattern, capability, component } of RESTAURANT_PAGES) {
    const parameters = match(pattern, path);
    if (!parameters || !isThere(capability)) continue;
    const restaurant = restaurants.find(({ id }) => id === parameters.restaurantId);
    if (!restaurant) return <Message title={errors.noRestaurant} help={errors.noRestaurantHelp} />;
    const Component = component();
    return (
      <Remembered restaurant={restaurant}>
        <Component key={pageOf(path)} session={session} restaurant={restaurant} parameters={parameters} />
      </Remembered>
    );
  }
  for (const { pattern, capability, component } of PLATFORM_PAGES) {
    if (!match(pattern, path) || !isThere(capability)) continue;
    const Component = component();
    return <Component session={session} restaurants={restaurants} />;
  }
  if (path === '/') return <Loading lines={6} />;
  return path === '/welcome' ? <NoRestaurants /> : <Message title={errors.noPage} help={errors.noPageHelp} />;
}

function Remembered({ restaurant, children }: { readonly restaurant: OwnRestaurant; readonly children: ReactNode }) {
  useEffect(() => rememberRestaurant(restaurant.id), [restaurant.id]);
  return <Currency value={restaurant.currency}>{children}</Currency>;
}

function Message({ title, help }: { readonly title: string; readonly help: string }) {
  return (
    <Page title={title}>
      <p>{help}</p>
    </Page>
  );
}

function NoRestaurants() {
  const { errors, nav } = useSharedTexts();
  return (
    <Page title={errors.noRestaurants}>
      <EmptyState icon="person" title={errors.noRestaurantsHelp}>
        <div className="row">
          <ButtonLink to="/account" icon="person">
            {nav.account}
          </ButtonLink>
          <ButtonLink to="/new" icon="sliders">
            {errors.newRestaurant}
          </ButtonLink>
        </div>
      </EmptyState>
    </Page>
  );
}

/** When a page cannot be loaded (a new version was installed) or drawn, the frame stays and says what to do. */
class PageFailure extends Component<{ readonly children: ReactNode }, { readonly failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override render() {
    return this.state.failed ? <FailedPage /> : this.props.children;
  }
}

function FailedPage() {
  const { errors } = useSharedTexts();
  return (
    <Page title={errors.title}>
      <p>{errors.page}</p>
      <Button icon="repeat" kind="primary" onClick={() => location.reload()}>
        {errors.reload}
      </Button>
    </Page>
  );
}
