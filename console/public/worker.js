// The service worker of the console: it shows notifications, and keeps no page. It has no build, so that its address never changes.

addEventListener('install', () => skipWaiting());
addEventListener('activate', (event) => event.waitUntil(clients.claim()));

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
