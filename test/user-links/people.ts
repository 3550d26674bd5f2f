import { randomUUID } from 'node:crypto';
import { hash } from 'bcrypt';
import type { RestaurantRole } from '../../src/domain/role.js';
import type { TestDatabase } from '../support/database.js';
import { ADMIN } from '../support/environment.js';

/** The password of every user in the tests. */
export const PASSWORD = ADMIN.password;
/** The lowest cost of bcrypt. Each user has a hash of their own: the cache of verified passwords is keyed by the hash. */
const CHEAP = 4;

export interface Person {
  readonly id: string;
  readonly email: string;
  readonly password: string;
}

/** Creates users, restaurants and links by SQL. */
export class People {
  constructor(private readonly database: TestDatabase) {}

  async user(email = `${randomUUID()}@example.com`, role = 'USER'): Promise<Person> {
    const id = await this.insert('users', { email, password_hash: await hash(PASSWORD, CHEAP), role });
    return { id, email, password: PASSWORD };
  }

  /**
   * @param code codeStoreTerminal
   * @param links OWNERs are linked as creators (CREATED), others as added (ADDED)
   */
  async restaurant(code: string | null, ...links: [person: Person, role: RestaurantRole][]): Promise<string> {
    const name = `r-${randomUUID()}`;
    const row = { name, slug: name, code_store_terminal: code, code_store_pos: '1001' };
    const id = await this.insert('restaurants', row);
    for (const [person, role] of links) await this.link(person.id, id, role, role === 'OWNER' ? 'CREATED' : 'ADDED');
    return id;
  }

  /** @param origin ADDED: linked by another user */
  async link(user_id: string, restaurant_id: string, role: RestaurantRole, origin = 'ADDED'): Promise<void> {
    await this.insert('user_restaurants', { user_id, restaurant_id, role, origin });
  }

  /** userId -> role, read from the database */
  async rolesIn(restaurantId: string): Promise<Record<string, string>> {
    const sql = 'SELECT user_id, role FROM user_restaurants WHERE restaurant_id = $1';
    const rows = await this.database.query<{ user_id: string; role: string }>(sql, [restaurantId]);
    return Object.fromEntries(rows.map(({ user_id, role }) => [user_id, role]));
  }

  /** The same change as DELETE /restaurants/:id. */
  async deleteRestaurant(id: string): Promise<void> {
    await this.database.query('UPDATE restaurants SET deleted_at = now() WHERE id = $1', [id]);
  }

  private async insert(table: string, row: Record<string, string | null>): Promise<string> {
    const id = randomUUID();
    const columns = ['id', ...Object.keys(row)];
    const places = columns.map((_, index) => `$${index + 1}`);
    await this.database.query(`INSERT INTO ${table} (${columns}) VALUES (${places})`, [id, ...Object.values(row)]);
    return id;
  }
}
