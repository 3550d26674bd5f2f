import { hasDefaultTimezone } from '../../domain/warnings.js';
import type { Config } from '../../platform/config/config.js';
import { isDatabaseAway } from '../../platform/database/errors.js';
import { errorLine } from '../../platform/redaction/error-line.js';
import { posSecretContext } from '../../platform/secrets/contexts.js';
import type { SecretBox } from '../../platform/secrets/secret-box.js';
import { withLimit } from '../../platform/time-limit.js';
import type { PosClient } from '../../pos/client.js';
import type { PosHttp } from '../../pos/http-transport.js';
import { vendorOf } from '../../pos/vendors.js';
import { secretsOf, struckSecrets } from './configuration.js';
import type { Queries } from './connection.js';
import { type Facts, readFacts } from './facts.js';
import { CHECK_NAMES, type CheckName, type Finding, finding } from './findings.js';
import { askable, lookupFinding } from './lookup.js';
import { openDeliveryFindings } from './open-delivery.js';
import { reach, reachFinding, type SignInCheck, signInFinding } from './pos.checks.js';
import { type Restaurant, readRestaurants, sharesSecretsWithTests, sharingPosCode, targetOf } from './restaurants.js';

/** Calls have this time after POS_TIMEOUT_MS to fail by themselves: their finding is more precise than TIMED_OUT; ms. */
const GRACE_MS = 2_000;

/** The services that an examination uses. They belong to a relay or to the command. */
export interface Instruments {
  readonly config: Config;
  readonly box: SecretBox;
  readonly database: Queries;
  readonly tokens: { readonly check: SignInCheck };
  /** absent: the caller checks whether the POS answers */
  readonly http?: PosHttp;
  /** absent: no order is looked up */
  readonly client?: PosClient | undefined;
}

/** A running check. */
type Running = readonly [name: CheckName, found: Promise<Finding>];

/**
 * Examines one restaurant inside a relay (R8).
 * @returns an empty list when there is no such restaurant
 * @throws the database's error when the database does not answer at the beginning
 */
export async function examineRestaurantById(id: string, instruments: Instruments): Promise<Finding[]> {
  const { config, box, database } = instruments;
  const restaurants = await readRestaurants(database, id);
  const restaurant = restaurants.find((one) => one.id === id);
  if (!restaurant) return [];
  const facts = readFacts(database, config.outbox, id);
  return examineRestaurant(restaurant, { facts, sharing: sharingPosCode(restaurants, config, box) }, instruments);
}

/**
 * Runs the doctor's checks of one restaurant (R8, R13). The findings are in the order of {@link CHECK_NAMES}, and no finding contains a
 * secret. A check that has not ended POS_TIMEOUT_MS plus 2 s after the beginning is reported as TIMED_OUT. The checks change nothing,
 * except that `instruments.tokens` may keep a token.
 * @param known `facts` has at least the facts of this restaurant; without `facts` the sales and jobs are not checked. `sharing` is the
 *   result of {@link sharingPosCode}
 */
export async function examineRestaurant(
  restaurant: Restaurant,
  { facts, sharing }: { readonly facts?: Promise<Facts> | undefined; readonly sharing: ReadonlySet<Restaurant> },
  instruments: Instruments,
): Promise<Finding[]> {
  const { config, box } = instruments;
  const endsAt = performance.now() + config.pos.timeoutMs;
  const running: Running[] = [
    ...(restaurant.openDelivery
      ? []
      : [...posChecks(restaurant, instruments, endsAt), ...testPosChecks(restaurant, instruments)]),
    ...(facts ? factChecks(restaurant, facts) : []),
  ];
  const known = [
    terminalCode(restaurant),
    ...(restaurant.openDelivery
      ? openDeliveryFindings(restaurant, instruments)
      : [posCode(restaurant, sharing.has(restaurant)), credentials(restaurant, instruments)]),
    sender(restaurant, config),
    timezone(restaurant),
  ];
  const ended = await Promise.all(running.map((check) => endOf(check, endsAt + GRACE_MS)));
  const secret = restaurant.posSecret && box.open(restaurant.posSecret, posSecretContext(restaurant.id));
  const secrets = struckSecrets([...secretsOf(config), secret]);
  return [...known, ...ended]
    .toSorted((a, b) => CHECK_NAMES.indexOf(a.name) - CHECK_NAMES.indexOf(b.name))
    .map((found) => withoutSecrets(found, secrets));
}

async function endOf([name, found]: Running, endsAt: number): Promise<Finding> {
  // calls to the POS never throw: only the database does
  const known = found.catch((error: unknown) => {
    if (isDatabaseAway(error)) return finding(name, 'warning', 'NOT_CHECKED');
    throw error;
  });
  return withLimit(endsAt - performance.now(), known, () => finding(name, 'warning', 'TIMED_OUT'));
}

function terminalCode({ codeStoreTerminal: code }: Restaurant): Finding {
  if (code) return finding('terminalCode', 'ok', 'TERMINAL_CODE_SET', { code });
  return finding('terminalCode', 'warning', 'TERMINAL_CODE_MISSING');
}

