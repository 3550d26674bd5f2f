import 'reflect-metadata';
import type { Config } from '../config/config.js';
import type { Environment } from '../config/environment.js';
import { PosHttp } from '../pos/http-transport.js';
import { posSecretContext } from '../secrets/contexts.js';
import { SecretBox } from '../secrets/secret-box.js';
import { onboardingCheck, senderCheck, signInCheck, throttleCheck } from './access.checks.js';
import { bad, type Check, errorText, warning } from './check.js';
import { wantsColour } from './command-line.js';
import { readConfiguration, secretsOf } from './configuration.js';
import { type Connection, connect } from './connection.js';
import { clockCheck, diskCheck, migrationsCheck, upkeepCheck, versionCheck } from './database.checks.js';
import { lateCheck, parkedCheck, stuckCheck } from './jobs.checks.js';
import { lookupCheck } from './lookup.check.js';
import type { Options } from './options.js';
import { posAddresses, reachCheck, signInsCheck } from './pos.checks.js';
import { Report } from './report.js';
import { type Restaurant, readRestaurants, restaurantChecks, testCredentialsChecks } from './restaurants.checks.js';

/** What the command takes from its process; tests pass their own. */
export interface CommandContext {
  readonly env: Environment;
  /** prints one or more lines; the text has no trailing newline */
  readonly print: (text: string) => void;
  readonly isTerminal: boolean;
}

/**
 * Checks whether the deployment would lose or delay orders, and prints the checks (R13). Changes nothing.
 * @returns the exit code: 1 when a check is `bad`, else 0
 */
export async function examine({ json }: Options, { env, print, isTerminal }: CommandContext): Promise<number> {
  const report = new Report({ json, colour: wantsColour(env, isTerminal) }, print);
  const { check, config } = readConfiguration(env);
  report.add(check);
  if (config) {
    report.hide(secretsOf(config));
    await examineDeployment(config, report);
  }
  return report.end();
}

/** Checks the database, who can sign in and send, the POS, the restaurants, and the jobs. */
async function examineDeployment(config: Config, report: Report): Promise<void> {
  const http = new PosHttp();
  const opened = await openDatabase(config, report);
  const database = typeof opened === 'string' ? undefined : opened;
  try {
    if (database) await examineDatabase(database, report);
    if (database && config.databaseUrl) await runCheck(report, 'autovacuum', () => upkeepCheck(database));
    if (database && !config.databaseUrl) await runCheck(report, 'disk', () => diskCheck(config.dataDir));
    await examineAccess(opened, config, report);
    const unreachable = await examinePos(config, http, report);
    const box = new SecretBox(config);
    const restaurants = database ? await examineRestaurants(database, config, box, report) : [];
    for (const check of testCredentialsChecks(restaurants, config, box)) report.add(check);
    await runCheck(report, 'POS sign-in', () =>
      signInsCheck(restaurants, { http, config, box, database, unreachable }),
    );
    if (!database) return;
    if (config.pos.wire.lookupPath && !unreachable.has(config.pos.baseUrl))
      await runCheck(report, 'order lookup', () => lookupCheck(restaurants, { http, config, box, database }));
    await runCheck(report, 'late jobs', () => lateCheck(database, config.outbox));
    await runCheck(report, 'stuck jobs', () => stuckCheck(database, config.outbox));
    await runCheck(report, 'parked jobs', () => parkedCheck(database));
  } finally {
    await database?.close();
    http.close();
  }
}

/** @returns `new`: there is no database yet; `away`: there is one, and it cannot be opened */
async function openDatabase(config: Config, report: Report): Promise<Connection | 'new' | 'away'> {
  const name = 'database';
  try {
    const database = await connect(config);
    if (!database)
      report.add(
        warning(name, `none yet in ${config.dataDir}: a new installation`, {
          hint: "the relay's first start creates it; if there should be one, check DATA_DIR and DATABASE_URL",
        }),
      );
    return database ?? 'new';
  } catch (error) {
    report.add(
      bad(name, `cannot be opened: ${errorText(error)}`, {
        hint: 'restaurants and jobs are not checked; every webhook is refused while the database is away',
      }),
    );
    return 'away';
  }
}

async function examineAccess(database: Connection | 'new' | 'away', config: Config, report: Report): Promise<void> {
  if (database !== 'away') {
    await runCheck(report, 'sign-in', () => signInCheck(database, config));
    await runCheck(report, 'terminals', () => senderCheck(database, config));
  }
  report.add(onboardingCheck(config));
  report.add(throttleCheck(config));
}

async function examineDatabase(database: Connection, report: Report): Promise<void> {
  await runCheck(report, 'database', () => versionCheck(database));
  await runCheck(report, 'migrations', () => migrationsCheck(database));
  await runCheck(report, 'clock', () => clockCheck(database));
}

/** @returns the base URLs that do not answer */
async function examinePos(config: Config, http: PosHttp, report: Report): Promise<ReadonlySet<string>> {
  const reached = await Promise.all(
    posAddresses(config).map((address) => reachCheck(http, address, config.pos.timeoutMs)),
  );
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
    report.add(failedCheck('restaurants', error));
    return [];
  }
}

/** Runs a check; an exception becomes its result, so that the other checks still run. */
async function runCheck(report: Report, name: string, check: () => Promise<Check>): Promise<Check> {
  const found = await check().catch((error: unknown) => failedCheck(name, error));
  report.add(found);
  return found;
}

/** SQLSTATEs: undefined table, column, function */
const NOT_MIGRATED = new Set(['42P01', '42703', '42883']);

function failedCheck(name: string, error: unknown): Check {
  if (NOT_MIGRATED.has((error as { code?: string }).code ?? ''))
    return warning(name, 'not checked: the database lacks migrations of this version');
  return bad(name, `cannot be checked: ${errorText(error)}`);
}
