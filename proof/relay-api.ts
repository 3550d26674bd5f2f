import { setTimeout as delay } from 'node:timers/promises';

/** A 503 is repeated: on a slow machine the database may be busy for a while. */
const MOST_TRIES = 20;
const TRY_EVERY_MS = 1_000;

export interface Account {
  readonly email: string;
  readonly password: string;
}

/** Calls a relay with JSON. @param token a JWT, or the terminals' token @returns the answer, of any status */
export function ask(method: string, url: string, token?: string, body?: object): Promise<Response> {
  return fetch(url, {
    method,
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
}

/** As {@link ask}; a 503 is repeated. @returns the body @throws when the answer is no 2xx */
// biome-ignore lint/suspicious/noExplicitAny: the caller knows the answer
export async function call(method: string, url: string, token?: string, body?: object): Promise<any> {
  for (let tries = 1; ; tries++) {
    const answer = await ask(method, url, token, body);
    const text = await answer.text();
    if (answer.ok) return text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text;
    if (answer.status !== 503 || tries === MOST_TRIES) throw new Error(`${method} ${url}: ${answer.status} ${text}`);
    await delay(TRY_EVERY_MS);
  }
}

/** @returns a JWT */
export async function signIn(url: string, { email, password }: Account): Promise<string> {
  return (await call('POST', `${url}/auth/login`, undefined, { email, password })).access_token;
}