function posCode({ codeStorePos: code }: Restaurant, isShared: boolean): Finding {
  if (!code) return finding('posCode', 'bad', 'POS_CODE_MISSING');
  if (isShared) return finding('posCode', 'warning', 'POS_CODE_SHARED', { code });
  return finding('posCode', 'ok', 'POS_CODE_SET', { code });
}

function credentials(restaurant: Restaurant, { config, box }: Instruments): Finding {
  const name = 'credentials';
  const { posIdPartner, posSecret } = restaurant;
  const isWhole = Boolean(posIdPartner && posSecret);
  if ('missing' in targetOf(restaurant, config, box))
    return finding(name, 'bad', isWhole ? 'SECRET_UNREADABLE' : 'CREDENTIALS_MISSING');
  if (isWhole) return finding(name, 'ok', 'CREDENTIALS_OWN');
  if (!posIdPartner && !posSecret) return finding(name, 'ok', 'CREDENTIALS_SHARED');
  const missing = posIdPartner ? 'posSecret' : 'posIdPartner';
  return finding(name, 'warning', 'CREDENTIALS_INCOMPLETE', { missing });
}

function sender({ hasOwner }: Restaurant, { terminalBearerToken }: Config): Finding {
  if (!hasOwner) return finding('owner', 'bad', 'OWNER_MISSING');
  return finding('owner', 'ok', terminalBearerToken ? 'SENDER_PLATFORM' : 'SENDER_OWNER');
}

function timezone(restaurant: Restaurant): Finding {
  if (hasDefaultTimezone(restaurant)) return finding('timezone', 'warning', 'TIMEZONE_DEFAULT');
  return finding('timezone', 'ok', 'TIMEZONE_SET', { timezone: restaurant.timezone });
}

/** If the test POS has another address: checks which credentials it gets, and signs in with them (S20). */
function testPosChecks(restaurant: Restaurant, { config, box, tokens }: Instruments): Running[] {
  const target = targetOf(restaurant, config, box, true);
  if (config.pos.testBaseUrl === config.pos.baseUrl || 'missing' in target) return [];
  const credentials = sharesSecretsWithTests(config)
    ? finding('testCredentials', 'warning', 'TEST_CREDENTIALS_SHARED')
    : finding('testCredentials', 'ok', 'TEST_CREDENTIALS_SET');
  return [
    ['testCredentials', Promise.resolve(credentials)],
    // a warning only: a refusal delays no real sale
    ['testSignIn', signInFinding('testSignIn', 'warning', tokens.check(target))],
  ];
}

/** Reaches the POS, signs in, and then looks up orders if the POS has look-ups. */
function posChecks(
  restaurant: Restaurant,
  { config, box, database, http, client, tokens }: Instruments,
  endsAt: number,
): Running[] {
  const { baseUrl, timeoutMs } = config.pos;
  const reached: Running[] = http ? [['pos', reach(http, baseUrl, timeoutMs).then(reachFinding)]] : [];
  const target = targetOf(restaurant, config, box);
  const signIn: Promise<Finding> =
    'missing' in target
      ? Promise.resolve(finding('signIn', 'warning', 'SIGN_IN_NOT_TRIED'))
      : signInFinding('signIn', 'bad', tokens.check(target));
  const checks: Running[] = [...reached, ['signIn', signIn]];
  if (client && vendorOf(config.pos).lookup) {
    const asked = askable(restaurant, config, box);
    const lookup = signIn.then((found) =>
      asked && found.level === 'ok'
        ? lookupFinding(client, asked, database, config.pos, () => performance.now() < endsAt)
        : finding('lookup', 'warning', 'LOOKUP_NOT_TRIED'),
    );
    checks.push(['lookup', lookup]);
  }
  return checks;
}

/** For each fact: level and code when the fact is absent, then level and code when it is present. */
const FACTS = [
  ['webhook', 'warning', 'WEBHOOK_NONE', 'ok', 'WEBHOOK_RECEIVED'],
  ['late', 'ok', 'LATE_NONE', 'bad', 'LATE'],
  ['stuck', 'ok', 'STUCK_NONE', 'bad', 'STUCK'],
  ['parked', 'ok', 'PARKED_NONE', 'warning', 'PARKED'],
] as const;

function factChecks({ id }: Restaurant, facts: Promise<Facts>): Running[] {
  return FACTS.map(([name, levelOfNone, none, level, code]) => {
    const found = facts.then(({ [name]: known }): Finding => {
      const fact = known.get(id);
      return fact ? finding(name, level, code, { ...fact }) : finding(name, levelOfNone, none);
    });
    return [name, found];
  });
}

function withoutSecrets(found: Finding, secrets: readonly string[]): Finding {
  const params = Object.entries(found.params).map(([name, value]) => [
    name,
    typeof value === 'string' ? errorLine(value, secrets) : value,
  ]);
  return { ...found, params: Object.fromEntries(params) };
}
