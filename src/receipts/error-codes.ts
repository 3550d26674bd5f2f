import { addErrorCodes } from '../http/error-codes.js';

const CODES = {
  TOO_MANY_POLLS: [429, 'too many requests wait for receipts: ask without `wait`, or later'],
} as const;

declare module '../http/error-codes.js' {
  interface AddedCodes extends Codes {}
}
type Codes = Readonly<Record<keyof typeof CODES, true>>;

addErrorCodes(CODES);
