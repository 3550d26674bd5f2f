import type { View } from '../api/client.js';

/** The name of a capability in CAPABILITIES (S43). The type is that of the API: a name that the relay does not know does not compile. */
export type Capability = View<'Capability'>;

/**
 * Whether a capability is loaded.
 * @param loaded what the relay has loaded; undefined: the relay is of a version that does not say it, and has all
 */
export function isLoaded(capability: Capability, loaded: readonly string[] | undefined): boolean {
  return loaded?.includes(capability) ?? true;
}
