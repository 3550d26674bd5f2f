import { askEarly as ask } from './api/early.js';
import { kept, LAST_RESTAURANT, SIGNED_IN_UNTIL } from './browser/kept.js';

/**
 * What the page asks for before its other scripts have come. index.html loads this file beside them, so it and what it imports stay small. Without
 * a session, and for capabilities that are not loaded (N33), nothing else is requested; a browser that was signed in does not wait to hear that it
 * still is (N38).
 */

interface Session {
  readonly capabilities?: readonly string[];
}
interface Restaurants {
  readonly restaurants: readonly { readonly id: string }[];
}

/** Pages of links in mails, which need no restaurants. */
const LINKED = /^\/console\/(acknowledge|password|invitation)$/;

/** Asks for what Tonight shows: the state beside the session, the parts of capabilities after it. */
async function askForTonight(id: string, session: Promise<Session | undefined>): Promise<void> {
  const restaurant = `/console/api/restaurants/${id}`;
  const state = ask<{ readonly today: { readonly day: string; readonly from: string } }>(`${restaurant}/state`);
  void session.then(({ capabilities = [] } = {}) => {
    if (capabilities.includes('resend')) void ask(`${restaurant}/resend`);
    if (capabilities.includes('alerts')) void ask(`${restaurant}/alerts?limit=1`);
  });
  const { today } = (await state) ?? {};
  if (!today) return;
  const { day, from } = today;
  void ask(`${restaurant}/statistics?${new URLSearchParams({ day })}`);
  // another filter or search asks for other orders
  if (location.search === '') void ask(`${restaurant}/orders?${new URLSearchParams({ limit: '25', from })}`);
}

/** Loads the files of Tonight beside those of the frame. */
function loadTonight(): void {
  const files = document.querySelector<HTMLMetaElement>('meta[name="tonight"]')?.content.split(' ') ?? [];
  for (const href of files) {
    const isStyle = href.endsWith('.css');
    const link = Object.assign(document.createElement('link'), { rel: isStyle ? 'preload' : 'modulepreload', href });
    if (isStyle) link.as = 'style';
    // as the page will load it
    link.crossOrigin = '';
    document.head.append(link);
  }
}

async function start(): Promise<void> {
  const session = ask<Session>('/console/session');
  if (LINKED.test(location.pathname) || !(mayBeSignedIn() || (await session))) return;
  const restaurants = ask<Restaurants>('/console/api/users/me/restaurants');
  if (!mayBeTonight) return;
  const id = await shownOf(restaurants);
  if (id !== undefined) await askForTonight(id, session);
}

/** Whether the session of this browser has not expired, for all that it knows. */
function mayBeSignedIn(): boolean {
  return Date.parse(kept(SIGNED_IN_UNTIL) ?? '') > Date.now();
}

/** The restaurant that Tonight will show. */
async function shownOf(restaurants: Promise<Restaurants | undefined>): Promise<string | undefined> {
  if (tonight !== undefined && tonight === kept(LAST_RESTAURANT)) return tonight;
  const own = (await restaurants)?.restaurants ?? [];
  // an address may be of a restaurant that is not the user's
  return own.find(({ id }) => (tonight === undefined ? own.length === 1 : id === tonight))?.id;
}

/** The restaurant whose page Tonight is opened. */
const tonight = /^\/console\/r\/([^/]+)\/tonight$/.exec(location.pathname)?.[1];
/** The start page is Tonight for users of one restaurant. */
const mayBeTonight = tonight !== undefined || location.pathname === '/console/';
if (mayBeTonight) loadTonight();
void start();
