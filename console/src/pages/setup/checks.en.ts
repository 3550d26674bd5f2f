/** The values of a finding, as the language writes them. */
export type FindingValues = Readonly<Record<string, string>>;

/** What was found, and what to do about it. */
export type FindingText = (values: FindingValues) => string;

/** What is checked, what it may find by its code, and what to do then. */
export interface CheckTexts {
  readonly names: Readonly<Record<string, string>>;
  readonly found: Readonly<Record<string, FindingText>>;
  readonly advice: Readonly<Record<string, string>>;
}

const WAIT = 'Orders wait and are sent by themselves later. Ask whoever operates the POS.';
const OPERATOR = 'Tell whoever operates the relay.';
const AGAIN = 'Try again.';

export const checksEn: CheckTexts = {
  names: {
    terminalCode: 'Store code of the terminals',
    posCode: 'Store code in the POS',
    credentials: 'POS credentials',
    pos: 'The POS',
    signIn: 'Sign-in at the POS',
    lookup: 'Asking the POS for orders',
    testCredentials: 'Credentials of test sales',
    testSignIn: 'Sign-in at the test POS',
    owner: 'Who sends the sales',
    webhook: 'Last sale',
    late: 'Late orders',
    stuck: 'Stuck orders',
    parked: 'Parked orders',
    timezone: 'Time zone',
  },
  found: {
    TERMINAL_CODE_SET: ({ code }) => `Sales of store ${code} lead here.`,
    TERMINAL_CODE_MISSING: () => 'Not set: no store code leads here.',
    POS_CODE_SET: ({ code }) => `Orders go to store ${code} of the POS.`,
    POS_CODE_MISSING: () => 'Not set: orders wait until it is.',
    POS_CODE_SHARED: ({ code }) => `Another restaurant sends its orders to store ${code} of the same POS account.`,
    CREDENTIALS_OWN: () => 'The restaurant has its own.',
    CREDENTIALS_SHARED: () => "The relay's credentials are used.",
    CREDENTIALS_INCOMPLETE: () => "Half of them is missing, so the relay's are used.",
    CREDENTIALS_MISSING: () => 'There are none: orders wait.',
    SECRET_UNREADABLE: () => 'The stored secret cannot be read any more: orders wait.',
    POS_ANSWERS: ({ ms }) => `It answered in ${ms}.`,
    POS_FAILS: ({ status }) => `It answered with error ${status}.`,
    POS_SILENT: ({ reason }) => `It does not answer (${reason}).`,
    SIGN_IN_GRANTED: () => 'The POS has just accepted the credentials.',
    SIGN_IN_IN_USE: () => 'The POS has accepted the credentials; the sign-in is in use.',
    SIGN_IN_REFUSED: ({ status }) => `The POS refuses the credentials (HTTP ${status}).`,
    SIGN_IN_WITHOUT_TOKEN: () => 'The answer of the POS carries no token.',
    SIGN_IN_UNANSWERED: ({ reason }) => `The POS does not answer the sign-in (${reason}).`,
    SIGN_IN_NOT_TRIED: () => 'Not tried: there are no credentials.',
    LOOKUP_WORKS: () => 'The POS can be asked for orders.',
    LOOKUP_WRONG: ({ answer }) => `The POS does not answer as it should: ${answer}`,
    LOOKUP_NOT_TRIED: () => 'Not tried: there is no store code, or no sign-in.',
    OWNER_MISSING: () => 'There is no owner: every sale is refused.',
    SENDER_PLATFORM: () => 'The terminal platform, or an owner.',
    SENDER_OWNER: () => 'Terminals, with the credentials of an owner.',
    WEBHOOK_RECEIVED: ({ receivedAt }) => `Arrived ${receivedAt}.`,
    WEBHOOK_NONE: () => 'No sale has arrived yet.',
    LATE_NONE: () => 'None.',
    LATE: ({ jobs, ms }) => `${jobs}, for up to ${ms}.`,
    STUCK_NONE: () => 'None.',
    STUCK: ({ jobs, ms }) => `${jobs}, for up to ${ms}.`,
    PARKED_NONE: () => 'None.',
    PARKED: ({ jobs, ofCause, cause, otherCauses = '0' }) =>
      `${jobs} given up; ${ofCause} of them: ${cause}${otherCauses === '0' ? '' : `; other causes: ${otherCauses}`}`,
    TEST_CREDENTIALS_SET: () => 'Test sales have their own.',
    TEST_CREDENTIALS_SHARED: () => 'Test sales take the credentials of real ones to the test POS.',
    TIMEZONE_SET: ({ timezone }) => `Business days go by the clock of ${timezone}.`,
    TIMEZONE_DEFAULT: () => 'It is UTC, and nobody has chosen it: business days and takings go by it.',
    NOT_CHECKED: () => 'Not checked: the database did not answer.',
    TIMED_OUT: () => 'Not checked: there was no time left.',
  },
  advice: {
    TERMINAL_CODE_MISSING: 'Set it to the code that the terminals send.',
    POS_CODE_MISSING: 'Set it. Whoever operates the POS knows it.',
    POS_CODE_SHARED: 'Make sure that the code is yours.',
    CREDENTIALS_INCOMPLETE: 'Enter both, or remove both.',
    CREDENTIALS_MISSING: 'Enter partner id and secret.',
    SECRET_UNREADABLE: 'Enter the secret again.',
    POS_FAILS: WAIT,
    POS_SILENT: WAIT,
    SIGN_IN_REFUSED: 'Correct partner id and secret, or ask whoever operates the POS. Orders wait until then.',
    SIGN_IN_WITHOUT_TOKEN: WAIT,
    SIGN_IN_UNANSWERED: WAIT,
    SIGN_IN_NOT_TRIED: 'Enter partner id and secret.',
    LOOKUP_WRONG: OPERATOR,
    OWNER_MISSING: OPERATOR,
    WEBHOOK_NONE: 'Send a test sale.',
    LATE: OPERATOR,
    STUCK: `They are taken back within a minute. If they are not: ${OPERATOR}`,
    PARKED: `Open the parked orders to see why. ${OPERATOR}`,
    TEST_CREDENTIALS_SHARED: OPERATOR,
    TIMEZONE_DEFAULT: 'Choose the time zone of the restaurant.',
    NOT_CHECKED: AGAIN,
    TIMED_OUT: AGAIN,
  },
};
