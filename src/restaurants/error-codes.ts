import { errorCodes } from '../platform/http/error-codes.js';

export const RESTAURANT_CODES = errorCodes({
  ONBOARDING_BY_ADMIN: [403, 'with ONBOARDING=admin only platform administrators do this'],
  UNDELIVERED_ORDERS: [409, 'orders of the restaurant still wait for the POS'],
  VENDOR_HAS_ORDERS: [409, 'the POS of before may have orders that are not settled: the vendor cannot be changed now'],
  NOT_PAUSED: [409, 'the restaurant is not paused'],
  PARKED_ORDERS: [409, 'orders of the restaurant are parked; `parked=abandon` deletes it all the same'],
});
