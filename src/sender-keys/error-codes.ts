import { addErrorCodes } from '../http/error-codes.js';

const CODES = {
  TOO_MANY_KEYS: [409, '5 sender keys of the restaurant, or of the platform, work'],
  KEY_ENDED: [409, 'the sender key was replaced, or does not work any more'],
} as const;

declare module '../http/error-codes.js' {
  interface AddedCodes extends Codes {}
}
type Codes = Readonly<Record<keyof typeof CODES, true>>;

addErrorCodes(CODES);
