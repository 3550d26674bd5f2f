import type { Owner } from './owners.js';

/** The authenticated sender of a transaction (W5): the terminal platform by its static token, or a user. */
export type Sender =
  | { readonly kind: 'terminal' }
  | {
      readonly kind: 'user';
      readonly owner: Owner;
      /**
       * Authenticates the request again without the cache; undefined when the cache was not used. Called before the request is refused
       * because of a cached user, and when the statement that stores the sale finds that the user has changed (W28).
       * @throws 401 UNAUTHENTICATED
       */
      readonly renew?: (() => Promise<Sender>) | undefined;
    };
