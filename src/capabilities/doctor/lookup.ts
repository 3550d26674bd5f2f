import { randomUUID } from 'node:crypto';
import { answerLine } from '../../domain/outcome.js';
import type { Config } from '../../platform/config/config.js';
import type { SecretBox } from '../../platform/secrets/secret-box.js';
import type { LookupResult, PosClient } from '../../pos/client.js';
import type { Queries } from './connection.js';
import { type Finding, finding } from './findings.js';
import { type Restaurant, targetOf } from './restaurants.js';

/** A delivered order is looked up only if it was created within this time: the POS may have forgotten older orders. */
const KNOWN_FOR_HOURS = 24;

/** The target and store for look-ups of a restaurant; undefined without POS credentials or codeStorePos. */
export function askable(restaurant: Restaurant, config: Config, box: SecretBox) {
  const { codeStorePos: store } = restaurant;
  const target = targetOf(restaurant, config, box);
  return store && !('missing' in target) ? { restaurantId: restaurant.id, target, store } : undefined;
}

/**
 * Checks whether POS_ORDER_LOOKUP_PATH finds orders (D20): looks up an order that does not exist, then the last order that the POS
 * accepted.
 * @param mayCall as in {@link PosClient.lookUp}
 */
export async function lookupFinding(
  client: Pick<PosClient, 'lookUp'>,
  { restaurantId, target, store }: NonNullable<ReturnType<typeof askable>>,
  database: Queries,
  { afterUnknown }: Config['pos'],
  mayCall: () => boolean,
): Promise<Finding> {
  const lookUp = (id: string) => client.lookUp(target, { id, store }, mayCall);
  const wrong = (what: 'invented' | 'unclear' | 'forgotten', result: LookupResult) =>
    finding('lookup', afterUnknown === 'ask' ? 'bad' : 'warning', 'LOOKUP_WRONG', {
      wrong: what,
      answer: answerText(result),
    });
  const unknown = await lookUp(`doctor-${randomUUID()}`);
  if (sightingOf(unknown) === 'found') return wrong('invented', unknown);
  if (sightingOf(unknown) !== 'not-found') return wrong('unclear', unknown);
  const order = await lastDelivered(restaurantId, database);
  if (order === undefined) return finding('lookup', 'ok', 'LOOKUP_WORKS', { known: false });
  const known = await lookUp(order);
  if (sightingOf(known) !== 'found') return wrong('forgotten', known);
  return finding('lookup', 'ok', 'LOOKUP_WORKS', { known: true });
}

/**
 * @returns the id of the restaurant's last delivered order that was created within the last 24 hours; test orders and cancelled orders
 *   are left out
 */
async function lastDelivered(restaurantId: string, database: Queries): Promise<string | undefined> {
  const [row] = await database.query<{ id: string }>(
    `SELECT event_key AS id FROM outbox_jobs job JOIN terminal_events event
            ON event.transaction_key = job.event_key AND event.restaurant_id = job.restaurant_id
     WHERE event.restaurant_id = $1::uuid AND job.action = 'CREATE' AND job.status = 'SENT' AND NOT event.test_mode
       AND event.received_at > now() - $2::int * interval '1 hour'
       AND NOT EXISTS (SELECT 1 FROM outbox_jobs cancel WHERE cancel.event_key = job.event_key
                       AND cancel.restaurant_id = job.restaurant_id AND cancel.action = 'CANCEL')
     ORDER BY event.received_at DESC LIMIT 1`,
    [restaurantId, KNOWN_FOR_HOURS],
  );
  return row?.id;
}

const sightingOf = (result: LookupResult) => (result.step === 'request' ? result.sighting : undefined);

function answerText(result: LookupResult): string {
  if (result.step === 'not-begun') return 'no time was left';
  return result.step === 'sign-in' ? `the sign-in failed: ${answerLine(result.answer)}` : answerLine(result.answer);
}
