import type { SealedClientSecret } from '../../outbox/store/push.js';
import type { Config } from '../../platform/config/config.js';
import type { SecretBox } from '../../platform/secrets/secret-box.js';
import { type PosTarget, posTarget } from '../../pos/target.js';
import { tokenId } from '../../pos/tokens.js';
import type { Queries } from './connection.js';

/** A restaurant that is not deleted, with the settings for its deliveries. */
export interface Restaurant {
  readonly id: string;
  /** name and slug, for people */
  readonly label: string;
  readonly codeStoreTerminal: string | null;
  readonly codeStorePos: string | null;
  readonly posIdPartner: string | null;
  /** encrypted */
  readonly posSecret: string | null;
  /** whether its POS reads its orders at the relay, by Open Delivery (Q1) */
  readonly openDelivery: boolean;
  /** where it gets events (Q19); null: it asks for them */
  readonly posBaseUrl: string | null;
  readonly currency: string | null;
  /** of a POS of Open Delivery: credentials that work */
  readonly liveCredentials: number;
  /** their secrets, encrypted */
  readonly clientSecrets: readonly SealedClientSecret[];
  /** since the last poll with one of them, in ms; null: there was none */
  readonly polledAgoMs: number | null;
  /** events of orders that it did not ask for (Q6) */
  readonly leftOut: readonly string[];
  readonly hasOwner: boolean;
  /** IANA name */
  readonly timezone: string;
}

/**
 * Reads the restaurants that are not deleted, sorted by label.
 * @param only an id: reads this restaurant and those that send the same codeStorePos; absent: reads all
 */
export function readRestaurants(database: Queries, only?: string): Promise<Restaurant[]> {
  const ofOne = `AND (id = $1::uuid OR code_store_pos = (SELECT code_store_pos FROM restaurants WHERE id = $1::uuid))`;
  return database.query<Restaurant & Record<string, unknown>>(
    `SELECT id::text, name || ' (' || slug || ')' AS label, code_store_terminal AS "codeStoreTerminal",
            code_store_pos AS "codeStorePos", timezone, pos_id_partner AS "posIdPartner", pos_secret AS "posSecret",
            coalesce(pos_vendor, '') = 'open-delivery' AS "openDelivery", pos_base_url AS "posBaseUrl", currency, pos.*,
            EXISTS (SELECT 1 FROM user_restaurants link
                    WHERE link.restaurant_id = restaurants.id AND link.role = 'OWNER') AS "hasOwner"
     FROM restaurants CROSS JOIN LATERAL (
       SELECT count(*)::int AS "liveCredentials", round(extract(epoch FROM now() - max(polled_at)) * 1000)::float8 AS "polledAgoMs",
              coalesce((array_agg(to_json(left_out) ORDER BY polled_at DESC NULLS LAST))[1], '[]') AS "leftOut",
              coalesce(json_agg(json_build_object('credentialId', id, 'sealed', pos_credentials.secret))
                FILTER (WHERE pos_credentials.secret IS NOT NULL), '[]') AS "clientSecrets"
       FROM pos_credentials JOIN live_pos_credentials USING (id) WHERE pos_credentials.restaurant_id = restaurants.id) AS pos
     WHERE deleted_at IS NULL ${only ? ofOne : ''} ORDER BY label`,
    only ? [only] : [],
  );
}

/** The fields of a restaurant that decide the POS address and credentials. */
export type Account = Pick<Restaurant, 'id' | 'posIdPartner' | 'posSecret'>;

/** The POS address and credentials for the orders of a restaurant, or for its test orders; `missing` is the missing setting (D2, D3). */
export function targetOf(
  { id, posIdPartner, posSecret }: Account,
  config: Config,
  box: SecretBox,
  testMode = false,
): PosTarget | { readonly missing: string } {
  return posTarget({ restaurantId: id, testMode, posIdPartner, posSecret }, config, box);
}

/** Whether test orders send production credentials to another deployment of the POS (S20). */
export function sharesSecretsWithTests({ pos }: Config): boolean {
  return pos.testBaseUrl !== pos.baseUrl && !pos.testCredentials;
}

/**
 * The restaurants whose orders the POS cannot distinguish from those of another restaurant: both send to the same POS account with the
 * same codeStorePos.
 */
export function sharingPosCode(
  restaurants: readonly Restaurant[],
  config: Config,
  box: SecretBox,
): ReadonlySet<Restaurant> {
  const accounts = new Map<string, Restaurant[]>();
  for (const restaurant of restaurants) {
    const target = targetOf(restaurant, config, box);
    if (restaurant.openDelivery || !restaurant.codeStorePos || 'missing' in target) continue;
    const account = `${tokenId(box, target)}\n${restaurant.codeStorePos}`;
    accounts.set(account, [...(accounts.get(account) ?? []), restaurant]);
  }
  return new Set([...accounts.values()].filter((sharing) => sharing.length > 1).flat());
}
