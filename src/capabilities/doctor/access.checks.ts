import { REFUSED_AGAIN } from '../../outbox/conditions.sql.js';
import type { Config } from '../../platform/config/config.js';
import { whyPasswordIsWeak } from '../../platform/config/start-warnings.js';
import { WEAK_TOKEN_TEXT, weakTokens } from '../../platform/config/weak-tokens.js';
import { count, ok, type Result, warning } from './check.js';
import { type Connection, rowsOf } from './connection.js';

/** Checks that somebody can sign in: a user exists, or ADMIN_EMAIL creates one at start (A10). A weak ADMIN_PASSWORD is a warning (S39). */
export async function signInCheck(database: Connection | 'new', config: Config): Promise<Result> {
  const weak = whyPasswordIsWeak(config);
  if (weak !== undefined)
    return warning(weak, {
      hint: 'change it: PATCH /users/me/password, then remove ADMIN_PASSWORD from the environment',
    });
  if (config.admin) return ok('ADMIN_EMAIL is set');
  if (await exists(database, 'SELECT 1 FROM users')) return ok('there are users');
  return warning('nobody can sign in: there is no user', {
    hint: 'set ADMIN_EMAIL and ADMIN_PASSWORD: the relay creates that administrator at its next start',
  });
}

/**
 * Checks that terminals can send: with TERMINAL_BEARER_TOKEN, the credentials of an OWNER of a restaurant, or a sender key (W2, W6,
 * W8, V7). A weak
 * token is a warning, because it may be guessed (S19).
 */
export async function senderCheck(database: Connection | 'new', config: Config): Promise<Result> {
  const [weak] = weakTokens(config);
  if (weak) return warning(`${weak} ${WEAK_TOKEN_TEXT}`, { hint: 'openssl rand -hex 32; docs/operations.md, Keys' });
  if (config.terminalBearerToken) return ok('TERMINAL_BEARER_TOKEN is set');
  const owners = `SELECT 1 FROM user_restaurants link JOIN restaurants ON restaurants.id = link.restaurant_id
                  WHERE link.role = 'OWNER' AND restaurants.deleted_at IS NULL`;
  if (await exists(database, owners)) return ok('they send with the credentials of an OWNER');
  if (await exists(database, 'SELECT 1 FROM live_sender_keys')) return ok('they send with sender keys');
  return warning(
    'no terminal can send: there is no TERMINAL_BEARER_TOKEN, no sender key, and no OWNER whose credentials would do',
    {
      hint: 'set TERMINAL_BEARER_TOKEN, or create a restaurant as the user whose credentials the terminals send',
    },
  );
}

/** The most refused keys that are named. */
const REFUSED_KEYS = 20;

interface KeysRow extends Record<string, unknown> {
  /** that work */
  readonly keys: number;
  /** lines about {@link KeysRow.ending} and {@link KeysRow.expired} keys; null: there are none */
  readonly lines: string[] | null;
  readonly ending: number;
  readonly expired: number;
}

/** Checks that no sender key, of a restaurant or of the platform, has to be replaced (V11, V12), and that none is refused (V41). */
export async function senderKeysCheck(database: Connection | 'new'): Promise<Result> {
  const [row] = await rowsOf<KeysRow>(
    database,
    `SELECT (SELECT count(*) FROM live_sender_keys)::int AS keys,
             count(*) FILTER (WHERE expires_at > now())::int AS ending, count(*) FILTER (WHERE expires_at <= now())::int AS expired,
             array_agg(concat_ws(': ', coalesce(restaurants.name, 'the platform'), ending.name || ' (' || ending.key_id || ')',
               CASE WHEN expires_at > now() THEN 'expires on ' ELSE 'expired on ' END
               || to_char(expires_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI "UTC"')) ORDER BY expires_at) AS lines
           FROM ending_sender_keys ending LEFT JOIN restaurants ON restaurants.id = ending.restaurant_id`,
  );
  const { keys, lines: toReplace, ending, expired } = row ?? { keys: 0, lines: null, ending: 0, expired: 0 };
  const foreign = await foreignKeys(database);
  const refused = await refusedKeys(database);
  const lines = [...refused, ...(toReplace ?? []), ...foreign];
  if (lines.length === 0)
    return ok(keys === 0 ? 'there are none' : `${count(keys, 'key')}; none expires within a week`);
  const found = [
    ...(refused.length > 0
      ? [`${count(refused.length, 'key')} refused, and still tried: these sales are not stored`]
      : []),
    ...(ending > 0 ? [`${count(ending, 'key')} of ${keys} will expire within a week`] : []),
    ...(expired > 0 ? [`${count(expired, 'key')} expired in use: these terminals send no sales`] : []),
    ...(foreign.length > 0
      ? [`${count(foreign.length, 'key')} sent sales that name another store, within a week`]
      : []),
  ];
  const hints = [
    ...(refused.length > 0
      ? ['refused: give the terminal a key that works; its sales are sent again by the terminal, or are in its file']
      : []),
    ...(ending > 0 ? ['rotate: POST …/sender-keys/:id/rotate; both keys work until the old one ends'] : []),
    ...(expired > 0 ? ['for an expired key: make a new one, then revoke the old one'] : []),
    ...(foreign.length > 0
      ? ['another store: give the terminal the key of its restaurant, or set codeStoreTerminal to what it sends']
      : []),
  ];
  return warning(found.join('; '), { details: lines, hint: hints.join('. ') });
}

