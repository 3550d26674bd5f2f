import { errorCodes } from '../../platform/http/error-codes.js';

export const LIVE_CODES = errorCodes({
  TOO_MANY_VIEWERS: [503, 'too many pages are open: ask for the state instead', 'beyond a bound'],
});
