import { errorCodes } from '../../platform/http/error-codes.js';

export const PASSWORD_LINK_CODES = errorCodes({
  PASSWORD_LINK_NOT_FOUND: [404, 'the link is wrong, used, expired, or replaced by a change of the password'],
  NOT_ONLY_YOURS: [
    409,
    'the person owns a restaurant, works in one that is not yours, or administers the platform: the link must be asked for by mail',
  ],
});
