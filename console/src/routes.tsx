import { Component, type ComponentType, lazy, type ReactNode, Suspense, useEffect } from 'react';
import { Button, ButtonLink } from './design/button.js';
import { EmptyState, Loading } from './design/feedback.js';
import { Page } from './design/page.js';
import { Currency } from './i18n/formats.js';
import { useSharedTexts } from './i18n/shared.js';
import type { PlatformPageProps, RestaurantPageProps } from './pages/page-props.js';
import { currentPath, match, usePlace } from './router/location.js';
import { type OwnRestaurant, rememberRestaurant } from './session/restaurants.js';

/** A page that is loaded when it is first shown. */
function pageAt<Props>(pattern: string, load: () => Promise<{ default: ComponentType<Props> }>) {
  return { pattern, load, Component: lazy(load) };
}

const TONIGHT = pageAt<RestaurantPageProps>('/r/:restaurantId/tonight', () => import('./pages/tonight/tonight.js'));
const RESTAURANT_PAGES = [
  TONIGHT,
  pageAt<RestaurantPageProps>('/r/:restaurantId/orders/:key', () => import('./pages/order/order.js')),
  pageAt<RestaurantPageProps>('/r/:restaurantId/orders/:key/ticket', () => import('./pages/ticket/ticket.js')),
  pageAt<RestaurantPageProps>('/r/:restaurantId/tickets', () => import('./pages/ticket/tickets.js')),
  pageAt<RestaurantPageProps>('/r/:restaurantId/alerts', () => import('./pages/alerts/alerts.js')),
  pageAt<RestaurantPageProps>('/r/:restaurantId/takings', () => import('./pages/takings/takings.js')),
  pageAt<RestaurantPageProps>('/r/:restaurantId/days', () => import('./pages/days/days.js')),
  pageAt<RestaurantPageProps>('/r/:restaurantId/days/:day', () => import('./pages/days/day.js')),
  pageAt<RestaurantPageProps>('/r/:restaurantId/terminal-files', () => import('./pages/terminal-files/files.js')),
  pageAt<RestaurantPageProps>('/r/:restaurantId/terminal-files/:file', () => import('./pages/terminal-files/file.js')),
  pageAt<RestaurantPageProps>('/r/:restaurantId/setup', () => import('./pages/setup/setup.js')),
  pageAt<RestaurantPageProps>('/r/:restaurantId/audit', () => import('./pages/audit/restaurant-audit.js')),
];
const PLATFORM_PAGES = [
  pageAt<PlatformPageProps>('/restaurants', () => import('./pages/restaurants/restaurants.js')),
  pageAt<PlatformPageProps>('/operators', () => import('./pages/operators/operators.js')),
  pageAt<PlatformPageProps>('/operators/order', () => import('./pages/order/operator-order.js')),
  pageAt<PlatformPageProps>('/operators/alerts', () => import('./pages/alerts/platform-alerts.js')),
  pageAt<PlatformPageProps>('/operators/audit', () => import('./pages/audit/platform-audit.js')),
  pageAt<PlatformPageProps>('/account', () => import('./pages/account/account.js')),
  pageAt<PlatformPageProps>('/new', () => import('./pages/setup/new-restaurant.js')),
];

/** Starts to load the page of this address before the session is known; Tonight where the address has no page. */
export function preloadPage(): void {
  const path = currentPath();
  const { load } = [...RESTAURANT_PAGES, ...PLATFORM_PAGES].find(({ pattern }) => match(pattern, path)) ?? TONIGHT;
  // a failure is shown when the page is loaded again to be shown
  load().catch(() => {});
}

/** The page of the current place. */
export function Pages({ session, restaurants }: PlatformPageProps) {
  const { path } = usePlace();
  return (
    <PageFailure key={path}>
      <Suspense fallback={<Loading lines={6} />}>
        <PageAt path={path} session={session} restaurants={restaurants} />
      </Suspense>
    </PageFailure>
  );
}

function PageAt({ path, session, restaurants }: PlatformPageProps & { readonly path: string }) {
  const { errors } = useSharedTexts();
  for (const { pattern, Component } of RESTAURANT_PAGES) {
    const parameters = match(pattern, path);
    if (!parameters) continue;
    const restaurant = restaurants.find(({ id }) => id === parameters.restaurantId);
    if (!restaurant) return <Message title={errors.noRestaurant} help={errors.noRestaurantHelp} />;
    return (
      <Remembered restaurant={restaurant}>
        <Component key={path} session={session} restaurant={restaurant} parameters={parameters} />
      </Remembered>
    );
  }
  for (const { pattern, Component } of PLATFORM_PAGES)
    if (match(pattern, path)) return <Component session={session} restaurants={restaurants} />;
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
