import { addErrorCodes } from '../http/error-codes.js';

const CODES = {
  TOO_MANY_PRINTERS: [409, 'the restaurant has 10 printers'],
} as const;

declare module '../http/error-codes.js' {
  interface AddedCodes extends Codes {}
}
type Codes = Readonly<Record<keyof typeof CODES, true>>;

addErrorCodes(CODES);
