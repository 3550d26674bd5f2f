import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Random } from '../random.js';
import type { Reach } from './database.js';
import type { EventLog } from './event-log.js';

const SQL = fileURLToPath(new URL('../../prisma/sql/', import.meta.url));
/** Jobs that one round resets one by one. */
const MOST = 60;
const LIMIT_MS = 60_000;

interface Waiting {
  readonly id: string;
  readonly restaurant: string;
}

/** The operator beside it all: resets jobs with the statements of `prisma/sql`, in psql, also those that must be refused. */
export class Operator {
  resets = 0;
  refused = 0;

  constructor(
    private readonly psql: string,
    private readonly database: Reach,
    private readonly events: EventLog,
    private readonly random: Random,
  ) {}

  /** Resets some failed and all parked jobs, and tries a few that no one may reset. An outage is no error of it. */
  async round(): Promise<void> {
    try {
      const before = this.resets;
      for (const { id } of await this.jobs(`status = 'FAILED'`, MOST)) await this.resetJob(id);
      const parked = await this.jobs(`status = 'DLQ' AND NOT withdrawn`, 1);
      if (parked[0]) await this.resetParked(parked[0]);
      for (const { id } of await this.jobs(`status IN ('PROCESSING', 'SENT') OR withdrawn`, 2)) await this.resetJob(id);
      this.events.happened('reset', null, `operator: ${this.resets - before} jobs were reset`);
    } catch (error) {
      this.events.happened('reset', null, `operator: ${(error as Error).message.split('\n')[0]}`);
    }
  }

  /** Resets all that is failed or parked, so that nothing waits for its backoff. @returns how many there were */
  async resetAll(): Promise<number> {
    const waiting = await this.jobs(
      `status = 'FAILED' OR (status = 'DLQ' AND NOT withdrawn AND resolved_at IS NULL)`,
      1_000_000,
    );
    await this.resetJobs(waiting.map(({ id }) => id));
    return waiting.length;
  }

  private async jobs(where: string, most: number): Promise<Waiting[]> {
    return this.database.query<Waiting & Record<string, unknown>>(
      `SELECT id::text, restaurant_id::text AS restaurant FROM outbox_jobs WHERE ${where} ORDER BY random() LIMIT ${most}`,
    );
  }

  private async resetJob(id: string): Promise<void> {
    const { code, said } = await this.run('-v', `job=${id}`, '-f', join(SQL, 'reset-job.sql'));
    this.count(code, said);
  }

  /** By the same statement, many in one session; of one that is refused the session ends, and the rest goes on after it. */
  private async resetJobs(ids: readonly string[]): Promise<void> {
    for (let left = ids; left.length > 0; ) {
      const script = left.map((id) => `\\set job ${id}\n\\i ${join(SQL, 'reset-job.sql')}`).join('\n');
      const { code, said } = await this.run('-f', '-', script);
      const done = said.match(/^UPDATE /gm)?.length ?? 0;
      this.resets += done;
      if (code === 0) return;
      if (!/cannot be moved/.test(said)) throw new Error(said.trim());
      this.refused += 1;
      left = left.slice(done + 1);
    }
  }

  private async resetParked({ restaurant }: Waiting): Promise<void> {
    const how = this.random.pick([
      ['-v', `restaurant=${restaurant}`, '-f', join(SQL, 'reset-parked-of-restaurant.sql')],
      ['-v', 'since=2000-01-01 00:00+00', '-f', join(SQL, 'reset-parked-since.sql')],
      ['-v', 'error=gave up after', '-f', join(SQL, 'reset-parked-with-error.sql')],
      ['-v', 'error=the POS refused it', '-f', join(SQL, 'reset-parked-with-error.sql')],
    ]);
    const { code, said } = await this.run(...how);
    this.count(code, said);
  }

  private count(code: number, said: string): void {
    if (code === 0) this.resets += Number(/^UPDATE (\d+)/m.exec(said)?.[1] ?? 0);
    else if (/cannot be moved/.test(said)) this.refused += 1;
    else throw new Error(said.trim());
  }

  /** @param args those of psql; after `-f -` the script */
  private async run(...args: string[]): Promise<{ code: number; said: string }> {
    const fromInput = args.at(-2) === '-';
    const input = fromInput ? args.pop() : '';
    const child = spawn(this.psql, ['-X', '-d', this.database.url, ...args], {
      env: { PATH: process.env.PATH, PGCONNECT_TIMEOUT: '5', PGOPTIONS: '-c lock_timeout=3s -c statement_timeout=5s' },
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk));
    const limit = setTimeout(() => child.kill(), LIMIT_MS);
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    const [code] = await once(child, 'close');
    clearTimeout(limit);
    return { code: code ?? 1, said };
  }
}
