import pg from 'pg';
import { NEEDS_SERVER, untilWaiting, whereServer } from '../support/database.js';
import { type Caller, Scenario } from '../support/scenario.js';
import { newcomer, peopleOf } from './people-calls.js';

describe('a caller who loses the role while the request waits for the lock of the restaurant', () => {
  let scenario: Scenario;
  let other: pg.Client;
  let path: string;

  beforeAll(async () => {
    scenario = await Scenario.open();
    other = new pg.Client({ connectionString: scenario.database.url });
    await other.connect();
  });
  afterAll(async () => {
    await other.end();
    await scenario.close();
  });

  /** Sends the request while another session holds the row lock of the restaurant, changes the caller's link, and releases the lock. */
  async function overtaken(
    restaurantId: string,
    caller: Caller,
    role: string | null,
    call: () => PromiseLike<unknown>,
  ) {
    await other.query('BEGIN');
    await other.query('SELECT 1 FROM restaurants WHERE id = $1 FOR UPDATE', [restaurantId]);
    const answer = Promise.resolve(call());
    await untilWaiting(scenario.database);
    await (role
      ? other.query('UPDATE user_restaurants SET role = $2::restaurant_role WHERE user_id = $1', [caller.id, role])
      : other.query('DELETE FROM user_restaurants WHERE user_id = $1', [caller.id]));
    await other.query('COMMIT');
    return (await answer) as { status: number };
  }

  const { link, createAndLink, changeRole, remove, transfer } = peopleOf(() => ({ api: scenario.api, path }));
  type Call = (caller: Caller, linked: string, unlinked: string) => PromiseLike<unknown>;
  const CALLS: [string, Call][] = [
    ['link', (caller, _, userId) => link(caller, { userId, role: 'VIEWER' })],
    ['create-and-link', (caller) => createAndLink(caller, newcomer())],
    ['change a role', (caller, linked) => changeRole(caller, linked, { role: 'VIEWER' })],
    ['remove', (caller, linked) => remove(caller, linked)],
    ['transfer', (caller, linked) => transfer(caller, { newOwnerId: linked })],
    ['change the restaurant', ({ token }) => scenario.api.patch(path, token, { name: 'Taken' })],
    ['delete the restaurant', ({ token }) => scenario.api.delete(path, token)],
  ];

  describe.each(CALLS)('%s', (_, call) => {
    whereServer.each([['VIEWER'], [null]])(
      `role %s under the lock: 403, and nothing is changed (A40)${NEEDS_SERVER}`,
      async (role) => {
        const { id, owner } = await scenario.restaurant();
        path = `/restaurants/${id}`;
        const first = await scenario.staff(id, 'OWNER');
        const linked = await scenario.staff(id, 'EMPLOYEE');
        const unlinked = await scenario.people.user();
        const answer = await overtaken(id, owner, role, () => call(owner, linked.id, unlinked.id));
        expect(answer.status).toBe(403);
        const roles = { [first.id]: 'OWNER', [linked.id]: 'EMPLOYEE', ...(role ? { [owner.id]: role } : {}) };
        expect(await scenario.people.rolesIn(id)).toEqual(roles);
        const [row] = await scenario.database.query('SELECT name, deleted_at FROM restaurants WHERE id = $1', [id]);
        expect(row).toEqual({ name: expect.stringMatching(/^r-/), deleted_at: null });
      },
    );
  });
});
