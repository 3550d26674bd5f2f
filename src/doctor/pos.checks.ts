import pLimit from 'p-limit';
import type { Config } from '../config/config.js';
import type { Answer } from '../domain/outcome.js';
import type { PosHttp } from '../pos/http-transport.js';
import { NO_TOKEN, PosSignIn } from '../pos/sign-in.js';
import type { PosTarget } from '../pos/target.js';
import { tokenId } from '../pos/tokens.js';
import { vendorOf } from '../pos/vendors.js';
import type { SecretBox } from '../secrets/secret-box.js';
import { bad, type Check, duration, good, warning } from './check.js';
import type { Queries } from './connection.js';
import { type Restaurant, sharesSecretsWithTests, targetOf } from './restaurants.checks.js';

const SIGN_INS_AT_ONCE = 5;
/** After this time, in ms, no further sign-in begins. */
const SIGN_INS_LIMIT_MS = 60_000;

interface Address {
  readonly name: string;
  readonly variable: string;
  readonly url: string;
  /** false for the test POS: when it is down, no sale waits */
  readonly forSales: boolean;
}

/** Lists the POS and, where its address differs, the test POS. */
export function posAddresses({ pos: { baseUrl, testBaseUrl } }: Config): Address[] {
  const pos = { name: 'POS', variable: 'POS_BASE_URL', url: baseUrl, forSales: true };
  const test = { name: 'test POS', variable: 'POS_TEST_BASE_URL', url: testBaseUrl, forSales: false };
  return testBaseUrl === baseUrl ? [pos] : [pos, test];
}

/** Whether a POS can be reached: DNS, TCP, TLS, and any HTTP answer to one POST. */
export async function reach(http: PosHttp, url: string, timeoutMs: number) {
  const startedAt = performance.now();
  const answer = await http.post(`${url}/`, {}, undefined, timeoutMs);
  return { answer, ms: performance.now() - startedAt };
}

/** Checks that a POS can be reached. */
export async function reachCheck(http: PosHttp, { name, variable, url, forSales }: Address, timeoutMs: number) {
  const { answer, ms } = await reach(http, url, timeoutMs);
  return { url, answers: answer.kind === 'answered', check: result() };

  function result(): Check {
    if (answer.kind === 'unanswered')
      return (forSales ? bad : warning)(name, `${url} does not answer: ${answer.code}: ${answer.message}`, {
        hint: `check ${variable}, the network, and the certificate`,
      });
    if (answer.status < 500) return good(name, `${url} answered in ${duration(ms)}`);
    return warning(name, `${url} answered HTTP ${answer.status}`, {
      hint: 'the POS, or a proxy in front of it, may be down',
    });
  }
}

/** One address and one pair of credentials, with everybody who uses them. */
interface Login {
  readonly target: PosTarget;
  /** labels of the restaurants, or a name for configured credentials */
  readonly users: string[];
  /** whether a restaurant uses it: then a refusal delays sales */
  readonly forSales: boolean;
}

/** The result of one sign-in. It holds no text of the POS's, which may echo the credentials. */
type SignInResult = 'in use' | 'signed in' | { readonly refused: string } | { readonly skipped: true };

/** What {@link signInsCheck} needs besides the restaurants. */
export interface SignInContext {
  readonly http: PosHttp;
  readonly config: Config;
  readonly box: SecretBox;
  readonly database: Queries | undefined;
  /** base URLs that do not answer: no sign-in is tried there */
  readonly unreachable: ReadonlySet<string>;
}

/**
 * Checks that the POS accepts the credentials of every restaurant and of the configuration: by a stored token that is still
 * valid, else by one sign-in for each distinct pair, whose token is thrown away.
 */
