// The service worker of the console: it shows notifications, and opens the page without a connection, with the last state (N35). It has no build, so
// that its address never changes.

const PAGE = '/console/';
/** What is kept: the page, and of the person who is signed in the session, the restaurants and the state of each that was opened. */
const KEPT = 'page';
const KEPT_OF_PERSON = 'person';
const OF_PERSON = /^\/console\/(session|api\/users\/me\/restaurants|api\/restaurants\/[\w-]+\/state)$/;
const SESSION = '/console/session';

addEventListener('install', (event) => event.waitUntil(keepPage().then(() => skipWaiting())));
addEventListener('activate', (event) => event.waitUntil(clients.claim()));

addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (origin !== location.origin || pathname.startsWith('/console/assets/')) return;
  if (request.mode === 'navigate') {
    if (!pathname.startsWith('/console/api/')) event.respondWith(fresh(request, KEPT, PAGE));
  } else if (pathname.startsWith(SESSION) && request.method !== 'GET') event.respondWith(changedSession(request));
  else if (request.method === 'GET' && OF_PERSON.test(pathname)) event.respondWith(fresh(request, KEPT_OF_PERSON, pathname));
});

/** The relay's answer, which is kept; without a connection the last one, which says of when it is. */
async function fresh(request, name, key) {
  const cache = await caches.open(name);
  try {
    const answer = await fetch(request);
    if (answer.ok && !answer.redirected) await cache.put(key, answer.clone()).catch(() => {});
    if (answer.status === 401) await caches.delete(KEPT_OF_PERSON);
    return answer;
  } catch (error) {
    const last = await cache.match(key, { ignoreVary: true });
    if (!last || request.signal.aborted) throw error;
    const headers = new Headers(last.headers);
    headers.set('Console-Answered', last.headers.get('Date') ?? '');
    return new Response(last.body, { status: last.status, headers });
  }
}

/** Nothing of a person is kept for the next one. */
async function changedSession(request) {
  await caches.delete(KEPT_OF_PERSON);
  return fetch(request);
}

/** The page that registers the worker was loaded without it. */
async function keepPage() {
  await caches.open(KEPT).then((cache) => cache.add(PAGE)).catch(() => {});
}

const isPortuguese = /^pt\b/i.test(navigator.language);
const TAKE_CARE = isPortuguese ? 'Eu cuido disso' : 'I take care of it';
const TAKEN = isPortuguese ? 'Ninguém mais é avisado.' : 'Nobody else is told.';
const NOT_TAKEN = isPortuguese ? 'Abra a página: o botão não funcionou.' : 'Open the page: the button did not work.';

// A notification is always shown: some systems end a subscription after silent messages.
addEventListener('push', (event) => {
  const { notification = {} } = readJson(event.data);
  const { title = 'Order relay', body = '', navigate = '/console/', data = {} } = notification;
  event.waitUntil(
    registration.showNotification(title, {
      body,
      tag: data.alertId,
      icon: '/console/icon-192.png',
      badge: '/console/icon-192.png',
      data: { ...data, navigate },
      actions: data.acknowledge ? [{ action: 'acknowledge', title: TAKE_CARE }] : [],
    }),
  );
});

addEventListener('notificationclick', (event) => {
  const { notification, action } = event;
  notification.close();
  event.waitUntil(action === 'acknowledge' ? acknowledge(notification) : open(notification.data));
});

/** By the token of the message: the person may have no session here. */
async function acknowledge({ title, tag, data }) {
  const answer = await fetch('/alerts/acknowledge', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ token: data.acknowledge }),
    credentials: 'omit',
  }).catch(() => undefined);
  const body = answer?.ok ? TAKEN : NOT_TAKEN;
  await registration.showNotification(title, { body, tag, data: { navigate: data.navigate, path: data.path } });
}

/** In a window of the console that is open, or in a new one. Only pages of the console are opened. */
async function open({ path, navigate } = {}) {
  const url = new URL(path ?? navigate ?? '/console/', location.origin);
  const page = url.origin === location.origin && url.pathname.startsWith('/console/') ? url.href : '/console/';
  const [window] = await clients.matchAll({ type: 'window' });
  if (!window) return clients.openWindow(page);
  // not every browser allows it
  await window.focus().catch(() => {});
  return window.navigate(page);
}

function readJson(data) {
  try {
    return data?.json() ?? {};
  } catch {
    return {};
  }
}
