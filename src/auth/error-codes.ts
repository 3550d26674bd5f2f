import { addErrorCodes } from '../http/error-codes.js';

const CODES = {
  WRONG_PASSWORD: [400, '`currentPassword` is wrong'],
  INVALID_CREDENTIALS: [401, 'email or password is wrong'],
  SAME_PASSWORD: [422, 'the new password equals the current one'],
  GUESSABLE_PASSWORD: [422, 'the new password is one of the most frequent ones, or the email of the account'],
} as const;

declare module '../http/error-codes.js' {
  interface AddedCodes extends Codes {}
}
type Codes = Readonly<Record<keyof typeof CODES, true>>;

addErrorCodes(CODES);
