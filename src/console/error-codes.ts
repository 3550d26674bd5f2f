import { addErrorCodes } from '../http/error-codes.js';

const CODES = {
  CROSS_SITE: [403, 'below /console only pages of this origin may call'],
} as const;

declare module '../http/error-codes.js' {
  interface AddedCodes extends Codes {}
}
type Codes = Readonly<Record<keyof typeof CODES, true>>;

addErrorCodes(CODES);
