import type { RestaurantRole } from '../../src/domain/role.js';
import { People, type Person } from '../api/people.js';
import { Contract } from '../support/contract.js';
import { openDatabase, type TestDatabase } from '../support/database.js';
import { TestRelay } from '../support/relay.js';
import { Api } from './api.js';

/** Somebody who has signed in. */
export interface Caller extends Person {
  readonly token: string;
}

/** A relay on a database of its own, the people who call it, and its API. */
export class Office {
  readonly people: People;

  private constructor(
    readonly database: TestDatabase,
    readonly relay: TestRelay,
    readonly api: Api,
  ) {
    this.people = new People(database);
  }

  static async open(changes: Record<string, string> = {}): Promise<Office> {
    const database = await openDatabase();
    const relay = await TestRelay.start(database, changes);
    return new Office(database, relay, new Api(relay.url));
  }

  async close(): Promise<void> {
    await this.relay.close();
    await this.database.close();
  }

  /** What its OpenAPI document promises. */
  async contract(): Promise<Contract> {
    return new Contract((await this.api.get('/docs-json').expect(200)).body);
  }

  async signIn(person: Person): Promise<Caller> {
    const { email, password } = person;
    const { body } = await this.api.post('/auth/login', undefined, { email, password }).expect(200);
    return { ...person, token: body.access_token };
  }

  /** Somebody new, linked to nothing yet. */
  async person(platformRole = 'USER', email?: string): Promise<Caller> {
    return this.signIn(await this.people.user(email, platformRole));
  }

  /** Somebody new with this role in the restaurant. */
  async staff(restaurantId: string, role: RestaurantRole): Promise<Caller> {
    const caller = await this.person();
    await this.people.link(caller.id, restaurantId, role);
    return caller;
  }

  /** A restaurant without a store code, and its first OWNER. */
  async owned(code: string | null = null): Promise<{ id: string; owner: Caller }> {
    const owner = await this.person();
    return { id: await this.people.restaurant(code, [owner, 'OWNER']), owner };
  }

  /** userId -> role, as the database has it. */
  async rolesIn(restaurantId: string): Promise<Record<string, string>> {
    const rows = await this.database.query<{ user_id: string; role: string }>(
      'SELECT user_id::text, role::text FROM user_restaurants WHERE restaurant_id = $1',
      [restaurantId],
    );
    return Object.fromEntries(rows.map(({ user_id, role }) => [user_id, role]));
  }
}
