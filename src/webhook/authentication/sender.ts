import type { Owner } from './owners.js';

/** The authenticated sender of a transaction (W5): the terminal platform by its static token, or a user. */
export type Sender =
  | { readonly kind: 'terminal' }
  | {
      readonly kind: 'user';
      readonly owner: Owner;
      /**
       * Authenticates the request again, from the database; undefined when `owner` was read for it. Before a request is refused
       * because of a cached user, it is authenticated again (W28).
       * @throws 401 UNAUTHENTICATED
       */
      readonly renew?: (() => Promise<Sender>) | undefined;
    };
