import { askEarly as ask } from './api/early.js';
import { kept, LAST_RESTAURANT } from './browser/kept.js';

/**
 * What the page asks for before its other scripts have come. index.html loads this file beside them, so it and what it imports stay small. The session
 * comes first: without one, and for capabilities that are not loaded (N33), nothing else is requested (N38).
 */

/** Pages of links in mails, which need no restaurants. */
const LINKED = /^\/console\/(acknowledge|password|invitation)$/;

async function askForTonight(id: string, capabilities: readonly string[]): Promise<void> {
  const restaurant = `/console/api/restaurants/${id}`;
  if (capabilities.includes('resend')) void ask(`${restaurant}/resend`);
  if (capabilities.includes('alerts')) void ask(`${restaurant}/alerts?limit=1`);
  const state = await ask<{ readonly today: { readonly day: string; readonly from: string } }>(`${restaurant}/state`);
  if (!state) return;
  const { day, from } = state.today;
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
  const session = await ask<{ readonly capabilities: readonly string[] }>('/console/session');
  if (!session || LINKED.test(location.pathname)) return;
  const restaurants = ask<{ readonly restaurants: readonly { readonly id: string }[] }>(
    '/console/api/users/me/restaurants',
  );
  if (tonight !== undefined && tonight === kept(LAST_RESTAURANT)) return askForTonight(tonight, session.capabilities);
  if (!mayBeTonight) return;
  const own = (await restaurants)?.restaurants ?? [];
  // an address may be of a restaurant that is not the user's
  const shown = own.find(({ id }) => (tonight === undefined ? own.length === 1 : id === tonight));
  if (shown) await askForTonight(shown.id, session.capabilities);
}

/** The restaurant whose page Tonight is opened. */
const tonight = /^\/console\/r\/([^/]+)\/tonight$/.exec(location.pathname)?.[1];
/** The start page is Tonight for users of one restaurant. */
const mayBeTonight = tonight !== undefined || location.pathname === '/console/';
if (mayBeTonight) loadTonight();
void start();
