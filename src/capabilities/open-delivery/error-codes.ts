import { errorCodes } from '../../platform/http/error-codes.js';

export const POS_CODES = errorCodes({
  TOO_MANY_CREDENTIALS: [409, '5 credentials of the POS of this restaurant work'],
  CREDENTIALS_ENDED: [409, 'these credentials were replaced, or do not work any more'],
  TOO_MANY_POLLS_A_SECOND: [429, 'these credentials have sent too many requests within a second', 'beyond a bound'],
});
