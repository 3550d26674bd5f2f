import type { Config } from '../config/config.js';
import type { Outcome } from '../domain/outcome.js';
import type { ClaimedJob } from './store/claim.js';

/** As the console's own addresses: a key that no path can carry stands in the query. */
const PLAIN_KEY = /^(?!key$)[\w-][\w.~-]{0,199}$/;

/** The log line of a parked job (R14), for who has to do something about it: its restaurant by name, and its order's page. */
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
