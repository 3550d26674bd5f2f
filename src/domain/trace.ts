/**
 * The trace of a sale (X1): the id that terminal, relay and POS have in common, as W3C Trace Context writes it. Ids are lower-case
 * hexadecimal text.
 */
export interface Trace {
  /** 32 digits */
  readonly id: string;
  /** the span of the sender, 16 digits; null when the relay made the trace */
  readonly parent: string | null;
  /** whether spans of this sale are recorded, here and by what it is sent on to */
  readonly sampled: boolean;
}

/** The part of the version that every version has (level 1, 3.2): version, trace id, parent id, flags. */
const KNOWN_PART = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})/;
const KNOWN_LENGTH = 55;
const NO_TRACE = '0'.repeat(32);
const NO_SPAN = '0'.repeat(16);
const SAMPLED = 1;

/**
 * Reads a `traceparent` header by W3C Trace Context level 1 (X1). Of a later version only the known part is read.
 * @returns undefined when the header is absent or invalid; several headers, which Node joins by commas, are invalid
 */
export function readTraceparent(header: string | readonly string[] | undefined): Trace | undefined {
  if (typeof header !== 'string') return undefined;
  const [, version, id, parent, flags] = KNOWN_PART.exec(header) ?? [];
  if (!version || !id || !parent || !flags || version === 'ff' || id === NO_TRACE || parent === NO_SPAN)
    return undefined;
  const rest = header.slice(KNOWN_LENGTH);
  const isWhole = version === '00' ? rest === '' : rest === '' || (rest.startsWith('-') && !rest.includes(','));
  return isWhole ? { id, parent, sampled: isSampled(flags) } : undefined;
}

/**
 * The trace of a sale that arrives (X1, X6): the one of its header, else a new one. At most `ratio` of the sales are sampled, whatever the
 * sender's flag says.
 * @param newId a random trace id, 32 hexadecimal digits
 * @param drawn a random number from 0 to below 1; not taken from the trace id, which the sender chooses
 */
export function traceOf(
  header: string | readonly string[] | undefined,
  newId: () => string,
  drawn: number,
  ratio: number,
): Trace {
  const given = readTraceparent(header) ?? { id: newId(), parent: null, sampled: true };
  return given.sampled && drawn >= ratio ? { ...given, sampled: false } : given;
}

/** A `traceparent` header. @param span the span of the sender, 16 digits */
export function traceparentOf({ id, sampled }: Pick<Trace, 'id' | 'sampled'>, span: string): string {
  return `00-${id}-${span}-${sampled ? '01' : '00'}`;
}

/** The 25 bytes that are stored with the event (X2): trace id, parent id (zeros: none), flags; as 50 hexadecimal digits. */
export function storedTrace({ id, parent, sampled }: Trace): string {
  return `${id}${parent ?? NO_SPAN}${sampled ? '01' : '00'}`;
}

/**
 * Reads {@link storedTrace}.
 * @param stored null: the event was stored by a version that kept no trace
 */
export function readStoredTrace(stored: string | null): Trace | undefined {
  if (stored === null) return undefined;
  const parent = stored.slice(32, 48);
  return {
    id: stored.slice(0, 32),
    parent: parent === NO_SPAN ? null : parent,
    sampled: isSampled(stored.slice(48)),
  };
}

/** The span id of an attempt (X4): the first 8 bytes of its claim. @param lockedBy `instance/UUID` */
export function spanOfClaim(lockedBy: string): string {
  return lockedBy
    .slice(lockedBy.lastIndexOf('/') + 1)
    .replaceAll('-', '')
    .slice(0, 16);
}

/** Other flags mean nothing in version 00 and are not kept. */
function isSampled(flags: string): boolean {
  return (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED;
}
