/** The capabilities that have a part in the console, by their names in CAPABILITIES (S43). */
export const CAPABILITIES = [
  'alerts',
  'channels',
  'days',
  'doctor',
  'live',
  'password-links',
  'personal-data',
  'resend',
  'terminal-files',
  'tickets',
] as const;
export type Capability = (typeof CAPABILITIES)[number];

/**
 * Whether a capability is loaded.
 * @param loaded what the relay has loaded; undefined: the relay is of a version that does not say it, and has all
 */
export function isLoaded(capability: Capability, loaded: readonly string[] | undefined): boolean {
  return loaded?.includes(capability) ?? true;
}
