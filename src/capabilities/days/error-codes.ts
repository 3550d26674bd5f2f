import { errorCodes } from '../../platform/http/error-codes.js';

export const DAY_CODES = errorCodes({
  DAY_CLOSED: [409, 'the business day is closed'],
  DAY_NOT_OVER: [409, 'the business day has not ended'],
  DAY_NOT_NEXT: [409, 'an earlier business day is open: days are closed in their order'],
});
