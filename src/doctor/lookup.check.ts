import { randomUUID } from 'node:crypto';
import type { Config } from '../config/config.js';
import type { OrderReference } from '../domain/order.js';
import { answerLine } from '../domain/outcome.js';
import { type LookupResult, PosClient } from '../pos/client.js';
import type { PosHttp } from '../pos/http-transport.js';
import { OrderTransport } from '../pos/order-transport.js';
import { PosSignIn } from '../pos/sign-in.js';
import type { PosTarget } from '../pos/target.js';
import { type PosToken, type TokenResult, tokenId } from '../pos/tokens.js';
import { vendorOf } from '../pos/vendors.js';
import { tokenContext } from '../secrets/contexts.js';
import type { SecretBox } from '../secrets/secret-box.js';
import { bad, type Check, good, warning } from './check.js';
import type { Queries } from './connection.js';
import { type Restaurant, targetOf } from './restaurants.checks.js';

/** A delivered order is asked for when the POS got it within so many hours: it may forget older ones. */
const KNOWN_FOR_HOURS = 24;

/** What {@link lookupCheck} needs besides the restaurants. */
export interface LookupContext {
  readonly http: PosHttp;
  readonly config: Config;
  readonly box: SecretBox;
  readonly database: Queries;
}

/** What a POS says of two orders: one that never was, and the last one that it accepted (`known`: there is one). */
export type LookupFinding =
  | { readonly wrong: null; readonly known: boolean }
  | { readonly wrong: 'invented' | 'unclear'; readonly answer: string }
  | { readonly wrong: 'forgotten'; readonly answer: string; readonly order: string };

/** Asks for the two orders. @param mayCall as in {@link PosClient.lookUp} */
export async function lookUpTwice(
  client: PosClient,
  { restaurantId, target, store }: Asked,
  database: Queries,
  mayCall: () => boolean,
): Promise<LookupFinding> {
  const lookUp = (id: string) => client.lookUp(target, { id, store }, mayCall);
  const unknown = await lookUp(`doctor-${randomUUID()}`);
  if (sightingOf(unknown) === 'found') return { wrong: 'invented', answer: answerText(unknown) };
  if (sightingOf(unknown) !== 'not-found') return { wrong: 'unclear', answer: answerText(unknown) };
  const order = await lastDelivered(restaurantId, database);
  if (order === undefined) return { wrong: null, known: false };
  const known = await lookUp(order);
  if (sightingOf(known) === 'found') return { wrong: null, known: true };
  return { wrong: 'forgotten', answer: answerText(known), order };
}

/** Checks that POS_ORDER_LOOKUP_PATH leads to orders (D20), at the first restaurant that has all it takes. */
export async function lookupCheck(restaurants: readonly Restaurant[], context: LookupContext): Promise<Check> {
  const name = 'order lookup';
  const asked = restaurants.map((one) => askable(one, context.config, context.box)).find((one) => one !== undefined);
  if (!asked) return warning(name, 'not tried: no restaurant has POS credentials and a codeStorePos');
  const { pos } = context.config;
  const transport = new OrderTransport({ connections: 1, timeoutMs: pos.timeoutMs });
  const client = new PosClient(vendorOf(pos), transport, { get: tokensOf(context) });
  try {
    const found = await lookUpTwice(client, asked, context.database, () => true);
    if (found.wrong === null)
      return good(name, `the POS ${found.known ? KNOWS_BOTH : 'says 404 of an order that never was'}`);
    return (pos.afterUnknown === 'ask' ? bad : warning)(name, wrongText(found), {
      hint: 'check POS_ORDER_LOOKUP_PATH; orders that may have arrived are asked for there',
      details: [found.wrong === 'forgotten' ? `${asked.label}: ${found.order}` : asked.label],
    });
  } finally {
    await transport.close();
  }
}

const KNOWS_BOTH = 'knows the last order it accepted, and none that never was';

function wrongText({ wrong, answer }: Exclude<LookupFinding, { wrong: null }>): string {
  if (wrong === 'invented') return 'the POS says that it has an order that never was';
  if (wrong === 'unclear') return `asked for an order that never was, the POS does not say 404: ${answer}`;
  return `the POS does not know the last order it accepted: ${answer}`;
}

/** A restaurant at whose POS orders can be asked for. */
export interface Asked {
  readonly restaurantId: string;
  readonly label: string;
  readonly target: PosTarget;
  readonly store: OrderReference['store'];
}

/** @returns undefined when it lacks POS credentials or a codeStorePos */
export function askable(restaurant: Restaurant, config: Config, box: SecretBox): Asked | undefined {
  const { id: restaurantId, label, codeStorePos: store } = restaurant;
  const target = targetOf(restaurant, config, box);
  return store && !('missing' in target) ? { restaurantId, label, target, store } : undefined;
}

/** A stored token that is still valid, else one of a sign-in, which is thrown away. */
function tokensOf({ http, config: { pos }, box, database }: LookupContext) {
  const posSignIn = new PosSignIn(http, vendorOf(pos), pos.timeoutMs);
  let signedIn: Promise<TokenResult> | undefined;
  return async (target: PosTarget, failed?: PosToken): Promise<TokenResult> => {
    const stored = failed || signedIn ? undefined : await storedToken(tokenId(box, target));
    if (stored !== undefined) return { token: stored, generation: 0 };
    signedIn ??= posSignIn
      .signIn(target)
      .then((result) => ('granted' in result ? { token: result.granted.token, generation: 1 } : result));
    return signedIn;
  };

  async function storedToken(id: string): Promise<string | undefined> {
    const [row] = await database.query<{ token: string }>(
      'SELECT token FROM pos_tokens WHERE id = $1 AND token IS NOT NULL AND expires_at > now()',
      [id],
    );
    return row && box.open(row.token, tokenContext(id));
  }
}

/** @returns the id of the restaurant's last order that the POS accepted lately and nobody cancelled */
async function lastDelivered(restaurantId: string, database: Queries): Promise<string | undefined> {
  const [row] = await database.query<{ id: string }>(
    `SELECT event_key AS id FROM outbox_jobs job JOIN terminal_events event
            ON event.transaction_key = job.event_key AND event.restaurant_id = job.restaurant_id
     WHERE job.restaurant_id = $1::uuid AND job.action = 'CREATE' AND job.status = 'SENT' AND NOT event.test_mode
       AND job.created_at > now() - $2::int * interval '1 hour'
       AND NOT EXISTS (SELECT 1 FROM outbox_jobs cancel WHERE cancel.event_key = job.event_key
                       AND cancel.restaurant_id = job.restaurant_id AND cancel.action = 'CANCEL')
     ORDER BY job.created_at DESC LIMIT 1`,
    [restaurantId, KNOWN_FOR_HOURS],
  );
  return row?.id;
}

const sightingOf = (result: LookupResult) => (result.step === 'request' ? result.sighting : undefined);

function answerText(result: LookupResult): string {
  if (result.step === 'not-begun') return 'no time was left';
  return result.step === 'sign-in' ? `the sign-in failed: ${answerLine(result.answer)}` : answerLine(result.answer);
}
