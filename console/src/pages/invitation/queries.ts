import { answerOf, api, type View } from '../../api/client.js';
import { askWithoutSession as ask } from '../../api/connection.js';

export const readInvitation = (token: string) => ask<View<'InvitationOfferView'>>('/invitations/read', { token });

/** @returns the restaurant's id */
export async function join(token: string, password: string, name: string): Promise<string> {
  const body = { token, password, ...(name.trim() && { name: name.trim() }) };
  return (await ask<View<'InvitationAcceptedView'>>('/invitations/join', body)).data.restaurantId;
}

/** By the session. @returns the restaurant's id */
export async function accept(token: string): Promise<string> {
  return (await answerOf(api.POST('/invitations/accept', { body: { token } }))).data.restaurantId;
}
