import { errorCodes } from '../platform/http/error-codes.js';

export const LINK_CODES = errorCodes({
  ALREADY_LINKED: [400, 'this user is linked to the restaurant already'],
  NO_ACCESS: [403, 'the caller is not linked to this restaurant'],
  ROLE_ABOVE_OWN: [403, "nobody grants, changes or removes a role above the caller's own"],
  OTHER_EMAIL: [403, 'the invitation is for the account of another email'],
  INVITATION_NOT_FOUND: [404, 'the token is wrong, or the invitation has ended'],
  ACCOUNT_EXISTS: [409, 'there is an account of this email, and the password is not its password'],
  TOO_MANY_INVITATIONS: [409, '100 invitations of the restaurant wait for their answer'],
  LAST_OWNER: [422, 'a restaurant keeps its last OWNER'],
  SAME_USER: [422, 'the caller owns this restaurant already'],
  NOT_LINKED: [422, 'the new owner is not linked to the restaurant'],
});
