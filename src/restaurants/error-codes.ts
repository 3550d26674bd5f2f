import { addErrorCodes } from '../http/error-codes.js';

const CODES = {
  ONBOARDING_BY_ADMIN: [403, 'with ONBOARDING=admin only platform administrators do this'],
  UNDELIVERED_ORDERS: [409, 'orders of the restaurant still wait for the POS'],
  PARKED_ORDERS: [409, 'orders of the restaurant are parked; `parked=abandon` deletes it all the same'],
  TOO_MANY_CHECKS: [429, 'a check of this restaurant, or by this caller, has just begun'],
} as const;

declare module '../http/error-codes.js' {
  interface AddedCodes extends Codes {}
}
type Codes = Readonly<Record<keyof typeof CODES, true>>;

addErrorCodes(CODES);
