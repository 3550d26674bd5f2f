import { createServer, type Server, type Socket } from 'node:net';
import type { PGlite } from '@electric-sql/pglite';
import pg from 'pg';
import { RELAY } from '../connection.js';
import { readMessages, type Startup } from './protocol.js';
import { SharedStatements } from './shared-statements.js';

/** Messages of one client that must reach the database together, or the rollback for a client that disconnected in a transaction. */
type Unit = { client: Socket; messages: Uint8Array[]; startsUp: boolean } | { client: Socket; rollback: true };

interface Settings {
  /** the application name */
  readonly name: string;
  /** whether the planner may scan tables */
  readonly scans: 'on' | 'off';
}

export interface PGliteServer {
  readonly server: Server;
  /** how many units have run, of all clients */
  readonly served: () => number;
  /** Stops listening and drops the clients; the database itself stays open. */
  stop(): Promise<void>;
}

export interface PGliteOptions {
  /** called after a guest's statement of more than a second */
  readonly onSlow?: (ms: number) => void;
  /** opens the database again when Postgres has ended the session; absent: it stays closed */
  readonly reopen?: () => Promise<PGlite>;
}

/** A client with an open transaction is dropped after this time without a statement, in ms; less than the default statement limit. */
const IDLE_IN_TRANSACTION_MS = 4_000;
/** A guest's transaction is rolled back after this time, in ms. */
const TRANSACTION_MS = 30_000;
/** A guest's statement that takes longer is reported, in ms. */
const SLOW_MS = 1_000;

/**
 * Serves one PGlite, which is a single session, to several Postgres clients: the relay's own connections, with the application
 * name {@link RELAY}, and guests (psql, the doctor, any tool).
 *
 * - The messages of a unit (everything up to Sync) are never mixed with messages of another client. Otherwise a Bind could reach a
 *   statement that another client parsed.
 * - While a client has a transaction open, the other clients wait. If this client disconnects, its transaction is rolled back. If it sends
 *   nothing for too long, it is dropped. A guest whose transaction takes too long is dropped, too.
 * - What a guest leaves in the session (settings, prepared statements, temporary tables, listening, advisory locks) is
 *   discarded before the next unit of another client, and when the guest disconnects.
 * - The session has the application name of the client whose unit runs, as on a server: the triggers read the name (O27). It may scan tables
 *   as this client asked in its start-up message: a plan that is kept must not scan a table that was nearly empty when it was made.
 * - The relay's own connections share their prepared statements ({@link SharedStatements}).
 * - When Postgres ends the session (FATAL), as after COPY FROM STDIN, which PGlite does not support, the client whose unit ran is
 *   dropped, and the other clients continue on a new PGlite.
 *
 * A statement cannot be interrupted: it runs on the process's only thread, where no timer fires and no message is read, and
 * PGlite ignores `statement_timeout`.
 */
