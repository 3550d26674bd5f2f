/** What kept an order from the POS, as far as the relay's own words of it (`lastError`) tell. */
export type CauseKind =
  /** the POS understood it and said no: it would say so again */
  | 'refused'
  /** the POS was not reached, or said nothing */
  | 'unanswered'
  /** the POS said that it cannot, for the moment */
  | 'busy'
  /** the POS does not take the restaurant's credentials */
  | 'signIn'
  /** the terminal sent what no order can be made of */
  | 'unmappable'
  /** a setting of the restaurant is missing */
  | 'setup'
  | 'other';

export interface Cause {
  readonly kind: CauseKind;
  /** the heart of it, for people: the POS's own message where there is one */
  readonly detail: string;
  /** how often it was tried before it was given up; null when it was not for that */
  readonly gaveUpAfter: number | null;
}

const GAVE_UP = /^gave up after (\d+) attempts:? ?/;
const PATTERNS: readonly (readonly [RegExp, CauseKind])[] = [
  [/^POS (sign-in|authentication) failed: /, 'signIn'],
  [/^cannot be mapped: /, 'unmappable'],
  [/^no answer from the POS: /, 'unanswered'],
  [/^HTTP (5\d\d|408|425|429)(, POS error [^:]*)?(: )?/, 'busy'],
  [/^HTTP 4\d\d(, POS error [^:]*)?(: )?/, 'refused'],
  [/^(restaurant has no|the restaurant's posSecret|no POS credentials)/, 'setup'],
];

/** Reads `lastError`, or the `error` of an attempt. */
export function causeOf(lastError: string | null): Cause {
  const text = lastError ?? '';
  const attempts = GAVE_UP.exec(text)?.[1];
  const rest = text.replace(GAVE_UP, '');
  const [pattern, kind] = PATTERNS.find(([known]) => known.test(rest)) ?? [undefined, 'other' as const];
  const keeps = kind === 'setup' || pattern === undefined;
  const detail = keeps ? rest : rest.replace(pattern, '') || rest;
  return { kind, detail, gaveUpAfter: attempts === undefined ? null : Number(attempts) };
}
