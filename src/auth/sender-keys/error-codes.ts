import { errorCodes } from '../../platform/http/error-codes.js';

export const KEY_CODES = errorCodes({
  TOO_MANY_KEYS: [409, '5 sender keys of the restaurant, or of the platform, work'],
  KEY_ENDED: [409, 'the sender key was replaced, or does not work any more'],
});
