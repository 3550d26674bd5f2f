import { type Answer, NO_TOKEN, type Unanswered } from '../../domain/outcome.js';
import type { Config } from '../../platform/config/config.js';
import type { PosHttp } from '../../pos/http-transport.js';
import { ANOTHER_SIGNS_IN } from '../../pos/sign-in.js';
import type { PosTarget } from '../../pos/target.js';
import type { PosTokens } from '../../pos/tokens.js';
import { vendorOf } from '../../pos/vendors.js';
import type { Check } from './check.js';
import { checkOf, type Finding, finding, messageOf } from './findings.js';

/** As `PosTokens.check`. `no time`: there was no time left for a sign-in. */
export type SignInCheck = (target: PosTarget) => Promise<Awaited<ReturnType<PosTokens['check']>> | 'no time'>;

/** Tests DNS, TCP and TLS to a POS with one POST; any HTTP answer counts. @returns the answer, and how long it took in ms */
export async function reach(http: PosHttp, url: string, timeoutMs: number) {
  const startedAt = performance.now();
  const answer = await http.post(`${url}/`, {}, undefined, timeoutMs);
  return { answer, ms: performance.now() - startedAt };
}

/** The finding of {@link reach}: whether the POS can be reached. */
export function reachFinding({ answer, ms }: Awaited<ReturnType<typeof reach>>): Finding {
  if (answer.kind === 'unanswered') return finding('pos', 'bad', 'POS_SILENT', { reason: answer.code });
  if (answer.status >= 500) return finding('pos', 'warning', 'POS_FAILS', { status: answer.status });
  return finding('pos', 'ok', 'POS_ANSWERS', { ms: Math.round(ms) });
}

/** The finding of a sign-in. It omits the text of the POS, which may echo the credentials. @param level the level of a refusal */
export async function signInFinding(
  name: 'signIn' | 'testSignIn',
  level: 'warning' | 'bad',
  check: ReturnType<SignInCheck>,
): Promise<Finding> {
  const result = await check;
  if (result === 'in use') return finding(name, 'ok', 'SIGN_IN_IN_USE');
  if (result === 'granted') return finding(name, 'ok', 'SIGN_IN_GRANTED');
  if (result === 'no time') return finding(name, 'warning', 'TIMED_OUT');
  const answer: Answer = result.refused;
  if (answer.kind === 'answered') {
    const { status, errorCode } = answer;
    return finding(name, level, 'SIGN_IN_REFUSED', { status, errorCode });
  }
  if (answer.code === ANOTHER_SIGNS_IN) return finding(name, 'warning', 'TIMED_OUT');
  if (answer.code === NO_TOKEN) return finding(name, level, 'SIGN_IN_WITHOUT_TOKEN');
  return finding(name, level, 'SIGN_IN_UNANSWERED', { reason: answer.code });
}

/** Checks that the POS answers, and that the test POS answers if its address differs. @returns the checks, and the failed calls by URL */
export async function reachChecks({ pos: { baseUrl, testBaseUrl, timeoutMs } }: Config, http: PosHttp) {
  const unreachable = new Map<string, Unanswered>();
  const check = async (name: string, url: string): Promise<Check> => {
    const reached = await reach(http, url, timeoutMs);
    if (reached.answer.kind === 'unanswered') unreachable.set(url, reached.answer);
    const found = reachFinding(reached);
    return checkOf(name, found, `${url}: ${messageOf(found)}`);
  };
  const pos = check('POS', baseUrl);
  // a warning at most: a test POS that is down delays no real sale
  const testPos = testBaseUrl === baseUrl ? [] : [check('test POS', testBaseUrl).then(milder)];
  return { checks: await Promise.all([pos, ...testPos]), unreachable };
}

/** Checks that the POS accepts the credentials of the configuration, even if no restaurant uses them. */
export function configuredSignIns({ pos }: Config, tokens: { readonly check: SignInCheck }): Promise<Check[]> {
  const check = async (name: string, baseUrl: string, credentials: Config['pos']['credentials']) =>
    credentials
      ? [
          checkOf(
            name,
            await signInFinding('signIn', 'warning', tokens.check({ vendor: vendorOf(pos), baseUrl, credentials })),
          ),
        ]
      : [];
  return Promise.all([
    check('POS_PARTNER_ID', pos.baseUrl, pos.credentials),
    check('POS_TEST_PARTNER_ID', pos.testBaseUrl, pos.testCredentials),
  ]).then((checks) => checks.flat());
}

const milder = (check: Check): Check => (check.level === 'bad' ? { ...check, level: 'warning' } : check);
