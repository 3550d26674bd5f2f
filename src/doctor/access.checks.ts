import type { Config } from '../config/config.js';
import { WEAK_TOKEN_TEXT, weakTokens } from '../config/weak-tokens.js';
import { type Check, count, ok, warning } from './check.js';
import type { Connection } from './connection.js';

/** Checks that somebody can sign in: a user exists, or ADMIN_EMAIL creates one at start (A10). */
export async function signInCheck(database: Connection | 'new', { admin }: Config): Promise<Check> {
  const name = 'sign-in';
  if (admin) return ok(name, 'ADMIN_EMAIL is set');
  if (await exists(database, 'SELECT 1 FROM users')) return ok(name, 'there are users');
  return warning(name, 'nobody can sign in: there is no user', {
    hint: 'set ADMIN_EMAIL and ADMIN_PASSWORD: the relay creates that administrator at its next start',
  });
}

/**
 * Checks that terminals can send: with TERMINAL_BEARER_TOKEN, the credentials of an OWNER of a restaurant, or a sender key (W2, W6,
 * W8, V7). A weak
 * token is a warning, because it may be guessed (S19).
 */
export async function senderCheck(database: Connection | 'new', config: Config): Promise<Check> {
  const name = 'terminals';
  const [weak] = weakTokens(config);
  if (weak)
    return warning(name, `${weak} ${WEAK_TOKEN_TEXT}`, { hint: 'openssl rand -hex 32; docs/operations.md, Keys' });
  if (config.terminalBearerToken) return ok(name, 'TERMINAL_BEARER_TOKEN is set');
  const owners = `SELECT 1 FROM user_restaurants link JOIN restaurants ON restaurants.id = link.restaurant_id
                  WHERE link.role = 'OWNER' AND restaurants.deleted_at IS NULL`;
  if (await exists(database, owners)) return ok(name, 'they send with the credentials of an OWNER');
  if (await exists(database, 'SELECT 1 FROM live_sender_keys')) return ok(name, 'they send with sender keys');
  return warning(
    name,
    'no terminal can send: there is no TERMINAL_BEARER_TOKEN, no sender key, and no OWNER whose credentials would do',
    {
      hint: 'set TERMINAL_BEARER_TOKEN, or create a restaurant as the user whose credentials the terminals send',
    },
  );
}

/** Keys that expire within this time are named, in days. A key that was replaced is expected to end. */
const EXPIRY_WARNING_DAYS = 7;

/** Checks that no sender key, of a restaurant or of the platform, is about to expire (V11). */
export async function senderKeysCheck(database: Connection | 'new'): Promise<Check> {
  const name = 'sender keys';
  const rows =
    database === 'new'
      ? []
      : await database.query<{ keys: number; ending: string[] | null }>(
          `SELECT count(*)::int AS keys,
             array_agg(concat_ws(': ', coalesce(restaurants.name, 'the platform'), live.name || ' (' || live.key_id || ')',
               'expires on ' || to_char(expires_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI "UTC"')) ORDER BY expires_at)
               FILTER (WHERE replaced_by IS NULL AND expires_at < now() + interval '${EXPIRY_WARNING_DAYS} days') AS ending
           FROM live_sender_keys live LEFT JOIN restaurants ON restaurants.id = live.restaurant_id`,
        );
  const { keys, ending } = rows[0] ?? { keys: 0, ending: null };
  if (!ending) return ok(name, keys === 0 ? 'there are none' : `${count(keys, 'key')}; none expires within a week`);
  return warning(name, `${count(ending.length, 'key')} of ${keys} will expire within a week`, {
    details: ending,
    hint: 'rotate: POST …/sender-keys/:id/rotate; both keys work until the old one ends',
  });
}

/**
 * Checks that no tenant can use what all tenants share (the terminal token, the POS credentials) to claim sales or a store code of
 * another tenant (A18).
 */
export function onboardingCheck({ onboarding, terminalBearerToken, pos }: Config): Check {
  const name = 'onboarding';
  if (onboarding === 'admin') return ok(name, 'administrators create restaurants');
  const shared = [
    ...(terminalBearerToken ? ['the sales of a store code nobody has claimed (TERMINAL_BEARER_TOKEN)'] : []),
    ...(pos.credentials ? ["another store's codeStorePos with the shared credentials (POS_PARTNER_ID)"] : []),
  ];
  if (shared.length === 0) return ok(name, 'every user creates restaurants, and nothing is shared');
  return warning(name, 'every user creates restaurants (ONBOARDING=self), and could claim what is shared', {
    details: shared,
    hint: 'ONBOARDING=admin, where not everybody who can sign in is trusted with every restaurant',
  });
}

/** Checks that password checks are limited in production (S12). */
export function throttleCheck({ environment, loginAttemptsPerMinute: limit }: Config): Check {
  const name = 'password checks';
  if (limit > 0) return ok(name, `at most ${limit} a minute for each account and address`);
  if (environment !== 'production') return ok(name, 'not limited, which is for development only');
  return warning(name, 'not limited: anybody may guess passwords', { hint: 'LOGIN_ATTEMPTS_PER_MINUTE=10' });
}

async function exists(database: Connection | 'new', sql: string): Promise<boolean> {
  return database !== 'new' && (await database.query(`${sql} LIMIT 1`)).length > 0;
}
