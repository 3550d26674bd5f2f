/**
 * What came of a call to the POS. An expected answer is a value; nothing here throws.
 * `reach` says how far an order without an answer got: never left us, or perhaps arrived.
 */
export type PosAnswer =
  | {
      readonly kind: 'answered';
      readonly status: number;
      /** the POS's `errorCode`, if its body carried one */
      readonly errorCode: number | null;
      /** the POS's `message` or `errorMessage`, or the first words of a body that is not JSON */
      readonly message: string | null;
      readonly retryAfterMs: number | null;
      /** the body broke off before its end */
      readonly broken: boolean;
    }
  | {
      readonly kind: 'unanswered';
      readonly reach: 'NOT_SENT' | 'UNKNOWN';
      /** ECONNREFUSED, ECONNRESET, TIMEOUT, ... */
      readonly code: string;
      readonly message: string;
    };

/** What the answer means for the job. */
export type Verdict =
  | 'sent'
  /** temporary: FAILED with backoff */
  | 'retry'
  /** permanent: DLQ */
  | 'park'
  /** clear the token, authenticate again, repeat once at once; if it comes again: FAILED with backoff */
  | 'sign-in-again'
  /** SENT when an earlier attempt may have arrived, else DLQ */
  | 'duplicate';

export interface AnswerRules {
  /** POS_DUPLICATE_ERROR_CODES */
  readonly duplicateErrorCodes: ReadonlySet<number>;
  /** POS_TEMPORARY_ERROR_CODES */
  readonly temporaryErrorCodes: ReadonlySet<number>;
}

const AUTHENTICATION_ERROR_CODES: ReadonlySet<number | null> = new Set([901, 902]);
const AUTHENTICATION_STATUSES: ReadonlySet<number> = new Set([401, 403]);
const TEMPORARY_STATUSES: ReadonlySet<number> = new Set([408, 425, 429]);

/** The table "POS answers" (seed, POS errors; DECISIONS 3), read from top to bottom. */
export function judge(answer: PosAnswer, rules: AnswerRules): Verdict {
  if (answer.kind === 'unanswered') return 'retry';
  const { status, errorCode } = answer;
  if (status >= 200 && status < 300) return 'sent';
  if (isAuthenticationFailure(answer)) return 'sign-in-again';
  if (errorCode !== null && rules.temporaryErrorCodes.has(errorCode)) return 'retry';
  if (status >= 500 || TEMPORARY_STATUSES.has(status) || answer.broken) return 'retry';
  if (status === 400 && errorCode !== null && rules.duplicateErrorCodes.has(errorCode)) return 'duplicate';
  return 'park';
}

/** HTTP 401 or 403, or the POS's error code 901 or 902 with any status. */
export function isAuthenticationFailure(answer: PosAnswer): boolean {
  if (answer.kind === 'unanswered') return false;
  return AUTHENTICATION_ERROR_CODES.has(answer.errorCode) || AUTHENTICATION_STATUSES.has(answer.status);
}

const MAX_ERROR_LENGTH = 1_000;

/** The answer in one line, for people: `HTTP 422, POS error 12: unknown product`. */
export function describe(answer: PosAnswer): string {
  if (answer.kind === 'unanswered') return `no answer from the POS: ${answer.code}: ${answer.message}`;
  const code = answer.errorCode === null ? '' : `, POS error ${answer.errorCode}`;
  const message = answer.message === null ? '' : `: ${answer.message}`;
  return `HTTP ${answer.status}${code}${message}${answer.broken ? ' (the body broke off)' : ''}`;
}

/** One line of at most 1,000 characters in which none of `secrets` stands: what may become a `lastError`. */
export function errorLine(text: string, secrets: readonly string[] = []): string {
  let line = text;
  // the longest first: one secret may stand in another
  for (const secret of secrets.toSorted((a, b) => b.length - a.length))
    if (secret !== '') line = line.replaceAll(secret, '[secret]');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is replaced
  line = line.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\s]+/g, ' ').trim();
  return line.length > MAX_ERROR_LENGTH
    ? `${line.slice(0, MAX_ERROR_LENGTH - 1).toWellFormed()}…`
    : line.toWellFormed();
}
