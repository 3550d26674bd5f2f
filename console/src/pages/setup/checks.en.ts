import { ADVICE, type FindingCode, FOUND, type Values } from '../../../../src/capabilities/doctor/words.js';

/** What is checked, what it may find by its code, and what to do then. */
export interface CheckTexts {
  readonly names: Readonly<Record<string, string>>;
  readonly found: Readonly<Record<FindingCode, (values: Values) => string>>;
  readonly advice: Readonly<Partial<Record<FindingCode, string>>>;
}

/** In English the page says what the command and the API say. */
export const checksEn: CheckTexts = {
  names: {
    terminalCode: 'Store code of the terminals',
    posCode: 'Store code in the POS',
    currency: 'Currency',
    polling: 'The POS fetches its orders',
    events: 'Events for the POS',
    credentials: 'POS credentials',
    pos: 'The POS',
    signIn: 'Sign-in at the POS',
    lookup: 'Asking the POS for orders',
    testCredentials: 'Credentials of test sales',
    testSignIn: 'Sign-in at the test POS',
    owner: 'Who sends the sales',
    webhook: 'Last sale',
    late: 'Late orders',
    stuck: 'Orders that do not move',
    parked: 'Parked orders',
    timezone: 'Time zone',
  },
  found: FOUND,
  advice: ADVICE,
};
