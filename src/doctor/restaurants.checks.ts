import type { Config } from '../config/config.js';
import { hasDefaultTimezone, TIMEZONE_ADVICE } from '../domain/warnings.js';
import { type PosTarget, posTarget } from '../pos/target.js';
import { tokenId } from '../pos/tokens.js';
import type { SecretBox } from '../secrets/secret-box.js';
import { bad, type Check, count, good, warning } from './check.js';
import type { Queries } from './connection.js';

/** A restaurant that is not deleted, with what the delivery of its orders needs. */
export interface Restaurant {
  readonly id: string;
  /** name and slug, for people */
  readonly label: string;
  readonly codeStoreTerminal: string | null;
  readonly codeStorePos: string | null;
  readonly posIdPartner: string | null;
  /** encrypted */
  readonly posSecret: string | null;
  readonly hasOwner: boolean;
  /** IANA name */
  readonly timezone: string;
}

/**
 * Reads the restaurants that are not deleted, sorted by label.
 * @param only the one of this id, with those that send the same codeStorePos; absent: all
 */
export function readRestaurants(database: Queries, only?: string): Promise<Restaurant[]> {
  const ofOne = `AND (id = $1::uuid OR code_store_pos = (SELECT code_store_pos FROM restaurants WHERE id = $1::uuid))`;
  return database.query<Restaurant & Record<string, unknown>>(
    `SELECT id::text, name || ' (' || slug || ')' AS label, code_store_terminal AS "codeStoreTerminal",
            code_store_pos AS "codeStorePos", timezone, pos_id_partner AS "posIdPartner", pos_secret AS "posSecret",
            EXISTS (SELECT 1 FROM user_restaurants link
                    WHERE link.restaurant_id = restaurants.id AND link.role = 'OWNER') AS "hasOwner"
     FROM restaurants WHERE deleted_at IS NULL ${only ? ofOne : ''} ORDER BY label`,
    only ? [only] : [],
  );
}

/** The POS address and credentials of a restaurant's orders, or of its test orders, or what is missing for them (D2, D3). */
export function targetOf(
  { id, posIdPartner, posSecret }: Restaurant,
  config: Config,
  box: SecretBox,
  testMode = false,
): PosTarget | { readonly missing: string } {
  return posTarget({ restaurantId: id, testMode, posIdPartner, posSecret }, config, box);
}

/** Whether test orders take production credentials to another deployment of the POS (S20). */
export function sharesSecretsWithTests({ pos }: Config): boolean {
  return pos.testBaseUrl !== pos.baseUrl && !pos.testCredentials;
}

/** Those whose orders the POS cannot tell apart: with one codeStorePos they go to one account of the POS. */
export function sharingPosCode(restaurants: readonly Restaurant[], config: Config, box: SecretBox): Restaurant[] {
  const accounts = new Map<string, Restaurant[]>();
  for (const restaurant of restaurants) {
    const target = targetOf(restaurant, config, box);
    if (!restaurant.codeStorePos || 'missing' in target) continue;
    const account = `${tokenId(box, target)}\n${restaurant.codeStorePos}`;
    accounts.set(account, [...(accounts.get(account) ?? []), restaurant]);
  }
  return [...accounts.values()].filter((sharing) => sharing.length > 1).flat();
}

/** Checks that every restaurant has an OWNER, store codes and usable POS credentials. */
export function restaurantChecks(restaurants: readonly Restaurant[], config: Config, box: SecretBox): Check[] {
  if (restaurants.length === 0)
    return [warning('restaurants', 'none yet: every webhook is refused', { hint: 'create one: POST /restaurants' })];
  return [
    good('restaurants', count(restaurants.length, 'restaurant')),
    ownersCheck(restaurants),
    terminalCodesCheck(restaurants),
    posCodesCheck(restaurants, sharingPosCode(restaurants, config, box)),
    ...credentialsChecks(restaurants, config, box),
    timezonesCheck(restaurants),
  ];
}

function ownersCheck(restaurants: readonly Restaurant[]): Check {
  const without = restaurants.filter(({ hasOwner }) => !hasOwner).map(({ label }) => label);
  if (without.length === 0) return good('owners', 'every restaurant has one');
  return bad('owners', `${count(without.length, 'restaurant')} without an OWNER: every webhook for it is refused`, {
    details: without,
    hint: 'no endpoint can repair this: insert an OWNER into user_restaurants by SQL',
  });
}

