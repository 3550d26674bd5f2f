import pLimit from 'p-limit';
import type { Config } from '../config.js';
import type { PosAnswer } from '../domain/pos-answer.js';
import { readAnswer, readToken } from '../pos/answer-body.js';
import type { PosHttp } from '../pos/http.js';
import type { PosTarget } from '../pos/target.js';
import { tokenId } from '../pos/tokens.js';
import type { SecretBox } from '../secret-box.js';
import { bad, type Check, duration, good, warning } from './check.js';
import type { Connection } from './connection.js';
import { type Restaurant, targetOf } from './restaurants.checks.js';

const SIGN_INS_AT_ONCE = 5;
/** After this no further sign-in begins. */
const SIGN_INS_LIMIT_MS = 60_000;

interface Address {
  readonly name: string;
  readonly variable: string;
  readonly url: string;
  /** a test order that waits is no sale that waits */
  readonly forSales: boolean;
}

/** The POS, and the test deployment if that is another one. */
export function posAddresses({ pos: { baseUrl, testBaseUrl } }: Config): Address[] {
  const pos = { name: 'POS', variable: 'POS_BASE_URL', url: baseUrl, forSales: true };
  const test = { name: 'test POS', variable: 'POS_TEST_BASE_URL', url: testBaseUrl, forSales: false };
  return testBaseUrl === baseUrl ? [pos] : [pos, test];
}

/** Any HTTP answer will do: it is the way there that is checked, as an order would take it. */
export async function reach(http: PosHttp, { name, variable, url, forSales }: Address, timeoutMs: number) {
  const startedAt = performance.now();
  const answer = await http.post(`${url}/`, {}, undefined, timeoutMs);
  const took = duration(performance.now() - startedAt);
  return { url, answers: answer.kind === 'answered', check: verdict() };

  function verdict(): Check {
    if (answer.kind === 'unanswered')
      return (forSales ? bad : warning)(name, `${url} does not answer: ${answer.code}: ${answer.message}`, {
        hint: `check ${variable}, the network, and the certificate`,
      });
    if (answer.status < 500) return good(name, `${url} answered in ${took}`);
    return warning(name, `${url} answered HTTP ${answer.status}`, {
      hint: 'it, or what stands before it, may be down',
    });
  }
}

/** One address and one pair of credentials, with all who use it. */
interface Login {
  readonly target: PosTarget;
  readonly users: string[];
  /** of restaurants that exist: a refusal delays their orders */
  readonly forSales: boolean;
}

/** Tells what came of a sign-in without a word of the POS's: it may repeat what was sent. */
type Outcome = 'in use' | 'signed in' | { readonly refused: string } | { readonly skipped: true };

export interface SignInMeans {
  readonly http: PosHttp;
  readonly config: Config;
  readonly box: SecretBox;
  readonly database: Connection | undefined;
  /** addresses that do not answer: there is no point in trying */
  readonly away: ReadonlySet<string>;
}

/** Whether the POS takes everybody's credentials: known from a token that is still in use, else by one sign-in each. */
export async function signInsCheck(restaurants: readonly Restaurant[], means: SignInMeans): Promise<Check> {
  const name = 'POS sign-in';
  const logins = loginsOf(restaurants, means);
  if (logins.size === 0) return warning(name, 'not tried: there are no credentials');
  const inUse = await tokensInUse([...logins.keys()], means.database);
  const limit = pLimit(SIGN_INS_AT_ONCE);
  const endAt = performance.now() + SIGN_INS_LIMIT_MS;
  const outcomes = await Promise.all(
    [...logins].map(([id, login]) =>
      limit(async (): Promise<readonly [Login, Outcome]> => {
        if (inUse.has(id)) return [login, 'in use'];
        if (means.away.has(login.target.baseUrl) || performance.now() > endAt) return [login, { skipped: true }];
        return [login, await signIn(login.target, means)];
      }),
    ),
  );
  return verdictOn(name, outcomes);
}

function verdictOn(name: string, outcomes: readonly (readonly [Login, Outcome])[]): Check {
  const refused = outcomes.flatMap(([login, outcome]) =>
    typeof outcome === 'object' && 'refused' in outcome ? [{ ...login, why: outcome.refused }] : [],
  );
  const skipped = outcomes.filter(([, outcome]) => typeof outcome === 'object' && 'skipped' in outcome);
  const inUse = outcomes.filter(([, outcome]) => outcome === 'in use').length;
  const accepted = outcomes.length - refused.length - skipped.length;
  const text = `${accepted} of ${outcomes.length} accepted${inUse > 0 ? ` (${inUse} by a token in use)` : ''}`;
  if (refused.length > 0) {
    const verdict = refused.some(({ forSales }) => forSales) ? bad : warning;
    return verdict(name, text, {
      details: refused.flatMap(({ users, why }) => users.map((user) => `${user}: ${why}`)),
      hint: 'correct partner id and secret, or see to the POS; orders wait as FAILED until then',
    });
  }
  if (skipped.length > 0) return warning(name, `${text}; ${skipped.length} not tried: the POS does not answer in time`);
  return good(name, text);
}

/** Each distinct address and credentials once, under the name of its row in pos_tokens (see pos/tokens.ts). */
function loginsOf(restaurants: readonly Restaurant[], { config, box }: SignInMeans): Map<string, Login> {
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
  }
  const { credentials, testCredentials, baseUrl, testBaseUrl } = config.pos;
  if (credentials) add({ baseUrl, credentials }, 'the configured credentials (POS_PARTNER_ID)', false);
  if (testCredentials)
    add({ baseUrl: testBaseUrl, credentials: testCredentials }, 'the test credentials (POS_TEST_PARTNER_ID)', false);
  return logins;
}

async function tokensInUse(ids: readonly string[], database?: Connection): Promise<ReadonlySet<string>> {
  const rows = await database?.query<{ id: string }>(
    'SELECT id FROM pos_tokens WHERE id = ANY($1::text[]) AND token IS NOT NULL AND expires_at > now()',
    [ids],
  );
  return new Set(rows?.map(({ id }) => id));
}

/** `POST /auth` as the relay does it; the token is thrown away. */
async function signIn({ baseUrl, credentials }: PosTarget, { http, config }: SignInMeans): Promise<Outcome> {
  const { partnerId, secret } = credentials;
  const exchange = await http.post(
    `${baseUrl}/auth`,
    { 'id-partner': partnerId, secret },
    undefined,
    config.pos.timeoutMs,
  );
  const answer = readAnswer(exchange, Date.now(), [secret]);
  if (exchange.kind !== 'answered' || exchange.status < 200 || exchange.status >= 300)
    return { refused: inBrief(answer) };
  return readToken(exchange.body, Date.now()) ? 'signed in' : { refused: 'the answer carries no token' };
}

function inBrief(answer: PosAnswer): string {
  if (answer.kind === 'unanswered') return `no answer (${answer.code})`;
  return `HTTP ${answer.status}${answer.errorCode === null ? '' : `, POS error ${answer.errorCode}`}`;
}
