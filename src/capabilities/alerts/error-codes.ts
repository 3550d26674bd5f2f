import { errorCodes } from '../../platform/http/error-codes.js';

export const ALERT_CODES = errorCodes({
  ALERT_TOKEN_INVALID: [404, 'the token of an alert was used, has expired, or the alert is closed'],
  ALERT_CLOSED: [409, 'the alert is closed: nothing is left to acknowledge'],
});
