import { TIMEZONE_ADVICE } from '../domain/warnings.js';
import { type CheckVerdict, count, duration } from './check.js';

/** Values that a finding's words are made with: whoever translates them has these and the code. */
export type FindingParams = Readonly<Record<string, string | number | boolean | null>>;

/** What is checked of one restaurant (R8), in the order in which it is told. */
export const CHECK_NAMES = [
  ...(['terminalCode', 'posCode', 'credentials', 'pos', 'signIn', 'lookup', 'testCredentials', 'testSignIn'] as const),
  ...(['owner', 'webhook', 'late', 'stuck', 'parked', 'timezone'] as const),
];
export type CheckName = (typeof CHECK_NAMES)[number];

/** The result of one check of a restaurant. */
export interface Finding {
  readonly name: CheckName;
  readonly verdict: CheckVerdict;
  readonly code: FindingCode;
  readonly params: FindingParams;
}

/** Builds a finding. */
export function finding(
  name: CheckName,
  verdict: CheckVerdict,
  code: FindingCode,
  params: FindingParams = {},
): Finding {
  return { name, verdict, code, params };
}

/** What is found in words, and what to do about it. */
export interface Words {
  readonly message: string;
  readonly advice?: string;
}

type Say = (params: FindingParams) => Words;

const SET_PAIR = 'set posIdPartner and posSecret';
const ASK_POS = 'ask whoever operates the POS';
const ASK_OPERATOR = 'tell whoever operates the relay';

