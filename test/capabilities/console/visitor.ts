import type { Method } from '../../../tools/contract.js';
import { lookForSecrets } from '../../runner/verdict.js';
import type { RelayClient } from '../../support/client.js';
import type { Person } from '../../user-links/people.js';

/** The header of a browser for requests from a page of the relay's origin. */
export const SAME_ORIGIN = { 'Sec-Fetch-Site': 'same-origin' };

type Headers = Readonly<Record<string, string>>;

/** A browser with the session cookie of the console. */
export class Visitor {
  private constructor(
    private readonly relay: RelayClient,
    /** `relay_session=...`; undefined: not signed in */
    readonly cookie: string | undefined,
  ) {}

  static of(relay: RelayClient, cookie?: string): Visitor {
    return new Visitor(relay, cookie);
  }

  /** With this token as its cookie. */
  static withToken(relay: RelayClient, token: string): Visitor {
    return new Visitor(relay, `relay_session=${token}`);
  }

  static async signIn(relay: RelayClient, { email, password }: Pick<Person, 'email' | 'password'>): Promise<Visitor> {
    const { headers } = await new Visitor(relay, undefined)
      .ask('post', '/console/session', { email, password })
      .expect(200);
    return new Visitor(relay, cookieOf(headers));
  }

  /** A request of a page. @param headers in place of Sec-Fetch-Site, or with it */
  ask(method: Method, path: string, body?: unknown, headers: Headers = SAME_ORIGIN) {
    const asked = this.relay.http[method](path).set(headers);
    asked.on('response', ({ text }) => lookForSecrets(`${method.toUpperCase()} ${path}, its body`, String(text)));
    if (this.cookie !== undefined) asked.set('Cookie', this.cookie);
    return body === undefined ? asked : asked.type('json').send(JSON.stringify(body));
  }

  /** A request of a page to a route of the API. */
  call(method: Method, route: string, body?: unknown, headers?: Headers) {
    return this.ask(method, `/console/api${route}`, body, headers);
  }

  get = (route: string) => this.call('get', route);
}

/** The cookie that an answer sets, without its attributes. */
export function cookieOf(headers: object): string {
  return setCookieOf(headers).split(';')[0] as string;
}

/** Every `Set-Cookie` of an answer. */
export function setCookiesOf(headers: object): string[] {
  return (headers as { 'set-cookie'?: string[] })['set-cookie'] ?? [];
}

/** The one `Set-Cookie` of an answer. */
export function setCookieOf(headers: object): string {
  const all = setCookiesOf(headers);
  if (all.length !== 1) throw new Error(`the answer sets ${all.length} cookies`);
  return all[0] as string;
}
