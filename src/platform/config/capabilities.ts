/** The capabilities that this instance has loaded, by their names in CAPABILITIES (S43). */
export class Capabilities {
  constructor(readonly loaded: readonly string[]) {}
}
