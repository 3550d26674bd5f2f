import { addErrorCodes } from '../http/error-codes.js';

const CODES = {
  TOO_MANY_VIEWERS: [503, 'too many pages are open: ask for the state instead', 'beyond a bound'],
} as const;

declare module '../http/error-codes.js' {
  interface AddedCodes extends Codes {}
}
type Codes = Readonly<Record<keyof typeof CODES, true>>;

addErrorCodes(CODES);