export async function servePGlite(
  database: Promise<PGlite>,
  listen: { path: string } | { host: string; port: number },
  { onSlow, reopen }: PGliteOptions = {},
): Promise<PGliteServer> {
  let current = database;
  const queue: Unit[] = [];
  const clients = new Set<Socket>();
  const guests = new WeakSet<Socket>();
  /** settings of the session of each client */
  const settings = new WeakMap<Socket, Settings>();
  const statements = new SharedStatements();
  /** those of the session; undefined: none were set since the session was opened or discarded */
  let present: Settings | undefined;
  /** the client that has a transaction open */
  let owner: Socket | undefined;
  /** the guest whose session state is not discarded yet */
  let traces: Socket | undefined;
  let running = false;
  let served = 0;
  let idle: NodeJS.Timeout | undefined;
  let transaction: NodeJS.Timeout | undefined;

  async function run(db: PGlite, unit: Unit): Promise<void> {
    if (traces && traces !== unit.client) await discard(db);
    if ('rollback' in unit) {
      await db.exec('ROLLBACK');
      own(undefined);
      return;
    }
    const { client } = unit;
    served++;
    await set(db, settings.get(client) ?? settingsOf({}));
    if (guests.has(client)) traces = client;
    const answer: Buffer[] = [];
    const startedAt = performance.now();
    try {
      await db.runExclusive(async () => {
        const execute = async (message: Uint8Array) => {
          const parts: Buffer[] = [];
          try {
            await db.execProtocolRawStream(message, { onRawData: (data) => parts.push(Buffer.from(data)) });
          } catch (error) {
            // why Postgres has ended the session
            answer.push(...parts);
            throw error;
          }
          return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
        };
        for (const message of unit.messages)
          answer.push(await (guests.has(client) ? execute(message) : statements.run(message, execute)));
      });
    } catch (error) {
      // a refused start-up message leaves the session as it is
      if (!unit.startsUp) {
        if (client.writable) client.write(Buffer.concat(answer));
        throw error;
      }
      client.destroy(error as Error);
    }
    const took = Math.round(performance.now() - startedAt);
    if (guests.has(client) && took > SLOW_MS) onSlow?.(took);
    if (client.writable && answer.length > 0) client.write(Buffer.concat(answer));
    own(db.isInTransaction() ? client : undefined);
    if (owner?.destroyed) queue.unshift({ client: owner, rollback: true });
    else if (owner) idle = setTimeout(() => client.destroy(), IDLE_IN_TRANSACTION_MS).unref();
  }

  function own(client: Socket | undefined): void {
    if (client === owner) return;
    owner = client;
    clearTimeout(transaction);
    if (client && guests.has(client)) transaction = setTimeout(() => client.destroy(), TRANSACTION_MS).unref();
  }

  function replaceSession(): void {
    own(undefined);
    traces = undefined;
    present = undefined;
    statements.discarded();
    if (reopen) current = reopen();
  }

  /** Never runs inside a transaction: while a transaction is open, only units of its owner run. */
  async function discard(db: PGlite): Promise<void> {
    // PGlite has no session user to return to: DISCARD ALL does not reset the role
    await db.exec('SET SESSION AUTHORIZATION postgres');
    await db.exec('DISCARD ALL');
    statements.discarded();
    traces = undefined;
    present = undefined;
  }

  /** Never runs inside a transaction: while a transaction is open, the session already has the settings of the transaction's owner. */
  async function set(db: PGlite, { name, scans }: Settings): Promise<void> {
    if (name !== present?.name) await db.exec(`SET application_name = ${pg.escapeLiteral(name)}`);
    if (scans !== present?.scans) await db.exec(`SET enable_seqscan = ${scans}`);
    present = { name, scans };
  }

  async function pump(): Promise<void> {
    if (running) return;
    running = true;
    try {
      for (;;) {
        const db = await current;
        const next = owner ? queue.findIndex((unit) => unit.client === owner) : 0;
        const unit = queue[next];
        if (!unit && !(traces?.destroyed && !owner)) break;
        if (unit) queue.splice(next, 1);
        clearTimeout(idle);
        try {
          await (unit ? run(db, unit) : discard(db));
        } catch {
          unit?.client.destroySoon();
          replaceSession();
        }
      }
    } finally {
      running = false;
    }
  }

  function take(client: Socket, messages: Uint8Array[], startup?: Startup): void {
    if (startup) {
      settings.set(client, settingsOf(startup));
      if (startup.application_name !== RELAY) guests.add(client);
    }
    queue.push({ client, messages, startsUp: startup !== undefined });
    pump().catch((error) => client.destroy(error));
  }

  const server = createServer((client) => {
    clients.add(client);
    client.setNoDelay(true);
    client.on('error', () => {});
    readMessages(client, (messages, startup) => take(client, messages, startup));
    client.on('close', () => {
      clients.delete(client);
      for (let i = queue.length - 1; i >= 0; i--) if (queue[i]?.client === client) queue.splice(i, 1);
      if (owner === client) queue.unshift({ client, rollback: true });
      pump().catch(() => {});
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(listen, resolve);
  });
  return {
    server,
    served: () => served,
    stop: () =>
      new Promise((resolve) => {
        for (const client of clients) client.destroy();
        server.close(() => resolve());
      }),
  };
}

function settingsOf({ application_name: name = '', options = '' }: Startup): Settings {
  return { name, scans: options.includes('enable_seqscan=off') ? 'off' : 'on' };
}
