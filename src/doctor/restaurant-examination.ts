import type { Config } from '../config/config.js';
import { isDatabaseAway } from '../database/errors.js';
import type { Answer } from '../domain/outcome.js';
import { errorLine } from '../domain/text.js';
import { hasDefaultTimezone } from '../domain/warnings.js';
import type { PosClient } from '../pos/client.js';
import type { PosHttp } from '../pos/http-transport.js';
import { NO_TOKEN } from '../pos/sign-in.js';
import { ANOTHER_SIGNS_IN, type PosTokens } from '../pos/tokens.js';
import { posSecretContext } from '../secrets/contexts.js';
import type { SecretBox } from '../secrets/secret-box.js';
import { secretsOf, struckSecrets } from './configuration.js';
import type { Queries } from './connection.js';
import { CHECK_NAMES, type CheckName, type Finding, finding } from './findings.js';
import { lateJobs, parkedCauses, stuckJobs } from './jobs.checks.js';
import { askable, lookUpTwice } from './lookup.check.js';
import { reach } from './pos.checks.js';
import {
  type Restaurant,
  readRestaurants,
  sharesSecretsWithTests,
  sharingPosCode,
  targetOf,
} from './restaurants.checks.js';

/** After POS_TIMEOUT_MS, so long for the calls to end by themselves, as they say more than that there was no time; ms. */
const GRACE_MS = 2_000;

/** What a running relay lends the doctor to look at one restaurant. */
export interface RelayParts {
  readonly config: Config;
  readonly box: SecretBox;
  readonly database: Queries;
  readonly http: PosHttp;
  readonly client: PosClient;
  readonly tokens: Pick<PosTokens, 'check'>;
}

/** A check that is under way. */
type Running = readonly [name: CheckName, found: Promise<Finding | Finding[]>];

/**
 * The doctor's checks of one restaurant (R8). It signs in at the POS as an order would, so that no token that is in use ends, and
 * changes nothing else. What has not ended soon after POS_TIMEOUT_MS is told as such; no finding holds a secret.
 * @returns none when there is no such restaurant
 * @throws the database's error when it does not answer at the beginning
 */
export async function examineRestaurant(id: string, relay: RelayParts): Promise<Finding[]> {
  const { config, box, database } = relay;
  const restaurants = await readRestaurants(database, id);
  // the calls begin now
  const endsAt = performance.now() + config.pos.timeoutMs;
  const restaurant = restaurants.find((one) => one.id === id);
  if (!restaurant) return [];
  const running: Running[] = [
    ...posChecks(restaurant, relay, endsAt),
    ...testPosChecks(restaurant, relay),
    ['webhook', lastWebhook(id, database)],
    ['late', late(id, database, config.outbox.lateAlarmMs)],
    ['stuck', stuck(id, database, config.outbox.processingTtlMs)],
    ['parked', parked(id, database)],
  ];
  const known = [
    terminalCode(restaurant),
    posCode(restaurant, sharingPosCode(restaurants, config, box).includes(restaurant)),
    credentials(restaurant, relay),
    sender(restaurant, config),
    timezone(restaurant),
  ];
  const ended = await Promise.all(running.map((check) => endOf(check, endsAt + GRACE_MS)));
  const secret = restaurant.posSecret && box.open(restaurant.posSecret, posSecretContext(id));
  const secrets = struckSecrets([...secretsOf(config), secret]);
  return [...known, ...ended.flat()]
    .toSorted((a, b) => CHECK_NAMES.indexOf(a.name) - CHECK_NAMES.indexOf(b.name))
    .map((found) => withoutSecrets(found, secrets));
}

async function endOf([name, found]: Running, endsAt: number): Promise<Finding | Finding[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Finding>((resolve) => {
    timer = setTimeout(() => resolve(finding(name, 'warning', 'TIMED_OUT')), endsAt - performance.now());
  });
  // the POS never throws
  const known = found.catch((error: unknown) => {
    if (isDatabaseAway(error)) return finding(name, 'warning', 'NOT_CHECKED');
    throw error;
  });
  return Promise.race([known, late]).finally(() => clearTimeout(timer));
}

