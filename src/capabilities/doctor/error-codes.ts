import { errorCodes } from '../../platform/http/error-codes.js';

export const CHECK_CODES = errorCodes({
  TOO_MANY_CHECKS: [429, 'a check of this restaurant, or by this caller, has just begun'],
});
