import { marked, markedKey } from './secrets.js';

export const ADMIN = { email: 'boss@example.com', password: marked('one password of many') };
export const TERMINAL_TOKEN = marked('terminal-token-of-the-tests');
export const PARTNER = { id: 'test-partner', secret: marked('test-secret-of-the-partner') };
/** The credentials of a restaurant that has its own. */
export const OWN = { posIdPartner: 'own-partner', posSecret: marked('own-secret-4711') };

/** A POS that nobody listens at. */
export const NO_POS = 'http://127.0.0.1:9';

/** What every relay of the tests runs with, but for its database and its POS. */
export const ENVIRONMENT: Readonly<Record<string, string>> = {
  JWT_SECRET: marked('a secret of the tests, long enough for HS256'),
  SECRETS_KEY: markedKey('secrets-key'),
  ADMIN_EMAIL: ADMIN.email,
  ADMIN_PASSWORD: ADMIN.password,
  BCRYPT_COST: '10',
  TERMINAL_BEARER_TOKEN: TERMINAL_TOKEN,
  POS_PARTNER_ID: PARTNER.id,
  POS_SECRET: PARTNER.secret,
  // database, POS and relay share one thread: a burst takes its time on a busy machine
  POS_TIMEOUT_MS: '5000',
  WORKER_ENABLED: 'false',
  HOST: '127.0.0.1',
  PORT: '0',
};

/** The worker runs by itself, and takes what is due at once. */
export const EAGER = { WORKER_ENABLED: 'true', OUTBOX_PACE: 'eager', OUTBOX_TICK_MS: '100' };
/** A lease short enough to be waited for, and calls well below a third of it. */
export const SHORT_LEASE = { PROCESSING_TTL_MS: '2400', POS_TIMEOUT_MS: '700', REAPER_INTERVAL_MS: '100' };
