import { errorCodes } from '../platform/http/error-codes.js';

export const PASSWORD_CODES = errorCodes({
  WRONG_PASSWORD: [400, '`currentPassword` is wrong'],
  INVALID_CREDENTIALS: [401, 'email or password is wrong'],
  SAME_PASSWORD: [422, 'the new password equals the current one'],
  GUESSABLE_PASSWORD: [422, 'the new password is one of the most frequent ones, or the email of the account'],
});