function terminalCodesCheck(restaurants: readonly Restaurant[]): Check {
  const without = restaurants.filter((one) => !one.codeStoreTerminal).map(({ label }) => label);
  if (without.length === 0) return good('terminal store codes', 'every restaurant has one');
  return warning('terminal store codes', `${count(without.length, 'restaurant')} without codeStoreTerminal`, {
    details: without,
    hint: 'a storeCode does not lead to it; webhooks must name its restaurantId, or come from an owner with no other one',
  });
}

function posCodesCheck(restaurants: readonly Restaurant[], sharing: readonly Restaurant[]): Check {
  const without = restaurants.filter((one) => !one.codeStorePos).map(({ label }) => label);
  if (without.length === 0 && sharing.length > 0)
    return warning('POS store codes', `${count(sharing.length, 'restaurant')} whose orders the POS cannot tell apart`, {
      details: sharing.map(({ label, codeStorePos }) => `${label}: ${codeStorePos}`),
      hint: 'their codeStorePos and credentials are the same: ask the operator of the POS which code is whose',
    });
  if (without.length === 0) return good('POS store codes', 'every restaurant has one');
  return bad(
    'POS store codes',
    `${count(without.length, 'restaurant')} without codeStorePos: its orders wait as FAILED`,
    {
      details: without,
      hint: 'set it: PATCH /restaurants/:id {"codeStorePos": ...}',
    },
  );
}

function timezonesCheck(restaurants: readonly Restaurant[]): Check {
  const name = 'time zones';
  const unset = restaurants.filter(hasDefaultTimezone).map(({ label }) => label);
  if (unset.length === 0) return good(name, 'every restaurant has one');
  return warning(name, `${count(unset.length, 'restaurant')} in UTC, the default`, {
    details: unset,
    hint: TIMEZONE_ADVICE,
  });
}

/** Checks that no production secret goes to the test deployment (S20); none where there is no other deployment. */
export function testCredentialsChecks(restaurants: readonly Restaurant[], config: Config, box: SecretBox): Check[] {
  const { pos } = config;
  const name = 'test POS credentials';
  if (pos.testBaseUrl === pos.baseUrl) return [];
  const users = restaurants.filter((one) => !('missing' in targetOf(one, config, box, true))).map(({ label }) => label);
  if (!sharesSecretsWithTests(config)) return [good(name, 'POS_TEST_PARTNER_ID is set')];
  if (users.length === 0 && !pos.credentials) return [good(name, 'no credentials go to the test POS')];
  const text = 'test orders take production credentials to POS_TEST_BASE_URL';
  return [warning(name, text, { details: users, hint: 'set POS_TEST_PARTNER_ID and POS_TEST_SECRET' })];
}

/** Checks for POS credentials, the restaurant's or the configured ones, and that posSecret can be decrypted. */
function credentialsChecks(restaurants: readonly Restaurant[], config: Config, box: SecretBox): Check[] {
  const name = 'POS credentials';
  const incomplete = restaurants.filter((one) => Boolean(one.posIdPartner) !== Boolean(one.posSecret));
  const missing = restaurants.flatMap((one) => {
    const target = targetOf(one, config, box);
    return 'missing' in target ? [`${one.label}: ${target.missing}`] : [];
  });
  const checks: Check[] = [];
  if (missing.length > 0)
    checks.push(
      bad(name, `${count(missing.length, 'restaurant')} without usable credentials: its orders wait as FAILED`, {
        details: missing,
        hint: 'PATCH /restaurants/:id {"posIdPartner": ..., "posSecret": ...}, or POS_PARTNER_ID and POS_SECRET for all',
      }),
    );
  if (incomplete.length > 0 && config.pos.credentials)
    checks.push(
      warning(name, `${count(incomplete.length, 'restaurant')} with half a pair: the configured credentials are used`, {
        details: incomplete.map((one) => `${one.label}: no ${one.posIdPartner ? 'posSecret' : 'posIdPartner'}`),
      }),
    );
  return checks.length > 0 ? checks : [good(name, 'every restaurant has them, its own or the configured ones')];
}
