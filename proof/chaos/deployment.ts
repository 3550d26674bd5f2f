import { join } from 'node:path';
import type { Random } from '../random.js';
import { call, signIn } from '../relay-api.js';
import { newRelaySettings, type RelaySettings } from '../relay-settings.js';
import type { Door } from './client.js';
import type { EventLog } from './event-log.js';
import { Instance } from './instance.js';
import type { Callers } from './load.js';
import type { PosMode } from './options.js';
import { type ChaosPos, PARTNER } from './pos.js';
import type { Credentials, Restaurant } from './sale.js';

/** The deployment's own settings, in ms: short, so that much happens in minutes, and legal by the relay's own rules. */
export const LEASE_MS = 6_000;
export const POS_TIMEOUT_MS = 1_500;
export const REAPER_MS = 1_000;
export const TICK_MS = 1_000;
export const DATABASE_TIMEOUT_MS = 1_500;
/** A POS that is asked for an order and answers 404 twice, this far apart, does not have it. */
const LOOKUP_SETTLE_MS = 1_000;

const CLOCKS_OFF_BY_MS = 600_000;
/** The clocks of the first two instances are as far apart as clocks are. */
const ENDS = [CLOCKS_OFF_BY_MS, -CLOCKS_OFF_BY_MS];
/** `cod_store` of the restaurants; in the mode `mixed` the second half of them refuse duplicates. */
export const STORES = ['POS-1', 'POS-2', 'POS-3', 'POS-4', 'POS-5', 'POS-6'];

/** The tenant whose rows the database refuses. */
export const REFUSED_STORE = 'STORE-REFUSED';

/** Whether the POS of this store refuses an order that it has already. */
export function refusesDuplicates(mode: PosMode, store: string): boolean {
  return mode === 'refusing' || (mode === 'mixed' && STORES.indexOf(store) >= STORES.length / 2);
}

/** Where an instance listens, and how it reaches the database. */
export interface Seat {
  readonly host: string;
  readonly port: number;
  readonly databaseUrl: string;
}

export interface DeploymentSetup {
  /** of each instance */
  readonly seats: readonly Seat[];
  /** beside the settings that all runs have */
  readonly environment?: Readonly<Record<string, string>>;
  readonly mode: PosMode;
  readonly pos: ChaosPos;
  /** for the instances' logs */
  readonly folder: string;
  readonly events: EventLog;
  readonly random: Random;
}

/** The instances, which serve, with an OWNER and his restaurants. */
export interface Deployment {
  readonly instances: readonly Instance[];
  readonly settings: RelaySettings;
}

/** Prepares the instances; none is started. Their clocks are off by up to ten minutes. */
export function prepare(setup: DeploymentSetup): Deployment {
  const { random, folder, events } = setup;
  const settings = newRelaySettings({ url: setup.pos.url, partner: PARTNER.id, secret: PARTNER.secret });
  const shared = { ...settings.environment, ...environmentOf(setup.mode), ...setup.environment };
  const instances: Instance[] = [];
  for (const [number, { host, port, databaseUrl }] of setup.seats.entries()) {
    const clockMs = ENDS[number] ?? random.between(-CLOCKS_OFF_BY_MS, CLOCKS_OFF_BY_MS);
    const environment = { ...shared, HOST: host, DATABASE_URL: databaseUrl };
    const logFile = join(folder, `instance-${number}.log`);
    instances.push(new Instance(number, { host, port }, clockMs, environment, logFile, events));
    events.say(`instance ${number}: its clock is off by ${Math.round(clockMs / 1_000)} s`);
  }
  return { instances, settings };
}

/** Signs in and creates the restaurants. @param doors where terminals and staff call; the instances themselves unless given @param pulling stores whose POS pulls */
export async function createRestaurants(
  { instances, settings }: Deployment,
  doors: readonly Door[] = instances,
  pulling: ReadonlySet<string> = new Set(),
): Promise<Callers> {
  const [{ url }] = instances as [Instance];
  const jwt = await signIn(url, settings.admin);
  const restaurants: Restaurant[] = [];
  for (const codeStorePos of STORES) {
    const storeCode = codeStorePos.replace('POS', 'STORE');
    const body = { name: storeCode, codeStoreTerminal: storeCode, codeStorePos };
    const { data } = await call('POST', `${url}/restaurants`, jwt, body);
    const tills = pulling.has(codeStorePos) ? await letPull(`${url}/restaurants/${data.id}`, jwt) : [];
    restaurants.push({ id: data.id, storeCode, codeStorePos, tills });
  }
  await call('POST', `${url}/restaurants`, jwt, { name: REFUSED_STORE, codeStoreTerminal: REFUSED_STORE });
  return { doors, restaurants, jwt, terminalToken: settings.terminalToken };
}

/** The POS of the restaurant pulls, with two tills. @param url of the restaurant @returns their credentials */
async function letPull(url: string, jwt: string): Promise<Credentials[]> {
  await call('PATCH', url, jwt, { posVendor: 'open-delivery', currency: 'BRL' });
  const made = ['Till 1', 'Till 2'].map((name) => call('POST', `${url}/pos-credentials`, jwt, { name }));
  return (await Promise.all(made)).map(({ data }) => data);
}

/** Stores whose POS pulls: this share of them, from 0 to 1. */
export function pullingStores(share: number): ReadonlySet<string> {
  return new Set(STORES.filter((_, i) => Math.floor((i + 1) * share) > Math.floor(i * share)));
}

/** What the relays of every run are started with, beside their secrets. */
export function environmentOf(mode: PosMode): Record<string, string> {
  const asking = {
    POS_ORDER_LOOKUP_PATH: '/order/{order_id}',
    POS_AFTER_UNKNOWN: 'ask',
    POS_LOOKUP_SETTLE_MS: String(LOOKUP_SETTLE_MS),
  };
  return {
    DATABASE_POOL_SIZE: '6',
    DATABASE_TIMEOUT_MS: String(DATABASE_TIMEOUT_MS),
    POS_TIMEOUT_MS: String(POS_TIMEOUT_MS),
    // 409: a cancel whose answer was lost is repeated, and the POS says that it has carried it out already
    POS_DUPLICATE_ERROR_CODES: '904,409',
    OUTBOX_TICK_MS: String(TICK_MS),
    OUTBOX_BATCH_SIZE: '10',
    // few, so that orders are parked and an operator has something to do
    OUTBOX_MAX_ATTEMPTS: '4',
    REAPER_INTERVAL_MS: String(REAPER_MS),
    PROCESSING_TTL_MS: String(LEASE_MS),
    PULL_LEASE_MS: String(LEASE_MS),
    ...(mode === 'asked' && asking),
  };
}
