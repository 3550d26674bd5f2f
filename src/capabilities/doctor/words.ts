/**
 * The English sentences of the findings, for the command, the API and the console. The console's page imports this file, so this file
 * imports nothing. The console has other languages in its own files, by the same codes.
 */

/** The values of a finding by name, as text. Durations and times are written in the reader's language; null is ''. */
export type Values = Readonly<Record<string, string>>;

const LOOKUP_WRONGS: Values = {
  invented: 'the POS says that it has an order that never was',
  unclear: 'the POS does not say 404 of an order that never was',
  forgotten: 'the POS does not know the last order it accepted',
};

/** The sentence of each finding. */
const found = {
  TERMINAL_CODE_SET: ({ code }) => `sales of store ${code} lead to this restaurant`,
  TERMINAL_CODE_MISSING: () =>
    'the store code of the terminals (codeStoreTerminal) is not set: no sale finds this restaurant by it',
  POS_CODE_SET: ({ code }) => `orders go to store ${code} of the POS`,
  POS_CODE_MISSING: () => 'the store code in the POS (codeStorePos) is not set: orders wait until it is',
  POS_CODE_SHARED: ({ code }) => `another restaurant sends its orders to store ${code} of the same POS account`,
  CURRENCY_SET: ({ currency }) => `orders are in ${currency}`,
  CURRENCY_MISSING: () => 'the currency is not set, and the POS needs it: orders wait',
  POLLS: ({ ms }) => `the POS asked for orders ${ms} ago`,
  POLL_CREDENTIALS_MISSING: () => 'the POS has no credentials that work: it cannot read orders',
  POLL_NEVER: () => 'the POS has not asked for orders yet',
  POLL_SILENT: ({ ms }) => `the POS has not asked for orders for ${ms}`,
  POLL_LEAVES_OUT: ({ types }) => `the POS does not ask for ${types}: these events wait`,
  EVENTS_SIGNED: ({ address }) => `events go to ${address}, signed with the client secret`,
  EVENTS_UNSIGNED: () => 'no credentials of the POS have a secret that can sign events: orders wait',
  EVENTS_ADDRESS_REFUSED: ({ reason }) => `the address of the POS (posBaseUrl) is not called: ${reason}`,
  CREDENTIALS_OWN: () => 'the restaurant has POS credentials of its own',
  CREDENTIALS_SHARED: () => "the relay's POS credentials are used",
  CREDENTIALS_INCOMPLETE: ({ missing }) =>
    `half of the pair is missing (${missing}): the relay's POS credentials are used`,
  CREDENTIALS_MISSING: () => 'there are no POS credentials: orders wait',
  SECRET_UNREADABLE: () => 'the secret (posSecret) cannot be decrypted any more: orders wait',
  POS_ANSWERS: ({ ms }) => `the POS answered in ${ms}`,
  POS_FAILS: ({ status }) => `the POS answered HTTP ${status}`,
  POS_SILENT: ({ reason }) => `the POS does not answer (${reason})`,
  SIGN_IN_GRANTED: () => 'the POS has just accepted the credentials',
  SIGN_IN_IN_USE: () => 'the POS has accepted the credentials, and the token it gave is in use',
  SIGN_IN_REFUSED: ({ status, errorCode }) =>
    `the POS refuses the credentials: HTTP ${status}${errorCode ? `, POS error ${errorCode}` : ''}`,
  SIGN_IN_WITHOUT_TOKEN: () => 'the answer of the POS to the sign-in carries no token',
  SIGN_IN_UNANSWERED: ({ reason }) => `the POS does not answer the sign-in (${reason})`,
  SIGN_IN_NOT_TRIED: () => 'not tried: there are no credentials',
  TEST_CREDENTIALS_SET: () => 'test sales have credentials of their own',
  TEST_CREDENTIALS_SHARED: () => 'test sales take the credentials of real ones to the test deployment of the POS',
  LOOKUP_WORKS: ({ known }) =>
    known === 'true'
      ? 'the POS knows the last order it accepted, and none that never was'
      : 'the POS says 404 of an order that never was',
  LOOKUP_WRONG: ({ wrong, answer }) => `${LOOKUP_WRONGS[wrong as string]}: ${answer}`,
  LOOKUP_NOT_TRIED: () => 'not tried: there is no codeStorePos, or no sign-in',
  OWNER_MISSING: () => 'there is no OWNER: every sale of this restaurant is refused',
  SENDER_PLATFORM: () => 'the terminal platform sends the sales, or an OWNER does',
  SENDER_OWNER: () => 'terminals send the sales with the credentials of an OWNER',
  WEBHOOK_RECEIVED: ({ receivedAt, test }) =>
    `the last ${test === 'true' ? 'test sale' : 'sale'} arrived on ${receivedAt}`,
  WEBHOOK_NONE: () => 'no sale has arrived yet',
  LATE_NONE: () => 'no order is late',
  LATE: ({ jobs, ms, afterFailure = '0' }) =>
    `${jobs} due, but not sent, for up to ${ms}${afterFailure === '0' ? '' : `; ${afterFailure} of them after failed attempts`}`,
  STUCK_NONE: () => 'no order is held longer than it may be',
  STUCK: ({ jobs, ms }) => `${jobs} held by a worker for up to ${ms}`,
  PARKED_NONE: () => 'no order was given up',
  PARKED: ({ jobs, cause, ofCause, nextCause = '', ofNextCause, otherCauses }) => {
    const next = nextCause === '' ? '' : `, and ${ofNextCause} because: ${nextCause}`;
    const others = Number(otherCauses) - (next === '' ? 0 : 1);
    return `${jobs} given up, ${ofCause} of them because: ${cause}${next}${others > 0 ? ` (other causes: ${others})` : ''}`;
  },
  TIMEZONE_SET: ({ timezone }) => `business days go by the clock of ${timezone}`,
  TIMEZONE_DEFAULT: () => 'the time zone is UTC, the default: business days and takings go by it',
  NOT_CHECKED: () => 'not checked: the database did not answer',
  TIMED_OUT: () => 'not checked: there was no time left',
} satisfies Record<string, (values: Values) => string>;

