import type { Outcome } from '../domain/outcome.js';
import type { Config } from '../platform/config/config.js';
import { orderPage } from '../platform/http/console-paths.js';
import type { HeldJob } from './store/claim.js';

/**
 * The log line of a parked job (R14), for the person who has to act on it: it has the name of the restaurant and the URL of the order's
 * page.
 */
export function parkedAlarm(
  {
    id: job,
    eventKey,
    action,
    restaurantId,
    restaurantName,
    trace,
  }: Pick<HeldJob, 'action' | 'eventKey' | 'id' | 'restaurantId' | 'restaurantName' | 'trace'>,
  { cause, error }: Pick<Outcome, 'cause' | 'error'>,
  { console: hasConsole, publicUrl }: Config,
) {
  const page = hasConsole ? `${publicUrl}${orderPage(restaurantId, eventKey)}` : undefined;
  return {
    event: 'alarm.job_parked',
    job,
    eventKey,
    action,
    restaurantId,
    traceId: trace?.id,
    restaurant: restaurantName,
    page,
    cause,
    error,
  };
}
