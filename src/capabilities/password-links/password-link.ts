import { Prisma } from '../../platform/database/generated/client.js';

/** The beginning of a link's token. */
export const TOKEN_PREFIX = 'pwl_';

/** A link is valid for this time after it was asked for by mail, and after somebody made it; hours (L207). */
export const VALID_HOURS = { mailed: 1, made: 24 } as const;

/** SQL: whether the link may be used now. One that was written while the clock was ahead is valid no longer than others (S38). */
export const VALID_NOW = Prisma.raw(
  `expires_at BETWEEN now() AND now() + CASE WHEN made_by IS NULL THEN interval '${VALID_HOURS.mailed} hours' ELSE interval '${VALID_HOURS.made} hours' END`,
);

/** Path of the console's page that sets the password. Browsers do not send the fragment, so the token is in no access log. */
export const passwordPage = (token: string) => `/console/password#${token}`;

/**
 * SQL: whether the user `maker` may make a link for the user `person` (A45): a platform administrator for everybody but the administrators;
 * an OWNER for a person below OWNER who works in the maker's restaurants alone. A link opens all that the account may do.
 */
export const MAY_MAKE = Prisma.sql`(person.role = 'USER' AND (maker.role = 'ADMIN' OR (
  EXISTS (SELECT FROM user_restaurants theirs WHERE theirs.user_id = person.id AND theirs.accepted_at IS NOT NULL)
  AND NOT EXISTS (
    SELECT FROM user_restaurants theirs
    WHERE theirs.user_id = person.id AND (theirs.role = 'OWNER' OR theirs.accepted_at IS NULL OR NOT EXISTS (
      SELECT FROM user_restaurants own
      WHERE own.restaurant_id = theirs.restaurant_id AND own.user_id = maker.id AND own.role = 'OWNER' AND own.accepted_at IS NOT NULL))))))`;
