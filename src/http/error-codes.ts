/**
 * Every `code` of an error answer (H14), with its status and meaning. The source and the OpenAPI document use no other list of codes.
 * The first code of a status is the general code of the status.
 */
export const ERROR_CODES = {
  BAD_REQUEST: [400, 'the request cannot be read'],
  VALIDATION_FAILED: [400, 'a field or parameter is missing, wrong or unknown; `message` lists each'],
  INVALID_JSON: [400, 'the body is not valid JSON'],
  INVALID_ID: [400, 'an id in the path is not a UUID'],
  INVALID_TRANSACTION: [400, 'the transaction cannot be stored; `message` lists each field'],
  DUPLICATE_TRANSACTION: [400, 'this `transactionKey` is stored already; `jobId` is its job'],
  TRANSACTION_KEY_REUSED: [400, 'another sale is stored under this `transactionKey`; this one is not registered'],
  NO_OWNER_LINK: [400, 'the sender is not OWNER of a restaurant, or the restaurant has no OWNER'],
  UNKNOWN_STORE: [400, '`storeCode` or `restaurantId` does not lead to one restaurant of the sender'],
  ALREADY_LINKED: [400, 'this user is linked to the restaurant already'],
  WRONG_PASSWORD: [400, '`currentPassword` is wrong'],
  UNAUTHENTICATED: [401, 'no valid token, session or credentials were sent'],
  INVALID_CREDENTIALS: [401, 'email or password is wrong'],
  INSUFFICIENT_ROLE: [403, "the caller's role does not allow this"],
  NO_ACCESS: [403, 'the caller is not linked to this restaurant'],
  ROLE_ABOVE_OWN: [403, "nobody grants, changes or removes a role above the caller's own"],
  ONBOARDING_BY_ADMIN: [403, 'with ONBOARDING=admin only platform administrators do this'],
  RESEND_OFF: [403, 'RESEND does not allow staff to send orders again'],
  CROSS_SITE: [403, 'below /console only pages of this origin may call'],
  MISSING_SCOPE: [403, 'the sender key has no scope for this'],
  OTHER_EMAIL: [403, 'the invitation is for the account of another email'],
  NOT_FOUND: [404, 'there is no such thing, or the caller may not know of it'],
  ALERT_TOKEN_INVALID: [404, 'the token of an alert was used, has expired, or the alert is closed'],
  INVITATION_NOT_FOUND: [404, 'the token is wrong, or the invitation has ended'],
  METHOD_NOT_ALLOWED: [405, 'the path has no such method; the `Allow` header names those it has'],
  REQUEST_TIMEOUT: [408, 'headers or body did not arrive within REQUEST_TIMEOUT_MS'],
  CONFLICT: [409, 'a unique value is taken; `message` names the field'],
  ACCOUNT_EXISTS: [409, 'there is an account of this email, and the password is not its password'],
  UNDELIVERED_ORDERS: [409, 'orders of the restaurant still wait for the POS'],
  PARKED_ORDERS: [409, 'orders of the restaurant are parked; `parked=abandon` deletes it all the same'],
  ORDER_DELIVERED: [409, 'the POS has the order'],
  ORDER_CANCELLED: [409, 'the order was cancelled'],
  ORDER_UNDER_WAY: [409, 'the order is being sent'],
  DAY_CLOSED: [409, 'the business day is closed'],
  DAY_NOT_OVER: [409, 'the business day has not ended'],
  DAY_NOT_NEXT: [409, 'an earlier business day is open: days are closed in their order'],
  FILE_CONFIRMED: [409, "the terminal's file is confirmed"],
  FILE_NOT_CONFIRMED: [409, "the terminal's file is not confirmed yet"],
  ROW_NOT_OPEN: [409, "the row of the terminal's file has another answer by now; read it again"],
  TOO_MANY_FILES: [409, '20 files of the restaurant wait to be confirmed: confirm or remove one'],
  ORDER_ERASED: [409, 'the content of the sale was erased'],
  ALERT_CLOSED: [409, 'the alert is closed: nothing is left to acknowledge'],
  CHANNEL_UNAVAILABLE: [409, 'this relay, or this user, has no such channel'],
  TOO_MANY_DEVICES: [409, '10 devices of the user receive messages'],
  TOO_MANY_INVITATIONS: [409, '100 invitations of the restaurant wait for their answer'],
  TOO_MANY_PRINTERS: [409, 'the restaurant has 10 printers'],
  TOO_MANY_KEYS: [409, '5 sender keys of the restaurant, or of the platform, work'],
  KEY_ENDED: [409, 'the sender key was replaced, or does not work any more'],
  PAYLOAD_TOO_LARGE: [413, 'the body is too large'],
  UNSUPPORTED_MEDIA_TYPE: [
    415,
    'the body is not uncompressed `application/json` in a known charset; or a printer asks for a type that was not offered',
  ],
  FILE_REFUSED: [422, "the terminal's file cannot be read; `message` names the line and the reason"],
  LAST_OWNER: [422, 'a restaurant keeps its last OWNER'],
  SAME_PASSWORD: [422, 'the new password equals the current one'],
  GUESSABLE_PASSWORD: [422, 'the new password is one of the most frequent ones, or the email of the account'],
  SAME_USER: [422, 'the caller owns this restaurant already'],
  ADDRESS_REFUSED: [422, 'the relay does not call this address; `message` says why'],
  TOKEN_REFUSED: [422, "the token is wrong, used, expired, or of another user's message"],
  NOT_LINKED: [422, 'the new owner is not linked to the restaurant'],
  TOO_MANY_REQUESTS: [
    429,
    'too many password checks of this account, or from this address; see LOGIN_ATTEMPTS_PER_MINUTE',
  ],
  QUOTA_REACHED: [429, 'the caller has done this too often within 24 hours'],
  TOO_MANY_CHECKS: [429, 'a check of this restaurant, or by this caller, has just begun'],
  TOO_MANY_POLLS: [429, 'too many requests wait for receipts: ask without `wait`, or later'],
  TOO_MANY_TESTS: [429, 'a test message was sent just before'],
  TOO_MANY_UPLOADS: [429, 'other files of the restaurant, or of the user, are being read just now: send it again'],
  REQUEST_HEADER_FIELDS_TOO_LARGE: [431, 'the headers are larger than 16 KiB, or more than 100'],
  INTERNAL: [500, 'a bug or a fault of the relay; the log has it under this `requestId`'],
  DATABASE_UNAVAILABLE: [
    503,
    'the database does not answer: it is not known whether anything was stored; send it again',
  ],
  TOO_MANY_AT_ONCE: [503, 'too many requests of the account or restaurant are under way or wait: nothing was done'],
  SECRET_UNREADABLE: [503, 'this instance cannot decrypt the secret of the key: send it again, another instance may'],
  TOO_MANY_BODIES: [503, 'the bodies of too many requests are under way: this one was not read; send it again'],
  TOO_MUCH_FILE_WORK: [503, "too many terminal's files are being read just now: send it again"],
  TOO_MANY_VIEWERS: [503, 'too many pages are open: ask for the state instead'],
  TOO_MANY_PASSWORD_CHECKS: [503, 'the queue of password checks is full'],
} as const satisfies Record<string, readonly [status: number, meaning: string]>;

export type ErrorCode = keyof typeof ERROR_CODES;

/** The codes in the order of their statuses. */
export const CODES = Object.keys(ERROR_CODES) as ErrorCode[];

/** The general code of a status, for errors of the framework without a code. */
export function codeOf(statusCode: number): ErrorCode {
  return CODES.find((code) => ERROR_CODES[code][0] === statusCode) ?? (statusCode < 500 ? 'BAD_REQUEST' : 'INTERNAL');
}
