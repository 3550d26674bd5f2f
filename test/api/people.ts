import { randomUUID } from 'node:crypto';
import { hash } from 'bcrypt';
import type { RestaurantRole } from '../../src/domain/role.js';
import type { TestDatabase } from '../support/database.js';

export const PASSWORD = 'one password of many';
/** bcrypt's least cost: what is proved here is not its strength */
const CHEAP = 4;

export interface Person {
  readonly id: string;
  readonly email: string;
  readonly password: string;
}

/** Users and restaurants by SQL, in states that the API takes many steps to reach. */
export class People {
  constructor(private readonly database: TestDatabase) {}

  async user(email = `${randomUUID()}@example.com`, platformRole = 'USER'): Promise<Person> {
    const person = { id: randomUUID(), email, password: PASSWORD };
    await this.database.query(
      'INSERT INTO users (id, email, password_hash, role) VALUES ($1, $2, $3, $4::platform_role)',
      [person.id, email, await hash(person.password, CHEAP), platformRole],
    );
    return person;
  }

  /** @param code its codeStoreTerminal; null: nobody has typed it in yet */
  async restaurant(code: string | null, ...links: [person: Person, role: RestaurantRole][]): Promise<string> {
    const id = randomUUID();
    await this.database.query('INSERT INTO restaurants (id, name, slug, code_store_terminal) VALUES ($1, $2, $2, $3)', [
      id,
      `r-${id}`,
      code,
    ]);
    for (const [{ id: userId }, role] of links) await this.link(userId, id, role);
    return id;
  }

  async link(userId: string, restaurantId: string, role: RestaurantRole): Promise<void> {
    await this.database.query(
      'INSERT INTO user_restaurants (id, user_id, restaurant_id, role) VALUES (gen_random_uuid(), $1, $2, $3::restaurant_role)',
      [userId, restaurantId, role],
    );
  }

  /** As DELETE /restaurants/:id leaves it. */
  async deleteRestaurant(id: string): Promise<void> {
    await this.database.query('UPDATE restaurants SET deleted_at = now() WHERE id = $1', [id]);
  }
}
