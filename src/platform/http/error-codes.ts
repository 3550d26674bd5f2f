/**
 * What a `code` of an error answer says (H14). `beyond a bound`: a refusal that may come at a high rate and is no fault of the relay, so that most of
 * them have no log line (V15).
 */
type Meaning = readonly [status: number, meaning: string, kind?: 'beyond a bound'];

/** The codes that every route may answer with. The first code of a status is the general code of the status. */
const GENERAL = {
  BAD_REQUEST: [400, 'the request cannot be read'],
  VALIDATION_FAILED: [400, 'a field or parameter is missing, wrong or unknown; `message` lists each'],
  INVALID_JSON: [400, 'the body is not valid JSON'],
  INVALID_ID: [400, 'an id in the path is not a UUID'],
  UNAUTHENTICATED: [401, 'no valid token, session or credentials were sent'],
  INSUFFICIENT_ROLE: [403, "the caller's role does not allow this"],
  MISSING_SCOPE: [403, 'the sender key has no scope for this'],
  NOT_FOUND: [404, 'there is no such thing, or the caller may not know of it'],
  METHOD_NOT_ALLOWED: [405, 'the path has no such method; the `Allow` header names those it has'],
  REQUEST_TIMEOUT: [408, 'headers or body did not arrive within REQUEST_TIMEOUT_MS'],
  CONFLICT: [409, 'a unique value is taken; `message` names the field'],
  ORDER_UNDER_WAY: [409, 'the order is being sent'],
  RESTAURANT_PAUSED: [409, 'the restaurant is paused: nothing of it is sent until it is resumed'],
  ORDER_ENTERED: [409, 'somebody has entered the order in the till by hand'],
  PAYLOAD_TOO_LARGE: [413, 'the body is too large'],
  UNSUPPORTED_MEDIA_TYPE: [
    415,
    'the body is not uncompressed `application/json` in a known charset; or a printer asks for a type that was not offered',
  ],
  TOO_MANY_REQUESTS: [
    429,
    'too many password checks of this account, or from this address; see LOGIN_ATTEMPTS_PER_MINUTE',
  ],
  QUOTA_REACHED: [429, 'the caller has done this too often within 24 hours'],
  REQUEST_HEADER_FIELDS_TOO_LARGE: [431, 'the headers are larger than 16 KiB, or more than 100'],
  INTERNAL: [500, 'a bug or a fault of the relay; the log has it under this `requestId`'],
  DATABASE_UNAVAILABLE: [
    503,
    'the database does not answer: it is not known whether anything was stored; send it again',
  ],
  TOO_MANY_AT_ONCE: [
    503,
    'too many requests of the account or restaurant are under way or wait: nothing was done',
    'beyond a bound',
  ],
  SECRET_UNREADABLE: [503, 'this instance cannot decrypt the secret of the key: send it again, another instance may'],
  TOO_MANY_BODIES: [
    503,
    'the bodies of too many requests are under way: this one was not read; send it again',
    'beyond a bound',
  ],
  TOO_MANY_PASSWORD_CHECKS: [503, 'the queue of password checks is full'],
} as const satisfies Record<string, Meaning>;

declare const declared: unique symbol;
/** A code that a module declared by {@link errorCodes}. */
type DeclaredCode = string & { readonly [declared]: true };
export type ErrorCode = keyof typeof GENERAL | DeclaredCode;

/** All codes, by status: first those of {@link GENERAL}, then those of modules by name, in whatever order they were declared. The source and the OpenAPI document use no other list. */
export const CODES = Object.keys(GENERAL) as ErrorCode[];

const meanings = new Map<string, Meaning>(Object.entries(GENERAL));

/** Declares the codes of a module, and adds them to the list. @returns the codes, by name */
export function errorCodes<Name extends string>(
  codes: Readonly<Record<Name, Meaning>>,
): { readonly [N in Name]: DeclaredCode } {
  for (const [code, meaning] of Object.entries<Meaning>(codes)) {
    meanings.set(code, meaning);
    const isBefore = (other: ErrorCode) =>
      statusOf(other) < meaning[0] || (statusOf(other) === meaning[0] && (other in GENERAL || other < code));
    CODES.splice(CODES.findLastIndex(isBefore) + 1, 0, code as DeclaredCode);
  }
  return Object.fromEntries(Object.keys(codes).map((code) => [code, code])) as { [N in Name]: DeclaredCode };
}

export const statusOf = (code: ErrorCode): number => meaningOf(code)[0];

export const meaningOf = (code: ErrorCode): Meaning => meanings.get(code) as Meaning;

export const isBeyondBound = (code: ErrorCode): boolean => meaningOf(code)[2] === 'beyond a bound';

/** The general code of a status, for errors of the framework without a code. */
export function codeOf(statusCode: number): ErrorCode {
  const general = Object.keys(GENERAL) as (keyof typeof GENERAL)[];
  return general.find((code) => GENERAL[code][0] === statusCode) ?? (statusCode < 500 ? 'BAD_REQUEST' : 'INTERNAL');
}
