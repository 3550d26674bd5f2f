/** SQL: when the current business day (R15) began of the restaurant that is in scope as `restaurant`. */
export const DAY_BEGAN =
  '(business_day(now(), restaurant.timezone, restaurant.day_closes_at) + restaurant.day_closes_at::time) AT TIME ZONE restaurant.timezone';

/**
 * SQL: whether `job` still needs paper: the POS has not taken the order, it was not cancelled, and its business day is open. Needs `job` and
 * `restaurant` in scope.
 */
export const NEEDS_PAPER = `job.status <> 'SENT' AND NOT job.withdrawn AND job.created_at >= ${DAY_BEGAN}`;

/** SQL: an offer that the printer has not answered for this time may have been printed (K4, L32). */
export const OFFER_LASTS = "interval '60 seconds'";

/** A ticket is offered this often (L32); a printer that never confirms would print it all night. */
export const MOST_OFFERS = 5;
