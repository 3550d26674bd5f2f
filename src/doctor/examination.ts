import 'reflect-metadata';
import { wantsColour } from '../command.js';
import type { Config } from '../config.js';
import type { Environment } from '../environment.js';
import { PosHttp } from '../pos/http.js';
import { posSecretContext } from '../pos/target.js';
import { SecretBox } from '../secret-box.js';
import { bad, type Check, reasonOf, warning } from './check.js';
import { readConfiguration, secretsOf } from './configuration.js';
import { type Connection, connect } from './connection.js';
import { clockCheck, diskCheck, migrationsCheck, versionCheck } from './database.checks.js';
import { lateCheck, parkedCheck, stuckCheck } from './jobs.checks.js';
import type { Options } from './options.js';
import { posAddresses, reach, signInsCheck } from './pos.checks.js';
import { Report } from './report.js';
import { type Restaurant, readRestaurants, restaurantChecks } from './restaurants.checks.js';

export interface Surroundings {
  readonly env: Environment;
  /** takes a text of one or more lines, without the last line's end */
  readonly print: (text: string) => void;
  readonly isTerminal: boolean;
}

/**
 * Would this deployment lose or delay orders? Prints what it finds.
 * @returns the exit code: 1 when it would
 */
export async function examine({ json }: Options, { env, print, isTerminal }: Surroundings): Promise<number> {
  const report = new Report({ json, colour: wantsColour(env, isTerminal) }, print);
  const { check, config } = readConfiguration(env);
  report.add(check);
  if (config) {
    report.hide(secretsOf(config));
    await examineDeployment(config, report);
  }
  return report.end();
}

/** From the database to the POS, and then what waits between them. */
async function examineDeployment(config: Config, report: Report): Promise<void> {
  const http = new PosHttp();
  const database = await openDatabase(config, report);
  try {
    if (database) await examineDatabase(database, report);
    if (database && !config.databaseUrl) await run(report, 'disk', () => diskCheck(config.dataDir));
    const away = await examinePos(config, http, report);
    const box = new SecretBox(config);
    const restaurants = database ? await examineRestaurants(database, config, box, report) : [];
    await run(report, 'POS sign-in', () => signInsCheck(restaurants, { http, config, box, database, away }));
    if (!database) return;
    await run(report, 'late jobs', () => lateCheck(database, config.outbox));
    await run(report, 'stuck jobs', () => stuckCheck(database, config.outbox));
    await run(report, 'parked jobs', () => parkedCheck(database));
  } finally {
    await database?.close();
    http.close();
  }
}

async function openDatabase(config: Config, report: Report): Promise<Connection | undefined> {
  const name = 'database';
  try {
    const database = await connect(config);
    if (!database)
      report.add(
        warning(name, `none yet in ${config.dataDir}: a new installation`, {
          hint: "the relay's first start makes it; if there should be one, check DATA_DIR and DATABASE_URL",
        }),
      );
    return database;
  } catch (error) {
    report.add(
      bad(name, `cannot be opened: ${reasonOf(error)}`, {
        hint: 'restaurants and jobs are not checked; every webhook is refused while the database is away',
      }),
    );
    return undefined;
  }
}

async function examineDatabase(database: Connection, report: Report): Promise<void> {
  await run(report, 'database', () => versionCheck(database));
  await run(report, 'migrations', () => migrationsCheck(database));
  await run(report, 'clock', () => clockCheck(database));
}

/** @returns the addresses that do not answer */
async function examinePos(config: Config, http: PosHttp, report: Report): Promise<ReadonlySet<string>> {
  const reached = await Promise.all(posAddresses(config).map((address) => reach(http, address, config.pos.timeoutMs)));
  for (const { check } of reached) report.add(check);
  return new Set(reached.flatMap(({ url, answers }) => (answers ? [] : [url])));
}

async function examineRestaurants(
  database: Connection,
  config: Config,
  box: SecretBox,
  report: Report,
): Promise<readonly Restaurant[]> {
  try {
    const restaurants = await readRestaurants(database);
    for (const { id, posSecret } of restaurants)
      if (posSecret) report.hide([box.open(posSecret, posSecretContext(id))]);
    for (const check of restaurantChecks(restaurants, config, box)) report.add(check);
    return restaurants;
  } catch (error) {
    report.add(failed('restaurants', error));
    return [];
  }
}

/** A check that fails is a finding, not the end. */
async function run(report: Report, name: string, check: () => Promise<Check>): Promise<Check> {
  const found = await check().catch((error: unknown) => failed(name, error));
  report.add(found);
  return found;
}

/** undefined table or column */
const NOT_MIGRATED = new Set(['42P01', '42703']);

function failed(name: string, error: unknown): Check {
  if (NOT_MIGRATED.has((error as { code?: string }).code ?? ''))
    return warning(name, 'not checked: the database lacks migrations of this version');
  return bad(name, `cannot be checked: ${reasonOf(error)}`);
}
