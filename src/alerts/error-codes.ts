import { addErrorCodes } from '../http/error-codes.js';

const CODES = {
  ALERT_TOKEN_INVALID: [404, 'the token of an alert was used, has expired, or the alert is closed'],
  ALERT_CLOSED: [409, 'the alert is closed: nothing is left to acknowledge'],
} as const;

declare module '../http/error-codes.js' {
  interface AddedCodes extends Codes {}
}
type Codes = Readonly<Record<keyof typeof CODES, true>>;

addErrorCodes(CODES);
