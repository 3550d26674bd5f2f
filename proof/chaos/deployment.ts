import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { freePort } from '../postgres/cluster.js';
import type { Chronicle } from './chronicle.js';
import { request } from './client.js';
import { DATABASE, OWNER } from './database.js';
import { Instance } from './instance.js';
import type { Line } from './line.js';
import type { Callers } from './load.js';
import type { PosMode } from './options.js';
import { type ChaosPos, PARTNER } from './pos.js';
import type { Random } from './random.js';
import type { Restaurant } from './sale.js';

/** The deployment's own settings, in ms: short, so that much happens in minutes, and legal by the relay's own rules. */
export const LEASE_MS = 6_000;
export const POS_TIMEOUT_MS = 1_500;
export const REAPER_MS = 1_000;
export const TICK_MS = 1_000;
export const DATABASE_TIMEOUT_MS = 1_500;
/** A POS may be asked whether it has an order: 404 twice, so far apart, means that it has not. */
const LOOKUP_SETTLE_MS = 1_000;

const CLOCKS_OFF_BY_MS = 600_000;
/** The clocks of the first two instances are as far apart as clocks are. */
const ENDS = [CLOCKS_OFF_BY_MS, -CLOCKS_OFF_BY_MS];
const ADMIN_EMAIL = 'owner@chaos.example';
/** `cod_store` of the restaurants; in the mode `mixed` the second half of them refuse duplicates. */
export const STORES = ['POS-1', 'POS-2', 'POS-3', 'POS-4', 'POS-5', 'POS-6'];

/** The tenant whose rows the database refuses. */
export const REFUSED_STORE = 'STORE-REFUSED';

/** Whether the POS of this store refuses an order that it has already. */
export function refusesDuplicates(mode: PosMode, store: string): boolean {
  return mode === 'refusing' || (mode === 'mixed' && STORES.indexOf(store) >= STORES.length / 2);
}

export interface DeploymentSetup {
  readonly instances: number;
  readonly mode: PosMode;
  readonly pos: ChaosPos;
  readonly lines: readonly Line[];
  /** for the instances' logs */
  readonly folder: string;
  readonly chronicle: Chronicle;
  readonly random: Random;
}

/** The instances, which serve, with an OWNER and his restaurants. */
export interface Deployment {
  readonly instances: readonly Instance[];
  readonly secrets: Secrets;
}

interface Secrets {
  readonly adminPassword: string;
  readonly terminalToken: string;
}

/** Prepares the instances; none is started. Their clocks are off by up to ten minutes. */
export async function prepare(setup: DeploymentSetup): Promise<Deployment> {
  const { random, folder, chronicle } = setup;
  const secrets = {
    adminPassword: randomBytes(12).toString('hex'),
    terminalToken: `terminal-${randomBytes(12).toString('hex')}`,
  };
  const shared = environmentOf(setup, secrets);
  const instances: Instance[] = [];
  for (let number = 0; number < setup.instances; number++) {
    const clockMs = ENDS[number] ?? random.between(-CLOCKS_OFF_BY_MS, CLOCKS_OFF_BY_MS);
    const port = await (setup.lines[number] as Line).listen();
    const environment = { ...shared, DATABASE_URL: `postgresql://${OWNER}@127.0.0.1:${port}/${DATABASE}` };
    const logFile = join(folder, `instance-${number}.log`);
    instances.push(new Instance(number, await freePort(), clockMs, environment, logFile, chronicle));
    chronicle.say(`instance ${number}: its clock is off by ${Math.round(clockMs / 1_000)} s`);
  }
  return { instances, secrets };
}

/** Signs in and creates the restaurants. */
export async function furnish({ instances, secrets }: Deployment): Promise<Callers> {
  const [{ url }] = instances as [Instance];
  const login = { email: ADMIN_EMAIL, password: secrets.adminPassword };
  const { access_token: jwt } = await request<{ access_token: string }>(`${url}/auth/login`, undefined, login);
  const restaurants: Restaurant[] = [];
  for (const codeStorePos of STORES) {
    const storeCode = codeStorePos.replace('POS', 'STORE');
    const body = { name: storeCode, codeStoreTerminal: storeCode, codeStorePos };
    const { data } = await request<{ data: { id: string } }>(`${url}/restaurants`, jwt, body);
    restaurants.push({ id: data.id, storeCode, codeStorePos });
  }
  await request(`${url}/restaurants`, jwt, { name: REFUSED_STORE, codeStoreTerminal: REFUSED_STORE });
  return { instances, restaurants, jwt, terminalToken: secrets.terminalToken };
}

function environmentOf({ mode, pos }: DeploymentSetup, secrets: Secrets): Record<string, string> {
  const asking = {
    POS_ORDER_LOOKUP_PATH: '/order/{order_id}',
    POS_AFTER_UNKNOWN: 'ask',
    POS_LOOKUP_SETTLE_MS: String(LOOKUP_SETTLE_MS),
  };
  return {
    NODE_ENV: 'production',
    HOST: '127.0.0.1',
    JWT_SECRET: randomBytes(24).toString('hex'),
    SECRETS_KEY: randomBytes(32).toString('base64'),
    ADMIN_EMAIL,
    ADMIN_PASSWORD: secrets.adminPassword,
    TERMINAL_BEARER_TOKEN: secrets.terminalToken,
    BCRYPT_COST: '10',
    DATABASE_POOL_SIZE: '6',
    DATABASE_TIMEOUT_MS: String(DATABASE_TIMEOUT_MS),
    POS_BASE_URL: pos.url,
    POS_PARTNER_ID: PARTNER.id,
    POS_SECRET: PARTNER.secret,
    POS_TIMEOUT_MS: String(POS_TIMEOUT_MS),
    // 409: a cancel whose answer was lost is repeated, and the POS says that it has carried it out already
    POS_DUPLICATE_ERROR_CODES: '904,409',
    OUTBOX_PACE: 'eager',
    OUTBOX_TICK_MS: String(TICK_MS),
    OUTBOX_BATCH_SIZE: '10',
    // few, so that orders are parked and an operator has something to do
    OUTBOX_MAX_ATTEMPTS: '4',
    REAPER_INTERVAL_MS: String(REAPER_MS),
    PROCESSING_TTL_MS: String(LEASE_MS),
    ...(mode === 'asked' && asking),
  };
}
