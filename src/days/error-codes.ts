import { addErrorCodes } from '../http/error-codes.js';

const CODES = {
  DAY_CLOSED: [409, 'the business day is closed'],
  DAY_NOT_OVER: [409, 'the business day has not ended'],
  DAY_NOT_NEXT: [409, 'an earlier business day is open: days are closed in their order'],
} as const;

declare module '../http/error-codes.js' {
  interface AddedCodes extends Codes {}
}
type Codes = Readonly<Record<keyof typeof CODES, true>>;

addErrorCodes(CODES);
