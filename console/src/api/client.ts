import createClient from 'openapi-fetch';
import { fetchFromRelay } from './connection.js';
import type { components, paths } from './schema.js';

/** The API by the session's cookie, with the paths and bodies of the OpenAPI document. */
export const api = createClient<paths>({
  baseUrl: `${location.origin}/console/api`,
  credentials: 'same-origin',
  fetch: fetchFromRelay,
});

/** A body of the API by the name it has in the OpenAPI document, for example `View<'OrderView'>`. */
export type View<Name extends keyof components['schemas']> = components['schemas'][Name];

/**
 * The body of an answer: `await answerOf(api.GET('/restaurants/{restaurantId}/orders', { params, signal }))`.
 * @throws Problem when there is none
 */
export async function answerOf<Data>(call: Promise<{ data?: Data }>): Promise<NonNullable<Data>> {
  const { data } = await call;
  return data as NonNullable<Data>;
}
