import pg from 'pg';
import { Jobs } from '../outbox/jobs.js';
import { NEEDS_SERVER, whereServer } from '../support/database.js';
import { type Caller, Scenario } from '../support/scenario.js';
import { marked } from '../support/secrets.js';

describe('a caller who loses their role while their call waits for its turn', () => {
  let scenario: Scenario;
  let other: pg.Client;

  beforeAll(async () => {
    scenario = await Scenario.open();
    other = new pg.Client({ connectionString: scenario.database.url });
    await other.connect();
  });
  afterAll(async () => {
    await other.end();
    await scenario.close();
  });

  const waiting = async () => {
    const rows = await scenario.database.query(
      `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    return rows.length > 0;
  };

  /** Sends the call while somebody else holds the restaurant, changes the caller's link, and lets the call go on. */
  async function overtaken(
    restaurantId: string,
    caller: Caller,
    role: string | null,
    call: () => PromiseLike<unknown>,
  ) {
    await other.query('BEGIN');
    await other.query('SELECT 1 FROM restaurants WHERE id = $1 FOR UPDATE', [restaurantId]);
    const answer = Promise.resolve(call());
    await new Jobs(scenario.database).until(waiting);
    await (role
      ? other.query('UPDATE user_restaurants SET role = $2::restaurant_role WHERE user_id = $1', [caller.id, role])
      : other.query('DELETE FROM user_restaurants WHERE user_id = $1', [caller.id]));
    await other.query('COMMIT');
    return (await answer) as { status: number };
  }

  type Call = (path: string, caller: Caller, others: { linked: Caller; unlinked: string }) => PromiseLike<unknown>;
  const CALLS: [string, Call][] = [
    [
      'link',
      (path, { token }, { unlinked }) =>
        scenario.api.post(`${path}/users`, token, { userId: unlinked, role: 'VIEWER' }),
    ],
    [
      'create-and-link',
      (path, { token }, { unlinked }) =>
        scenario.api.post(`${path}/users/create-and-link`, token, {
          email: `${unlinked}@new.example`,
          password: marked('long enough'),
          role: 'VIEWER',
        }),
    ],
    [
      'change a role',
      (path, { token }, { linked }) => scenario.api.patch(`${path}/users/${linked.id}/role`, token, { role: 'VIEWER' }),
    ],
    ['remove', (path, { token }, { linked }) => scenario.api.delete(`${path}/users/${linked.id}`, token)],
    [
      'transfer',
      (path, { token }, { linked }) =>
        scenario.api.post(`${path}/transfer-ownership`, token, { newOwnerId: linked.id }),
    ],
  ];

  describe.each(CALLS)('%s', (_, call) => {
    whereServer.each([['VIEWER'], ['EMPLOYEE'], [null]])(
      `as %s now: 403, and nothing is changed${NEEDS_SERVER}`,
      async (role) => {
        const { id, owner } = await scenario.restaurant();
        const first = await scenario.staff(id, 'OWNER');
        const linked = await scenario.staff(id, 'EMPLOYEE');
        const { id: unlinked } = await scenario.people.user();
        const answer = await overtaken(id, owner, role, () => call(`/restaurants/${id}`, owner, { linked, unlinked }));
        expect(answer.status).toBe(403);
        const roles = { [first.id]: 'OWNER', [linked.id]: 'EMPLOYEE', ...(role ? { [owner.id]: role } : {}) };
        expect(await scenario.people.rolesIn(id)).toEqual(roles);
      },
    );
  });
});
