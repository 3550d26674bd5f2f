import { errorCodes } from '../../platform/http/error-codes.js';

export const CHANNEL_CODES = errorCodes({
  CHANNEL_UNAVAILABLE: [409, 'this relay, or this user, has no such channel'],
  TOO_MANY_DEVICES: [409, '10 devices of the user receive messages'],
  ADDRESS_REFUSED: [422, 'the relay does not call this address; `message` says why'],
  TOKEN_REFUSED: [422, "the token is wrong, used, expired, or of another user's message"],
  TOO_MANY_TESTS: [429, 'a test message was sent just before'],
});
