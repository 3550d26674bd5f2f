import { Suspense, useEffect } from 'react';
import { ErrorState, Loading } from './design/feedback.js';
import { navigate, usePlace } from './router/location.js';
import { Pages, useLinkedPage } from './routes.js';
import { type OwnRestaurant, useRestaurants } from './session/restaurants.js';
import { type Session, useSession } from './session/session.js';
import { Shell } from './session/shell.js';
import { SignIn } from './session/sign-in.js';

/** The sign-in, or the page of the address. The address stays during the sign-in. */
export function App() {
  const session = useSession();
  const linked = useLinkedPage();
  if (linked && (session.data !== undefined || !linked.waitsForSession)) {
    const Linked = linked.component();
    return (
      <Suspense fallback={<Loading />}>
        <Linked session={session.data ?? null} />
      </Suspense>
    );
  }
  if (session.data) return <SignedInPages session={session.data} />;
  if (session.data === null) return <SignIn />;
  if (session.error)
    return (
      <main className="alone">
        <ErrorState error={session.error} retry={() => session.refetch()} />
      </main>
    );
  // as in index.html
  return (
    <div className="shell">
      <header className="header">
        <span className="brand">
          <span className="brand-mark" />
        </span>
      </header>
      <div className="nav" />
      <main className="content">
        <Loading lines={6} />
      </main>
    </div>
  );
}

function SignedInPages({ session }: { readonly session: Session }) {
  const restaurants = useRestaurants();
  const { path } = usePlace();
  const { data } = restaurants;
  useEffect(() => {
    if (path === '/' && data) navigate(startOf(session, data), { replace: true });
  }, [path, data, session]);
  return (
    <Shell session={session} restaurants={data ?? []}>
      {data ? (
        <Pages session={session} restaurants={data} />
      ) : restaurants.error ? (
        <ErrorState error={restaurants.error} retry={() => restaurants.refetch()} />
      ) : (
        <Loading lines={6} />
      )}
    </Shell>
  );
}

/** The start page: all restaurants of a user of several (N23), else the only one; for platform administrators without a restaurant, the operators' page. */
function startOf({ user }: Session, restaurants: readonly OwnRestaurant[]): string {
  if (restaurants.length > 1) return '/restaurants';
  const [restaurant] = restaurants;
  if (restaurant) return `/r/${restaurant.id}/tonight`;
  return user.role === 'ADMIN' ? '/operators' : '/welcome';
}
