/**
 * Why an attempt ended without an outcome. `release`: the order to cancel is still being sent (C3), or the database was away.
 * `not-begun`: `mayCall` refused the call. `not-looked-up`: `mayCall` refused the look-up of an order that may have arrived.
 */
export type NoOutcome = 'release' | 'not-begun' | 'not-looked-up';
