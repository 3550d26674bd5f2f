import { randomUUID } from 'node:crypto';
import type { Api } from '../support/client.js';
import type { Caller } from '../support/scenario.js';
import { PASSWORD } from './people.js';

/** A body of create-and-link for an email without an account. */
export const newcomer = () => ({ email: `${randomUUID()}@example.com`, password: PASSWORD, role: 'VIEWER' });

/** The requests that change the links of a restaurant. @param restaurant its `path` is `/restaurants/:id` */
export function peopleOf(restaurant: () => { readonly api: Api; readonly path: string }) {
  const call = (method: 'post' | 'patch' | 'delete', rest: string, { token }: Caller, body?: unknown) => {
    const { api, path } = restaurant();
    return api[method](path + rest, token, body);
  };
  return {
    link: (by: Caller, body: unknown) => call('post', '/users', by, body),
    createAndLink: (by: Caller, body: unknown) => call('post', '/users/create-and-link', by, body),
    changeRole: (by: Caller, userId: string, body: unknown) => call('patch', `/users/${userId}/role`, by, body),
    remove: (by: Caller, userId: string) => call('delete', `/users/${userId}`, by),
    transfer: (by: Caller, body: unknown) => call('post', '/transfer-ownership', by, body),
  };
}
