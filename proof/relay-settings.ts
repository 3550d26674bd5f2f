import { randomBytes } from 'node:crypto';
import type { Account } from './relay-api.js';

/** What a relay of a run is started with; its secrets are new in each run. */
export interface RelaySettings {
  /** the platform administrator */
  readonly admin: Account;
  /** TERMINAL_BEARER_TOKEN */
  readonly terminalToken: string;
  /** without database, port and what a run tries */
  readonly environment: Readonly<Record<string, string>>;
}

const secret = () => randomBytes(24).toString('hex');

/** @param pos its address and the credentials of the deployment */
export function newRelaySettings(pos: {
  readonly url: string;
  readonly partner: string;
  readonly secret: string;
}): RelaySettings {
  const admin = { email: 'admin@proof.example', password: `admin-${secret()}` };
  const terminalToken = `terminal-${secret()}`;
  const environment = {
    NODE_ENV: 'production',
    HOST: '127.0.0.1',
    PORT: '0',
    JWT_SECRET: secret(),
    SECRETS_KEY: randomBytes(32).toString('base64'),
    ADMIN_EMAIL: admin.email,
    ADMIN_PASSWORD: admin.password,
    TERMINAL_BEARER_TOKEN: terminalToken,
    // the least that the relay allows: a password check takes its time by design
    BCRYPT_COST: '10',
    POS_BASE_URL: pos.url,
    POS_PARTNER_ID: pos.partner,
    POS_SECRET: pos.secret,
    OUTBOX_PACE: 'eager',
  };
  return { admin, terminalToken, environment };
}
