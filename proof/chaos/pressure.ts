import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { DATABASE, type Database, OWNER } from './database.js';
import type { EventLog } from './event-log.js';
import { DESCRIPTORS, type Instance } from './instance.js';
import { holdLock } from './other-clients.js';

/** Settings that an administrator may give to a role, each of which would break the relay's sessions if they obeyed it. */
const HOSTILE_ROLE = {
  lock_timeout: '300ms',
  statement_timeout: '50ms',
  default_transaction_isolation: 'serializable',
  timezone: 'Asia/Kathmandu',
};

/** Settings that an administrator may give to a role in a database, each of which changes what a statement or a commit means. */
const WRONG_SETTINGS = {
  array_nulls: 'off',
  synchronous_commit: 'off',
  datestyle: 'German',
  intervalstyle: 'sql_standard',
  bytea_output: 'escape',
  standard_conforming_strings: 'off',
  transform_null_equals: 'on',
  extra_float_digits: '-5',
  default_transaction_deferrable: 'on',
  row_security: 'off',
  search_path: 'pg_catalog',
};

/** Clients of one {@link Pressure.bigBodies}, and what each of them sends of the body that it announces. */
const BODIES = 150;
const BODY_BYTES = 1_048_576;
const SENT_BYTES = 1_000_000;

/** Takes what the relay shares with others: the settings of its role, the disk, its own file descriptors. */
export class Pressure {
  constructor(
    private readonly database: Database,
    private readonly events: EventLog,
  ) {}

  /** The role of the relay has hostile settings, its idle sessions begin again with them, and its table is locked. */
  async hostileRole(ms: number): Promise<void> {
    const over = this.events.begin('role', null, `the role has a lock_timeout and more, its table is locked, ${ms} ms`);
    const settings = Object.entries(HOSTILE_ROLE).map(
      ([name, value]) => `ALTER ROLE ${OWNER} SET ${name} = '${value}'`,
    );
    await this.database.insist(
      ...settings,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${OWNER}' AND state = 'idle'`,
    );
    await holdLock(this.database.port, 'table', ms);
    await this.database.insist(`ALTER ROLE ${OWNER} RESET ALL`);
    over();
  }

  /** The role has wrong settings in the database, and idle sessions begin again with them. Sessions of that time keep them until they end. */
  async wrongSettings(ms: number): Promise<void> {
    const role = `ALTER ROLE ${OWNER} IN DATABASE ${DATABASE}`;
    const over = this.events.begin('settings', null, `the role has wrong settings in the database for ${ms} ms`);
    await this.database.insist(
      ...Object.entries(WRONG_SETTINGS).map(([name, value]) => `${role} SET ${name} = '${value}'`),
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${OWNER}' AND state = 'idle'`,
    );
    await delay(ms);
    await this.database.insist(`${role} RESET ALL`);
    over();
  }

  /** Clients without a credential announce big bodies, send nearly all of each, and wait. */
  async bigBodies({ url, number }: Instance, ms: number): Promise<void> {
    const over = this.events.begin('bodies', number, `instance ${number}: ${BODIES} big bodies of nobody for ${ms} ms`);
    const { hostname, port } = new URL(url);
    const head = [
      'POST /webhooks/terminal HTTP/1.1',
      'Host: relay',
      'Content-Type: application/json',
      `Content-Length: ${BODY_BYTES}`,
    ];
    const sockets = Array.from({ length: BODIES }, () => {
      const socket = connect(Number(port), hostname).on('error', () => {});
      socket.write(`${head.join('\r\n')}\r\n\r\n${' '.repeat(SENT_BYTES)}`);
      return socket.resume();
    });
    await delay(ms);
    for (const socket of sockets) socket.destroy();
    over();
  }

  /** The server refuses every write, as it does when its disk is full. */
  async fullDisk(ms: number): Promise<void> {
    const over = this.events.begin('disk', null, `Postgres: its disk is full for ${ms} ms`);
    await this.database.insist('UPDATE chaos.disk SET is_full = true');
    await delay(ms);
    await this.database.insist('UPDATE chaos.disk SET is_full = false');
    over('Postgres: there is room on its disk again');
  }

  /** More clients than the instance has file descriptors connect, and say nothing. */
  async manyClients({ url, number }: Instance, ms: number): Promise<void> {
    const count = DESCRIPTORS + 100;
    const over = this.events.begin('descriptors', number, `instance ${number}: ${count} clients connect for ${ms} ms`);
    const { hostname, port } = new URL(url);
    const sockets: Socket[] = Array.from({ length: count }, () =>
      connect(Number(port), hostname).on('error', () => {}),
    );
    await delay(ms);
    for (const socket of sockets) socket.destroy();
    over();
  }
}
