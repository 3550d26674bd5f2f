import type { TestDatabase } from './database.js';

export const ADMIN = { email: 'boss@example.com', password: 'correct horse battery' };
/** The hash of that password, at bcrypt's least cost: what the tests prove is not its strength. */
export const ADMIN_HASH = '$2b$04$D2w3zK7WGCAJxafSftt4wOsMndTTWrSIUn7K6wtow/qk5qNVozlGa';
export const TERMINAL_TOKEN = 'terminal-token-of-the-tests';
export const PARTNER = { id: 'test-partner', secret: 'test-secret-of-the-partner' };

/** A POS that nobody listens at: for suites that never send. */
export const NO_POS = 'http://127.0.0.1:9';

/** What every relay of the tests runs with; `changes` are environment variables. */
export function testEnvironment(database: TestDatabase, changes: Record<string, string> = {}): Record<string, string> {
  return {
    DATABASE_URL: database.url,
    JWT_SECRET: 'a secret of the tests, long enough for HS256',
    SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
    ADMIN_EMAIL: ADMIN.email,
    ADMIN_PASSWORD: ADMIN.password,
    BCRYPT_COST: '10',
    TERMINAL_BEARER_TOKEN: TERMINAL_TOKEN,
    POS_BASE_URL: NO_POS,
    POS_PARTNER_ID: PARTNER.id,
    POS_SECRET: PARTNER.secret,
    POS_TIMEOUT_MS: '2000',
    WORKER_ENABLED: 'false',
    HOST: '127.0.0.1',
    PORT: '0',
    ...changes,
  };
}

/** A lease short enough to be waited for, and calls well below a third of it. */
export const SHORT_LEASE = { PROCESSING_TTL_MS: '2400', POS_TIMEOUT_MS: '700', REAPER_INTERVAL_MS: '100' };
