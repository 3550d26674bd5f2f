import type { Owner } from './owners.js';

/** The authenticated sender of a transaction (W5): the terminal platform by its static token, or a user. */
export type Sender = { readonly kind: 'terminal' } | { readonly kind: 'user'; readonly owner: Owner };
