import { errorCodes } from '../../platform/http/error-codes.js';

export const RECEIPT_CODES = errorCodes({
  TOO_MANY_POLLS: [429, 'too many requests wait for receipts: ask without `wait`, or later'],
});