/** A line for each key that is tried again and again, and refused (V41, G54). */
async function refusedKeys(database: Connection | 'new'): Promise<string[]> {
  const rows = await rowsOf<{ line: string }>(
    database,
    `SELECT coalesce(restaurants.name, 'the platform') || ': ' || keys.name || ' (' || key_id || '): ' || refused_reason || ', refused '
             || refused_count || ' times since ' || to_char(refused_since AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI "UTC"') AS line
           FROM sender_keys keys LEFT JOIN restaurants ON restaurants.id = keys.restaurant_id
           WHERE ${REFUSED_AGAIN} ORDER BY refused_count DESC LIMIT ${REFUSED_KEYS}`,
  );
  return rows.map(({ line }) => line);
}

/** A line for each working key with a sale of the last week that named another store than the key's (W49). */
async function foreignKeys(database: Connection | 'new'): Promise<string[]> {
  const rows = await rowsOf<{ line: string }>(
    database,
    `SELECT restaurants.name || ': ' || keys.name || ' (' || key_id || '): another store, last on '
             || to_char(foreign_store_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI "UTC"') AS line
           FROM sender_keys keys JOIN restaurants ON restaurants.id = keys.restaurant_id
           WHERE foreign_store_at > now() - interval '7 days' AND keys.id IN (SELECT id FROM live_sender_keys)
           ORDER BY foreign_store_at DESC`,
  );
  return rows.map(({ line }) => line);
}

/** Restaurants that a line of {@link personsCheck} names. */
const NAMED_RESTAURANTS = 5;

/** Checks that no terminal sends with what belongs to a person: her password, or the token of her sign-in (V14). */
export async function personsCheck(database: Connection | 'new'): Promise<Result> {
  const rows = await rowsOf<{ line: string }>(
    database,
    `SELECT email || ': by ' || array_to_string(array_agg(DISTINCT by ORDER BY by), ' and by ') || '; for '
             || array_to_string((array_agg(DISTINCT name ORDER BY name))[1:${NAMED_RESTAURANTS}], ', ')
             || CASE WHEN count(DISTINCT restaurant_id) > ${NAMED_RESTAURANTS}
                  THEN ' and ' || count(DISTINCT restaurant_id) - ${NAMED_RESTAURANTS} || ' more' ELSE '' END
             || '; last on ' || to_char(max(at) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI "UTC"') AS line
           FROM sales_by_persons GROUP BY user_id, email ORDER BY max(at) DESC`,
  );
  if (rows.length === 0) return ok('none within a week: no terminal sends with the password of a person');
  return warning(`the sales of terminals depend on the sign-in of ${count(rows.length, 'person', 'persons')}`, {
    details: rows.map(({ line }) => line),
    hint: 'make a sender key for these terminals: the sales stop when the person changes the password, and a token ends after 7 days',
  });
}

/**
 * Checks that no tenant can use what all tenants share (the terminal token, the POS credentials) to claim sales or a store code of
 * another tenant (A18).
 */
export function onboardingCheck({ onboarding, terminalBearerToken, pos }: Config): Result {
  if (onboarding === 'admin') return ok('administrators create restaurants');
  const shared = [
    ...(terminalBearerToken ? ['the sales of a store code nobody has claimed (TERMINAL_BEARER_TOKEN)'] : []),
    ...(pos.credentials ? ["another store's codeStorePos with the shared credentials (POS_PARTNER_ID)"] : []),
  ];
  if (shared.length === 0) return ok('every user creates restaurants, and nothing is shared');
  return warning('every user creates restaurants (ONBOARDING=self), and could claim what is shared', {
    details: shared,
    hint: 'ONBOARDING=admin, where not everybody who can sign in is trusted with every restaurant',
  });
}

/** Checks that password checks are limited in production (S12). */
export function throttleCheck({ environment, loginAttemptsPerMinute: limit }: Config): Result {
  if (limit > 0)
    return ok(
      `at most ${limit} a minute for each account and address; wrong ones also for each account, and each address`,
    );
  if (environment !== 'production') return ok('not limited, which is for development only');
  return warning('not limited: anybody may guess passwords', { hint: 'LOGIN_ATTEMPTS_PER_MINUTE=10' });
}

async function exists(database: Connection | 'new', sql: string): Promise<boolean> {
  return (await rowsOf(database, `${sql} LIMIT 1`)).length > 0;
}
