import { answerOf, api } from '../api/client.js';

/** Why this browser cannot receive notifications: no https, no support, or the user has refused; null: it can. */
export function whyNoPush(): 'insecure' | 'unsupported' | 'refused' | null {
  if (!isSecureContext) return 'insecure';
  if (!('serviceWorker' in navigator) || !('PushManager' in window)) return 'unsupported';
  return Notification.permission === 'denied' ? 'refused' : null;
}

/**
 * Subscribes this browser, with the user's permission, and registers it. A subscription for another key is replaced.
 * @param publicKey base64url
 * @throws when the user refuses, or the push service does not answer
 */
export async function subscribe(publicKey: string): Promise<void> {
  if ((await Notification.requestPermission()) !== 'granted') throw new Error('refused');
  const registration = await navigator.serviceWorker.ready;
  const options = { userVisibleOnly: true, applicationServerKey: publicKey };
  const subscription = await registration.pushManager.subscribe(options).catch(async () => {
    // one of another key, for example of a relay that was here before
    await (await registration.pushManager.getSubscription())?.unsubscribe();
    return registration.pushManager.subscribe(options);
  });
  await register(subscription);
}

/** Registers the subscription of this browser again: push services replace them. Does nothing where there is none. */
export async function keepSubscription(): Promise<void> {
  if (whyNoPush() !== null || Notification.permission !== 'granted') return;
  const registration = await navigator.serviceWorker.getRegistration('/console/');
  const subscription = await registration?.pushManager.getSubscription();
  if (subscription) await register(subscription);
}

async function register(subscription: PushSubscription): Promise<void> {
  const { endpoint = '', keys = {} } = subscription.toJSON();
  const { p256dh = '', auth = '' } = keys;
  await answerOf(api.POST('/users/me/devices', { body: { endpoint, keys: { p256dh, auth } } }));
}