/** The English words of each code. */
const WORDS = {
  TERMINAL_CODE_SET: ({ code }) => ({ message: `sales of store ${code} lead to this restaurant` }),
  TERMINAL_CODE_MISSING: () => ({
    message: 'codeStoreTerminal is not set: no storeCode leads to this restaurant',
    advice: 'set it to the code that the terminals send; until then they must name its restaurantId',
  }),
  POS_CODE_SET: ({ code }) => ({ message: `orders go to store ${code} of the POS` }),
  POS_CODE_MISSING: () => ({
    message: 'codeStorePos is not set: orders wait until it is',
    advice: `set it to the code of this store in the POS; ${ASK_POS} for it`,
  }),
  POS_CODE_SHARED: ({ code }) => ({
    message: `another restaurant sends its orders to store ${code} of the same POS account`,
    advice: `make sure that the code is this restaurant's; ${ASK_POS}`,
  }),
  CREDENTIALS_OWN: () => ({ message: 'the restaurant has POS credentials of its own' }),
  CREDENTIALS_SHARED: () => ({ message: "the relay's POS credentials are used" }),
  CREDENTIALS_INCOMPLETE: ({ missing }) => ({
    message: `${missing} is missing: half a pair is not used, the relay's POS credentials are`,
    advice: `${SET_PAIR}, or clear both`,
  }),
  CREDENTIALS_MISSING: () => ({ message: 'there are no POS credentials: orders wait', advice: SET_PAIR }),
  SECRET_UNREADABLE: () => ({
    message: 'posSecret cannot be decrypted any more: orders wait',
    advice: 'set posSecret again',
  }),
  POS_ANSWERS: ({ ms }) => ({ message: `the POS answered in ${duration(Number(ms))}` }),
  POS_FAILS: ({ status }) => ({
    message: `the POS answered HTTP ${status}`,
    advice: `the POS, or a proxy in front of it, may be down; orders wait and are sent again; ${ASK_POS}`,
  }),
  POS_SILENT: ({ reason }) => ({
    message: `the POS does not answer (${reason})`,
    advice: `orders wait and are sent again; ${ASK_POS}`,
  }),
  SIGN_IN_GRANTED: () => ({ message: 'the POS has just accepted the credentials' }),
  SIGN_IN_IN_USE: () => ({
    message: 'the POS has accepted the credentials, and the token it gave is in use',
  }),
  SIGN_IN_REFUSED: ({ status, errorCode }) => ({
    message: `the POS refuses the credentials: HTTP ${status}${errorCode === null ? '' : `, POS error ${errorCode}`}`,
    advice: `correct posIdPartner and posSecret, or ${ASK_POS}; orders wait until then`,
  }),
  SIGN_IN_WITHOUT_TOKEN: () => ({
    message: 'the answer of the POS to the sign-in carries no token',
    advice: `${ASK_POS}; orders wait until then`,
  }),
  SIGN_IN_UNANSWERED: ({ reason }) => ({
    message: `the POS does not answer the sign-in (${reason})`,
    advice: `orders wait and are sent again; ${ASK_POS}`,
  }),
  SIGN_IN_NOT_TRIED: () => ({ message: 'not tried: there are no credentials', advice: SET_PAIR }),
  TEST_CREDENTIALS_SET: () => ({ message: 'test sales have credentials of their own' }),
  TEST_CREDENTIALS_SHARED: () => ({
    message: 'test sales take the credentials of real ones to the test deployment of the POS',
    advice: `${ASK_OPERATOR}: POS_TEST_PARTNER_ID and POS_TEST_SECRET are not set`,
  }),
  LOOKUP_WORKS: ({ known }) => ({
    message: known
      ? 'the POS knows the last order it accepted, and none that never was'
      : 'the POS says 404 of an order that never was',
  }),
  LOOKUP_WRONG: ({ wrong, answer }) => ({
    message: `${LOOKUP_WRONGS[String(wrong)]}: ${answer}`,
    advice: `orders that may have arrived are asked for there; ${ASK_OPERATOR}`,
  }),
  LOOKUP_NOT_TRIED: () => ({ message: 'not tried: there is no codeStorePos, or no sign-in' }),
  OWNER_MISSING: () => ({
    message: 'there is no OWNER: every sale of this restaurant is refused',
    advice: ASK_OPERATOR,
  }),
  SENDER_PLATFORM: () => ({ message: 'the terminal platform sends its sales, or an OWNER does' }),
  SENDER_OWNER: () => ({ message: 'terminals send its sales with the credentials of an OWNER' }),
  WEBHOOK_RECEIVED: ({ receivedAt, test }) => ({
    message: `the last ${test ? 'test sale' : 'sale'} arrived at ${receivedAt}`,
  }),
  WEBHOOK_NONE: () => ({ message: 'no sale has arrived yet', advice: 'send a test sale' }),
  LATE_NONE: () => ({ message: 'no order is late' }),
  LATE: ({ jobs, ms }) => ({
    message: `${jobs} due, but not sent, for up to ${duration(Number(ms))}`,
    advice: ASK_OPERATOR,
  }),
  STUCK_NONE: () => ({ message: 'no order is held longer than it may be' }),
  STUCK: ({ jobs, ms }) => ({
    message: `${jobs} held by a worker for up to ${duration(Number(ms))}`,
    advice: `they are taken back within a minute; if they are not, ${ASK_OPERATOR}`,
  }),
  PARKED_NONE: () => ({ message: 'no order was given up' }),
  PARKED: ({ jobs, cause, ofCause, otherCauses }) => ({
    message: `${jobs} given up${otherCauses ? ` for ${count(Number(otherCauses) + 1, 'cause')}` : ''}, ${ofCause} of them because: ${cause}`,
    advice: `mend the cause; then ${ASK_OPERATOR}, who can send them again`,
  }),
  TIMEZONE_SET: ({ timezone }) => ({ message: `business days go by the clock of ${timezone}` }),
  TIMEZONE_DEFAULT: () => ({ message: 'timezone is UTC, the default', advice: TIMEZONE_ADVICE }),
  NOT_CHECKED: () => ({ message: 'not checked: the database did not answer', advice: 'try again' }),
  TIMED_OUT: () => ({ message: 'not checked: there was no time left', advice: 'try again' }),
} satisfies Record<string, Say>;

const LOOKUP_WRONGS: Readonly<Record<string, string>> = {
  invented: 'the POS says that it has an order that never was',
  unclear: 'asked for an order that never was, the POS does not say 404',
  forgotten: 'the POS does not know the last order it accepted',
};

export type FindingCode = keyof typeof WORDS;
export const FINDING_CODES = Object.keys(WORDS) as FindingCode[];

/** The English words of a finding. */
export function wordsOf({ code, params }: Finding): Words {
  return (WORDS[code] as Say)(params);
}
