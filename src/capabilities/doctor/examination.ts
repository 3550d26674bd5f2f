import 'reflect-metadata';
import pLimit from 'p-limit';
import type { Config } from '../../platform/config/config.js';
import type { Environment } from '../../platform/config/environment.js';
import { posSecretContext } from '../../platform/secrets/contexts.js';
import { SecretBox } from '../../platform/secrets/secret-box.js';
import { PosClient } from '../../pos/client.js';
import { PosHttp } from '../../pos/http-transport.js';
import { OrderTransport } from '../../pos/order-transport.js';
import { PosSignIn } from '../../pos/sign-in.js';
import { bad, type Check, count, errorText, ok, type Result, warning } from './check.js';
import { wantsColour } from './command-line.js';
import { readConfiguration, secretsOf } from './configuration.js';
import { type Connection, connect } from './connection.js';
import { DEPLOYMENT_CHECKS } from './deployment.checks.js';
import { type Facts, readFacts } from './facts.js';
import { groupsOf } from './groups.js';
import { askable } from './lookup.js';
import { configuredSignIns, reachChecks } from './pos.checks.js';
import { Report } from './report.js';
import { examineRestaurant, type Instruments } from './restaurant-examination.js';
import { readRestaurants, sharingPosCode } from './restaurants.js';
import { ThrowawayTokens } from './throwaway-tokens.js';

/** The most restaurants that are examined concurrently, and so the most concurrent sign-ins at a POS. */
const RESTAURANTS_AT_ONCE = 5;
/** After this time, in ms, no further sign-in begins. */
const SIGN_INS_LIMIT_MS = 60_000;

/** What the command uses of its process; tests pass their own. */
export interface CommandContext {
  readonly env: Environment;
  /** prints one or more lines; the text has no trailing newline */
  readonly print: (text: string) => void;
  readonly isTerminal: boolean;
  /** this machine's clock, epoch ms */
  readonly now: () => number;
}

/**
 * Checks whether the deployment would lose or delay orders, and prints the checks (R13). Changes nothing.
 * @returns the exit code: 1 when a check is `bad`, else 0
 */
export async function examine(
  { json }: { readonly json: boolean },
  { env, print, isTerminal, now }: CommandContext,
): Promise<number> {
  const report = new Report({ json, colour: wantsColour(env, isTerminal) }, print);
  const { check, config } = readConfiguration(env);
  report.add({ name: 'configuration', ...check });
  if (config) {
    report.hide(secretsOf(config));
    await examineDeployment(config, now, report);
  }
  return report.end();
}

/** Checks the database, who can sign in and send, the POS, and each restaurant with its sales and jobs. */
async function examineDeployment(config: Config, now: () => number, report: Report): Promise<void> {
  const http = new PosHttp();
  const opened = await openDatabase(config, report);
  const database = typeof opened === 'string' ? undefined : opened;
  const box = new SecretBox(config);
  try {
    for (const { needs, name, when, run } of DEPLOYMENT_CHECKS) {
      if (when && !when(config)) continue;
      if (needs === 'the configuration') await runCheck(report, name, () => run({ config }));
      else if (needs === 'no lost database' && opened !== 'away')
        await runCheck(report, name, () => run({ database: opened, config, box, now }));
      else if (needs === 'an open database' && database)
        await runCheck(report, name, () => run({ database, config, box, now }));
    }
    await examinePos(database, config, http, report);
  } finally {
    await database?.close();
    http.close();
  }
}

/** @returns the connection; `new` when there is no database yet; `away` when the database cannot be opened */
async function openDatabase(config: Config, report: Report): Promise<Connection | 'new' | 'away'> {
  const name = 'database';
  try {
    const database = await connect(config);
    if (!database)
      report.add({
        name,
        ...warning(`none yet in ${config.dataDir}: a new installation`, {
          hint: "the relay's first start creates it; if there should be one, check DATA_DIR and DATABASE_URL",
        }),
      });
    return database ?? 'new';
  } catch (error) {
    report.add({
      name,
      ...bad(`cannot be opened: ${errorText(error)}`, {
        hint: 'restaurants and jobs are not checked; every webhook is refused while the database is away',
      }),
    });
    return 'away';
  }
}

/** Reaches the POS, then signs in with the credentials of the configuration and of each restaurant. */
async function examinePos(
  database: Connection | undefined,
  config: Config,
  http: PosHttp,
  report: Report,
): Promise<void> {
  const { pos } = config;
  const { checks, unreachable } = await reachChecks(config, http);
  for (const check of checks) report.add(check);
  const box = new SecretBox(config);
  const posSignIn = new PosSignIn(http, pos.timeoutMs);
  const endsAt = performance.now() + SIGN_INS_LIMIT_MS;
  const tokens = new ThrowawayTokens(posSignIn, box, database, unreachable, endsAt);
  await runCheck(report, 'POS sign-in', () => configuredSignIns(config, tokens));
  if (database) await examineRestaurants({ database, config, box, tokens }, report);
}

/**
 * Runs for each restaurant the checks that the relay runs for its staff (R8). New tokens are not stored. Orders are looked up for one
 * restaurant only.
 */
async function examineRestaurants(
  instruments: Instruments & { readonly database: Connection; readonly tokens: ThrowawayTokens },
  report: Report,
): Promise<void> {
  const { database, config, box, tokens } = instruments;
  const { pos, outbox } = config;
  const transport = new OrderTransport({ connections: 1, timeoutMs: pos.timeoutMs });
  await runCheck(report, 'restaurants', async () => {
    const restaurants = await readRestaurants(database);
    if (restaurants.length === 0)
      return warning('none yet: every webhook is refused', { hint: 'create one: POST /restaurants' });
    for (const { id, posSecret } of restaurants)
      if (posSecret) report.hide([box.open(posSecret, posSecretContext(id))]);
    let facts: Facts | undefined;
    await runCheck(report, 'jobs', async () => {
      facts = await readFacts(database, outbox);
      return [];
    });
    const known = { facts: facts && Promise.resolve(facts), sharing: sharingPosCode(restaurants, config, box) };
    const client = new PosClient(transport, tokens);
    const asked = restaurants.find((one) => askable(one, config, box)) ?? restaurants[0];
    const limit = pLimit(RESTAURANTS_AT_ONCE);
    const examined = restaurants.map((one) =>
      limit(async () => ({
        label: one.label,
        findings: await examineRestaurant(one, known, one === asked ? { ...instruments, client } : instruments),
      })),
    );
    return [
      { name: 'restaurants', ...ok(count(restaurants.length, 'restaurant')) },
      ...groupsOf(await Promise.all(examined)),
    ];
  });
  await transport.close();
}

/** Runs a check, or several that have names; an exception becomes the result, so that the other checks still run. */
async function runCheck(
  report: Report,
  name: string,
  check: () => Result | Promise<Result | readonly Check[]>,
): Promise<void> {
  const found = await Promise.resolve(check()).catch(failedCheck);
  for (const one of [found].flat()) report.add({ name, ...one });
}

/** SQLSTATEs of an undefined table, column and function */
const NOT_MIGRATED = new Set(['42P01', '42703', '42883']);

function failedCheck(error: unknown): Result {
  if (NOT_MIGRATED.has((error as { code?: string }).code ?? ''))
    return warning('not checked: the database lacks migrations of this version');
  return bad(`cannot be checked: ${errorText(error)}`);
}
