import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { answerOf, api, type View } from '../../api/client.js';
import { language } from '../../i18n/language.js';
import { subscribe } from '../../session/push.js';

export type Notifications = View<'NotificationsView'>;
export type Device = View<'DeviceView'>;

const KEY = ['notifications'];

export const useNotifications = () =>
  useQuery({
    queryKey: KEY,
    queryFn: async ({ signal }) => (await answerOf(api.GET('/users/me/notifications', { signal }))).data,
  });

export const useDevices = () =>
  useQuery({
    queryKey: [...KEY, 'devices'],
    queryFn: async ({ signal }) => (await answerOf(api.GET('/users/me/devices', { signal }))).devices,
  });

/** A change after which the preferences and the devices are read again. */
function useChange<Input, Answer>(change: (input: Input) => Promise<Answer>) {
  const queries = useQueryClient();
  return useMutation({ mutationFn: change, onSettled: () => queries.invalidateQueries({ queryKey: KEY }) });
}

export const useSave = () =>
  useChange(({ channels: _, ...body }: Notifications) => answerOf(api.PUT('/users/me/notifications', { body })));

/** Subscribes this browser, then sends a test message to it. */
export const useThisDevice = () =>
  useChange(async (publicKey: string) => {
    await subscribe(publicKey);
    return sendTest('push');
  });

export const useTest = () => useChange(sendTest);

export const useConfirm = () =>
  useChange((token: string) => answerOf(api.POST('/users/me/notifications/confirm', { body: { token } })));

export const useRemoveDevice = () =>
  useChange(async (id: string) => {
    await api.DELETE('/users/me/devices/{id}', { params: { path: { id } } });
  });

async function sendTest(channel: 'push' | 'mail') {
  return (await answerOf(api.POST('/users/me/notifications/test', { body: { channel, language: language() } }))).data;
}
