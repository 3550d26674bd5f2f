/** The names that CAPABILITIES may have (S43), for the document: app.module.ts, which has the list, adds them before it loads one. */
export const CAPABILITY_NAMES: string[] = [];

/** The capabilities that this instance has loaded, by their names in CAPABILITIES (S43). */
export class Capabilities {
  constructor(readonly loaded: readonly string[]) {}
}