function terminalCode({ codeStoreTerminal: code }: Restaurant): Finding {
  if (code) return finding('terminalCode', 'good', 'TERMINAL_CODE_SET', { code });
  return finding('terminalCode', 'warning', 'TERMINAL_CODE_MISSING');
}

function posCode({ codeStorePos: code }: Restaurant, isShared: boolean): Finding {
  if (!code) return finding('posCode', 'bad', 'POS_CODE_MISSING');
  if (isShared) return finding('posCode', 'warning', 'POS_CODE_SHARED', { code });
  return finding('posCode', 'good', 'POS_CODE_SET', { code });
}

function credentials(restaurant: Restaurant, { config, box }: RelayParts): Finding {
  const name = 'credentials';
  const { posIdPartner, posSecret } = restaurant;
  const isWhole = Boolean(posIdPartner && posSecret);
  if ('missing' in targetOf(restaurant, config, box))
    return finding(name, 'bad', isWhole ? 'SECRET_UNREADABLE' : 'CREDENTIALS_MISSING');
  if (isWhole) return finding(name, 'good', 'CREDENTIALS_OWN');
  if (!posIdPartner && !posSecret) return finding(name, 'good', 'CREDENTIALS_SHARED');
  const missing = posIdPartner ? 'posSecret' : 'posIdPartner';
  return finding(name, 'warning', 'CREDENTIALS_INCOMPLETE', { missing });
}

function sender({ hasOwner }: Restaurant, { terminalBearerToken }: Config): Finding {
  if (!hasOwner) return finding('owner', 'bad', 'OWNER_MISSING');
  return finding('owner', 'good', terminalBearerToken ? 'SENDER_PLATFORM' : 'SENDER_OWNER');
}

function timezone(restaurant: Restaurant): Finding {
  if (hasDefaultTimezone(restaurant)) return finding('timezone', 'warning', 'TIMEZONE_DEFAULT');
  return finding('timezone', 'good', 'TIMEZONE_SET', { timezone: restaurant.timezone });
}

/** Where test orders go to another deployment: whose credentials they take there, and a sign-in with them (S20). */
function testPosChecks(restaurant: Restaurant, { config, box, tokens }: RelayParts): Running[] {
  const target = targetOf(restaurant, config, box, true);
  if (config.pos.testBaseUrl === config.pos.baseUrl || 'missing' in target) return [];
  const credentials = sharesSecretsWithTests(config)
    ? finding('testCredentials', 'warning', 'TEST_CREDENTIALS_SHARED')
    : finding('testCredentials', 'good', 'TEST_CREDENTIALS_SET');
  const signIn = tokens.check(target).then((result): Finding => {
    const found = signedIn(result);
    // when it is refused no real sale waits
    return { ...found, name: 'testSignIn', verdict: found.verdict === 'good' ? 'good' : 'warning' };
  });
  return [
    ['testCredentials', Promise.resolve(credentials)],
    ['testSignIn', signIn],
  ];
}

/** Reaches the POS, signs in, and then asks for orders where it can be asked. */
function posChecks(restaurant: Restaurant, relay: RelayParts, endsAt: number): Running[] {
  const { config, box } = relay;
  const reached: Running = ['pos', posReached(relay)];
  const target = targetOf(restaurant, config, box);
  if ('missing' in target)
    return [reached, ['signIn', Promise.resolve(finding('signIn', 'warning', 'SIGN_IN_NOT_TRIED'))]];
  const signIn = relay.tokens.check(target).then(signedIn);
  const checks: Running[] = [reached, ['signIn', signIn]];
  if (config.pos.wire.lookupPath)
    checks.push(['lookup', signIn.then((found) => lookup(restaurant, relay, found.verdict === 'good', endsAt))]);
  return checks;
}

async function posReached({ http, config: { pos } }: RelayParts): Promise<Finding> {
  const { answer, ms } = await reach(http, pos.baseUrl, pos.timeoutMs);
  if (answer.kind === 'unanswered') return finding('pos', 'bad', 'POS_SILENT', { reason: answer.code });
  if (answer.status >= 500) return finding('pos', 'warning', 'POS_FAILS', { status: answer.status });
  return finding('pos', 'good', 'POS_ANSWERS', { ms: Math.round(ms) });
}

