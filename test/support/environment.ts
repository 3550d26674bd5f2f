import { marked, markedKey } from './secrets.js';

export const ADMIN = { email: 'boss@example.com', password: marked('one password of many') };
export const TERMINAL_TOKEN = marked('terminal-token-of-the-tests');
export const PARTNER = { id: 'test-partner', secret: marked('test-secret-of-the-partner') };
/** The POS credentials of one restaurant. */
export const OWN = { posIdPartner: 'own-partner', posSecret: marked('own-secret-4711') };

/** A POS that refuses connections. */
export const NO_POS = 'http://127.0.0.1:9';

const { TEST_CAPABILITIES } = process.env;

/** The settings of every relay of the tests, besides database and POS. TEST_CAPABILITIES: what they load; default: all. */
export const ENVIRONMENT: Readonly<Record<string, string>> = {
  JWT_SECRET: marked('a secret of the tests, long enough for HS256'),
  SECRETS_KEY: markedKey('secrets-key'),
  ADMIN_EMAIL: ADMIN.email,
  ADMIN_PASSWORD: ADMIN.password,
  BCRYPT_COST: '10',
  TERMINAL_BEARER_TOKEN: TERMINAL_TOKEN,
  POS_PARTNER_ID: PARTNER.id,
  POS_SECRET: PARTNER.secret,
  // database, POS and relay share one thread, which may be slow
  POS_TIMEOUT_MS: '5000',
  WORKER_ENABLED: 'false',
  HOST: '127.0.0.1',
  PORT: '0',
  ...(TEST_CAPABILITIES && { CAPABILITIES: TEST_CAPABILITIES }),
};

/** The schedule runs, and the worker claims due jobs at once. */
export const EAGER = { WORKER_ENABLED: 'true', OUTBOX_PACE: 'eager', OUTBOX_TICK_MS: '100' };
/** A lease that a test can wait for, and calls below a third of it. */
export const SHORT_LEASE = { PROCESSING_TTL_MS: '2400', POS_TIMEOUT_MS: '700', REAPER_INTERVAL_MS: '100' };