export type FindingCode = keyof typeof found;
export const FOUND: Readonly<Record<FindingCode, (values: Values) => string>> = found;

type Advice = Readonly<Partial<Record<FindingCode, string>>>;

const SET_PAIR = 'set partner id and secret (posIdPartner, posSecret)';
const ASK_POS = 'ask the operator of the POS';
const ASK_OPERATOR = 'tell the operator of the relay';
const WAIT = `orders wait and are sent later by themselves; ${ASK_POS}`;

/** What the staff of the restaurant can do about a finding. */
export const ADVICE: Advice = {
  TERMINAL_CODE_MISSING: 'set it to the code that the terminals send; until then they must name the restaurantId',
  POS_CODE_MISSING: `set it to the code of this store in the POS; ${ASK_POS} for it`,
  POS_CODE_SHARED: `make sure that the code is this restaurant's; ${ASK_POS}`,
  CURRENCY_MISSING: 'set the currency of the restaurant, for example BRL',
  POLL_CREDENTIALS_MISSING: 'make credentials for the POS, and enter them there',
  POLL_NEVER: `enter the address of the relay, client id and secret in the POS; ${ASK_POS}`,
  POLL_SILENT: `see whether the POS is on and has a network; ${ASK_POS}`,
  POLL_LEAVES_OUT: `let it ask for CREATED and CANCELLED; ${ASK_POS}`,
  EVENTS_UNSIGNED: 'rotate the credentials of the POS, and enter the new ones there',
  EVENTS_ADDRESS_REFUSED: `correct the address; ${ASK_POS} for it`,
  CREDENTIALS_INCOMPLETE: `${SET_PAIR}, or clear both`,
  CREDENTIALS_MISSING: SET_PAIR,
  SECRET_UNREADABLE: 'set the secret again (posSecret)',
  POS_FAILS: `the POS, or a proxy in front of it, may be down; ${WAIT}`,
  POS_SILENT: WAIT,
  SIGN_IN_REFUSED: `correct partner id and secret, or ${ASK_POS}; orders wait until then`,
  SIGN_IN_WITHOUT_TOKEN: `${ASK_POS}; orders wait until then`,
  SIGN_IN_UNANSWERED: WAIT,
  SIGN_IN_NOT_TRIED: SET_PAIR,
  TEST_CREDENTIALS_SHARED: ASK_OPERATOR,
  LOOKUP_WRONG: ASK_OPERATOR,
  OWNER_MISSING: ASK_OPERATOR,
  WEBHOOK_NONE: 'send a test sale',
  LATE: ASK_OPERATOR,
  STUCK: `they are taken back within a minute; if they are not, ${ASK_OPERATOR}`,
  PARKED: `mend the cause; then ${ASK_OPERATOR}, who can send them again`,
  TIMEZONE_DEFAULT: 'set the zone of the restaurant, for example America/Sao_Paulo (Etc/UTC to keep UTC)',
  NOT_CHECKED: 'try again',
  TIMED_OUT: 'try again',
};

/** What the operator of the relay can do about a finding. */
export const HINTS: Advice = {
  ...ADVICE,
  CREDENTIALS_MISSING: `${SET_PAIR}, or POS_PARTNER_ID and POS_SECRET for all restaurants`,
  SECRET_UNREADABLE: 'SECRETS_KEY has changed: set the former one as SECRETS_KEY_PREVIOUS, or posSecret again',
  POS_FAILS: 'the POS, or a proxy in front of it, may be down',
  POS_SILENT: 'check the address, the network, and the certificate',
  TEST_CREDENTIALS_SHARED: 'set POS_TEST_PARTNER_ID and POS_TEST_SECRET',
  LOOKUP_WRONG: 'check POS_ORDER_LOOKUP_PATH: there the relay asks for orders that may have arrived',
  OWNER_MISSING: 'no endpoint can repair this: insert an OWNER into user_restaurants by SQL',
  LATE: 'after failed attempts: look at the POS; the others: no relay with WORKER_ENABLED=true runs, or they do not keep up: see OUTBOX_BATCH_SIZE and OUTBOX_PACE',
  STUCK:
    'a running relay takes them back every REAPER_INTERVAL_MS: start one; prisma/sql/list-late.sql says who holds them',
  PARKED:
    'fix each cause apart, then send its orders again: by the page of operators, or prisma/sql/reset-*.sql (docs/operations.md, Parked orders)',
};