/** Of the POS's answer only its numbers: its text may echo the credentials. */
function signedIn(result: Awaited<ReturnType<PosTokens['check']>>): Finding {
  if (result === 'in use') return finding('signIn', 'good', 'SIGN_IN_IN_USE');
  if (result === 'granted') return finding('signIn', 'good', 'SIGN_IN_GRANTED');
  const answer: Answer = result.refused;
  if (answer.kind === 'answered') {
    const { status, errorCode } = answer;
    return finding('signIn', 'bad', 'SIGN_IN_REFUSED', { status, errorCode });
  }
  if (answer.message === ANOTHER_SIGNS_IN) return finding('signIn', 'warning', 'TIMED_OUT');
  if (answer.code === NO_TOKEN) return finding('signIn', 'bad', 'SIGN_IN_WITHOUT_TOKEN');
  return finding('signIn', 'bad', 'SIGN_IN_UNANSWERED', { reason: answer.code });
}

async function lookup(
  restaurant: Restaurant,
  { client, config, box, database }: RelayParts,
  isSignedIn: boolean,
  endsAt: number,
): Promise<Finding> {
  const asked = askable(restaurant, config, box);
  if (!asked || !isSignedIn) return finding('lookup', 'warning', 'LOOKUP_NOT_TRIED');
  const found = await lookUpTwice(client, asked, database, () => performance.now() < endsAt);
  if (found.wrong === null) return finding('lookup', 'good', 'LOOKUP_WORKS', { known: found.known });
  const verdict = config.pos.afterUnknown === 'ask' ? 'bad' : 'warning';
  return finding('lookup', verdict, 'LOOKUP_WRONG', { wrong: found.wrong, answer: found.answer });
}

async function lastWebhook(restaurantId: string, database: Queries): Promise<Finding> {
  const [last] = await database.query<{ at: string; test: boolean }>(
    `SELECT to_char(received_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS at, test_mode AS test
     FROM terminal_events WHERE restaurant_id = $1::uuid AND received_at IS NOT NULL ORDER BY received_at DESC LIMIT 1`,
    [restaurantId],
  );
  if (!last) return finding('webhook', 'warning', 'WEBHOOK_NONE');
  return finding('webhook', 'good', 'WEBHOOK_RECEIVED', { receivedAt: last.at, test: last.test });
}

async function late(restaurantId: string, database: Queries, limitMs: number): Promise<Finding> {
  const [group] = await lateJobs(database, limitMs, restaurantId);
  if (!group) return finding('late', 'good', 'LATE_NONE');
  return finding('late', 'bad', 'LATE', { jobs: group.jobs, ms: Math.round(group.ms) });
}

async function stuck(restaurantId: string, database: Queries, leaseMs: number): Promise<Finding> {
  const groups = await stuckJobs(database, leaseMs, restaurantId);
  if (groups.length === 0) return finding('stuck', 'good', 'STUCK_NONE');
  const jobs = groups.reduce((total, group) => total + group.jobs, 0);
  return finding('stuck', 'bad', 'STUCK', { jobs, ms: Math.round(Math.max(...groups.map(({ ms }) => ms))) });
}

async function parked(restaurantId: string, database: Queries): Promise<Finding> {
  const [first] = await parkedCauses(database, restaurantId);
  if (!first) return finding('parked', 'good', 'PARKED_NONE');
  const { total: jobs, jobs: ofCause, cause, causes } = first;
  return finding('parked', 'warning', 'PARKED', { jobs, ofCause, cause, otherCauses: causes - 1 });
}

function withoutSecrets(found: Finding, secrets: readonly string[]): Finding {
  const params = Object.entries(found.params).map(([name, value]) => [
    name,
    typeof value === 'string' ? errorLine(value, secrets) : value,
  ]);
  return { ...found, params: Object.fromEntries(params) };
}
