import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { type Database, OWNER } from './database.js';
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
