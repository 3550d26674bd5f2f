import type { KnownKey } from '../../auth/sender-keys/known-keys.js';
import type { PersonalProof } from '../../auth/sender-keys/last-used.js';
import type { Owner } from './owners.js';

/** The authenticated sender of a transaction (W5): the terminal platform by its static token, a user, or the holder of a sender key. */
export type Sender =
  | { readonly kind: 'terminal' }
  | { readonly kind: 'user'; readonly owner: Owner; readonly by: PersonalProof }
  | { readonly kind: 'key'; readonly key: KnownKey };

/** By what a sender is counted where senders take turns or have a share: the account of O44, or the restaurant; undefined: the platform. */
export function nameOf(sender: Sender): string | undefined {
  if (sender.kind === 'terminal') return undefined;
  return sender.kind === 'user' ? sender.owner.party : (sender.key.party ?? undefined);
}

/**
 * Since when the rights of a sender that was authenticated just now are known: a password waits for its check after its account was read.
 * @param startedAt when the request began, by performance.now(), ms
 */
export function knownSinceOf(sender: Sender, startedAt: number): number {
  return sender.kind === 'user' && sender.by === 'password' ? startedAt : performance.now();
}
