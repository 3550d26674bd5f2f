import type { Config } from '../config/config.js';
import type { Outcome } from '../domain/outcome.js';
import type { ClaimedJob } from './store/claim.js';

/** Keys that can stand in the path of an order's page, by the rule of the console; any other key stands in the query. */
const PLAIN_KEY = /^(?!key$)[\w-][\w.~-]{0,199}$/;

/**
 * The log line of a parked job (R14), for the person who has to act on it: it has the name of the restaurant and the URL of the order's
 * page.
 */
export function parkedAlarm(
  { id: job, eventKey, action, restaurantId, restaurantName }: ClaimedJob,
  { cause, error }: Pick<Outcome, 'cause' | 'error'>,
  { console: hasConsole, publicUrl }: Config,
) {
  const place = PLAIN_KEY.test(eventKey) ? eventKey : `key?key=${encodeURIComponent(eventKey)}`;
  const page = hasConsole ? `${publicUrl}/console/r/${restaurantId}/orders/${place}` : undefined;
  return {
    event: 'alarm.job_parked',
    job,
    eventKey,
    action,
    restaurantId,
    restaurant: restaurantName,
    page,
    cause,
    error,
  };
}
