import { randomUUID } from 'node:crypto';
import { connected } from '../../runner/template.js';
import { MARK } from '../../support/secrets.js';

/** A role for one test. */
export class Role {
  private constructor(
    private readonly server: string,
    private readonly name: string,
  ) {}

  /** @param server URL of a database on the server, as an administrator */
  static async create(server: string, attributes = ''): Promise<Role> {
    const role = new Role(server, `relay_test_${randomUUID().replaceAll('-', '')}`);
    await role.run(`CREATE ROLE ${role.name} LOGIN PASSWORD '${MARK}' ${attributes}`);
    return role;
  }

  /** A setting of every session of it, unless the session has its own. */
  set(setting: string, value: string): Promise<void> {
    return this.run(`ALTER ROLE ${this.name} SET ${setting} = '${value}'`);
  }

  /** Runs a statement with the name of the role in place of ROLE_NAME, as the administrator. */
  run(sql: string): Promise<void> {
    return connected(this.server, async (client) => void (await client.query(sql.replaceAll('ROLE_NAME', this.name))));
  }

  /** A database for this role; by default the one that it was created from. */
  url(database = this.server): string {
    return Object.assign(new URL(database), { username: this.name, password: MARK }).href;
  }

  /** After the databases are gone in which it has privileges. */
  async drop(server: string): Promise<void> {
    await connected(server, (client) => client.query(`DROP ROLE ${this.name}`));
  }
}

/** Role settings each of which would break the relay. */
export const HOSTILE = {
  lock_timeout: '1ms',
  statement_timeout: '1ms',
  idle_in_transaction_session_timeout: '1ms',
  default_transaction_isolation: 'serializable',
  search_path: 'nowhere',
  TimeZone: 'Asia/Kolkata',
  DateStyle: 'German',
} as const;
