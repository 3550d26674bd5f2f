import { AuthService } from '../../../src/auth/auth.service.js';
import { Shares } from '../../../src/platform/http/limits/shares.js';
import type { Document, Method } from '../../../tools/contract.js';
import { type Caller, Scenario } from '../../support/scenario.js';

/** Requests of one account at once. */
const AT_ONCE = 40;
/** The share of an account: reports, searches, changes and all other reads (L125). */
const SHARE = 4 + 1 + 4 + 4;
/** Routes that end what the others need come last. */
const LAST = [/^delete \/restaurants\/\{restaurantId\}$/, /transfer-ownership/, /password/];

/** Routes without the share of an account, and what bounds them instead (H19). */
const WITHOUT: readonly (readonly [route: RegExp, bound: string])[] = [
  [/^post \/webhooks\/terminal/, 'sales come first: L19'],
  [/^\w+ \/auth\/login$|^post \/console\/session$|^post \/invitations\/join$/, 'password checks: A7'],
  [/^delete \/console\/session$/, 'one indexed row, and no account: it also clears the cookie of an ended session'],
  [/^get \/health/, 'concurrent checks share one statement: H12'],
];

describe('one account beside a neighbour (H19, H20)', () => {
  const scenario = Scenario.ofSuite({ RESEND: 'restaurants' });

  async function operations() {
    const { paths } = (await scenario.api.get('/docs-json').expect(200)).body as Document;
    return Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ method: method as Method, path, operation })),
    );
  }

  test('every route counts in a share, and says so, or something else bounds it (H19)', async () => {
    const uncounted = (await operations())
      .filter(({ operation }) => !JSON.stringify(operation.responses['503'] ?? {}).includes('TOO_MANY_AT_ONCE'))
      .map(({ method, path }) => `${method} ${path}`);
    expect(uncounted.filter((route) => !WITHOUT.some(([pattern]) => pattern.test(route)))).toEqual([]);
    expect(WITHOUT.filter(([pattern]) => !uncounted.some((route) => pattern.test(route)))).toEqual([]);
  });

  test('every route, 40 times at once: the account keeps to its share, and the neighbour sells and reads (H19, H20, L125)', async () => {
    const [one, neighbour] = [await scenario.store(), await scenario.store()];
    const counted = countingOf(one.owner);
    const all = (await operations()).sort((a, b) => rank(a) - rank(b));
    expect(all.length).toBeGreaterThan(80);
    const ids = { restaurantId: one.id, ofRestaurant: one.id, userId: one.owner.id, day: '2026-11-20', line: '2' };
    const most: Record<string, number> = {};
    for (const { method, path } of all) {
      const address = path.replaceAll(/\{(\w+)\}/g, (_, name) => ids[name as keyof typeof ids] ?? UNKNOWN);
      const search = address.endsWith('/orders') && method === 'get' ? '?q=zz' : '';
      const body = method === 'get' || method === 'delete' ? undefined : {};
      const calls = Array.from({ length: AT_ONCE }, () =>
        scenario.api[method](`${address}${search}`, one.token, body)
          .set('Sec-Fetch-Site', 'same-origin')
          // a refused body ends the connection
          .then(
            ({ status }) => status,
            () => 0,
          ),
      );
      const sold = neighbour.sell().catch((error: Error) => error);
      const read = await scenario.api.get(`/restaurants/${neighbour.id}/state`, neighbour.token);
      expect([await sold, read.status, `${method} ${path}`]).toEqual([expect.any(String), 200, `${method} ${path}`]);
      await Promise.all(calls);
      most[`${method} ${path}`] = counted.most();
    }
    expect(Object.entries(most).filter(([, number]) => number > SHARE)).toEqual([]);
    expect(Math.max(...Object.values(most))).toBe(4);
    expect(counted.counted.entered).toBeGreaterThan(AT_ONCE * 80);
    expect(counted.counted.reads).toBe(counted.counted.entered);
  }, 300_000);

  const UNKNOWN = '3f0a6a54-8c6e-4c39-9a51-0c5c0f1f7a11';
  const rank = ({ method, path }: { method: string; path: string }) =>
    LAST.some((pattern) => pattern.test(`${method} ${path}`)) ? 1 : 0;

  /** Counts the requests of a user that are under way, and the reads of the account, which each of them makes once. */
  function countingOf({ id }: Caller) {
    const auth = scenario.relay.get(AuthService);
    const shares = scenario.relay.get(Shares);
    const underWay = new Set<unknown>();
    const counted = { entered: 0, reads: 0 };
    let most = 0;
    const enter = shares.enter.bind(shares);
    const end = shares.end.bind(shares);
    const read = auth.userOfClaims.bind(auth);
    jest.spyOn(shares, 'enter').mockImplementation(async (request, account) => {
      await enter(request, account);
      if (account !== id) return;
      counted.entered++;
      underWay.add(request);
      most = Math.max(most, underWay.size);
    });
    jest.spyOn(auth, 'userOfClaims').mockImplementation((claims, bySession) => {
      if (claims.sub === id) counted.reads++;
      return read(claims, bySession);
    });
    jest.spyOn(shares, 'end').mockImplementation((request) => {
      underWay.delete(request);
      end(request);
    });
    return {
      counted,
      /** @returns the most since the last call */
      most() {
        const since = most;
        most = 0;
        return since;
      },
    };
  }
});