export async function signInsCheck(restaurants: readonly Restaurant[], context: SignInContext): Promise<Check> {
  const name = 'POS sign-in';
  const logins = loginsOf(restaurants, context);
  if (logins.size === 0) return warning(name, 'not tried: there are no credentials');
  const inUse = await tokensInUse([...logins.keys()], context.database);
  const { pos } = context.config;
  const posSignIn = new PosSignIn(context.http, vendorOf(pos), pos.timeoutMs);
  const limit = pLimit(SIGN_INS_AT_ONCE);
  const endAt = performance.now() + SIGN_INS_LIMIT_MS;
  const results = await Promise.all(
    [...logins].map(([id, login]) =>
      limit(async (): Promise<readonly [Login, SignInResult]> => {
        if (inUse.has(id)) return [login, 'in use'];
        if (context.unreachable.has(login.target.baseUrl) || performance.now() > endAt)
          return [login, { skipped: true }];
        return [login, await trySignIn(login.target, posSignIn)];
      }),
    ),
  );
  return signInsResult(name, results);
}

function signInsResult(name: string, results: readonly (readonly [Login, SignInResult])[]): Check {
  const refused = results.flatMap(([login, result]) =>
    typeof result === 'object' && 'refused' in result ? [{ ...login, why: result.refused }] : [],
  );
  const skipped = results.filter(([, result]) => typeof result === 'object' && 'skipped' in result);
  const inUse = results.filter(([, result]) => result === 'in use').length;
  const accepted = results.length - refused.length - skipped.length;
  const text = `${accepted} of ${results.length} accepted${inUse > 0 ? ` (${inUse} by a token in use)` : ''}`;
  if (refused.length > 0) {
    const build = refused.some(({ forSales }) => forSales) ? bad : warning;
    return build(name, text, {
      details: refused.flatMap(({ users, why }) => users.map((user) => `${user}: ${why}`)),
      hint: 'correct partner id and secret, or ask the operator of the POS; orders wait as FAILED until then',
    });
  }
  if (skipped.length > 0) return warning(name, `${text}; ${skipped.length} not tried: the POS does not answer in time`);
  return good(name, text);
}

/** Groups by distinct address and credentials; the key is the id of the row in pos_tokens (see pos/tokens.ts). */
function loginsOf(restaurants: readonly Restaurant[], { config, box }: SignInContext): Map<string, Login> {
  const logins = new Map<string, Login>();
  const add = ({ baseUrl, credentials }: PosTarget, user: string, forSales: boolean) => {
    const id = tokenId(box, { baseUrl, credentials });
    const known = logins.get(id);
    if (known) known.users.push(user);
    else logins.set(id, { target: { baseUrl, credentials }, users: [user], forSales });
  };
  for (const restaurant of restaurants) {
    const target = targetOf(restaurant, config, box);
    if (!('missing' in target)) add(target, restaurant.label, true);
    const tests = targetOf(restaurant, config, box, true);
    if (sharesSecretsWithTests(config) && !('missing' in tests)) add(tests, `${restaurant.label}, test orders`, false);
  }
  const { credentials, testCredentials, baseUrl, testBaseUrl } = config.pos;
  if (credentials) add({ baseUrl, credentials }, 'the configured credentials (POS_PARTNER_ID)', false);
  if (testCredentials)
    add({ baseUrl: testBaseUrl, credentials: testCredentials }, 'the test credentials (POS_TEST_PARTNER_ID)', false);
  return logins;
}

/** @returns those of the ids whose stored token has not expired */
async function tokensInUse(ids: readonly string[], database?: Queries): Promise<ReadonlySet<string>> {
  const rows = await database?.query<{ id: string }>(
    'SELECT id FROM pos_tokens WHERE id = ANY($1::text[]) AND token IS NOT NULL AND expires_at > now()',
    [ids],
  );
  return new Set(rows?.map(({ id }) => id));
}

/** Signs in as the relay does; the token is thrown away. */
async function trySignIn(target: PosTarget, posSignIn: PosSignIn): Promise<SignInResult> {
  const result = await posSignIn.signIn(target);
  return 'granted' in result ? 'signed in' : { refused: answerText(result.refused) };
}

function answerText(answer: Answer): string {
  if (answer.kind === 'answered')
    return `HTTP ${answer.status}${answer.errorCode === null ? '' : `, POS error ${answer.errorCode}`}`;
  return answer.code === NO_TOKEN ? 'the answer carries no token' : `no answer (${answer.code})`;
}
