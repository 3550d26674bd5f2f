import { answerOf, api, type View } from '../../api/client.js';
import { fetchFromRelay } from '../../api/connection.js';

/** Calls a route that needs no session: it is outside of /console/api. */
async function ask<Answer>(path: string, body: object): Promise<Answer> {
  const headers = { 'Content-Type': 'application/json' };
  const request = new Request(path, { method: 'POST', body: JSON.stringify(body), headers, credentials: 'omit' });
  return (await (await fetchFromRelay(request)).json()) as Answer;
}

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
