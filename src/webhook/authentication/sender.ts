import type { Owner } from './owners.js';

/**
 * Who sends a transaction, authenticated (W5): the terminal platform by its static token, or a user. What was remembered of a
 * user may have changed since: whatever is refused because of it is asked again of {@link renew}.
 */
export type Sender =
  | { readonly kind: 'terminal' }
  | {
      readonly kind: 'user';
      readonly owner: Owner;
      /**
       * Authenticates the same request anew, from the database; absent when this sender was.
       * @throws 401 UNAUTHENTICATED when the user may no longer send
       */
      readonly renew?: (() => Promise<Sender>) | undefined;
    };
