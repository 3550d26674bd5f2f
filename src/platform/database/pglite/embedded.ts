import { createHash } from 'node:crypto';
import { chmodSync, fsyncSync, lstatSync, mkdirSync, realpathSync, rmSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { PGlite } from '@electric-sql/pglite';
import type { Log } from '../../telemetry/log.js';
import { isDiskFull, noSpaceIn } from '../disk-full.js';
import { failOnFatal } from './fatal.js';
import { type PGliteServer, servePGlite } from './server.js';

/** The embedded database cannot start; the message is for people. */
export class EmbeddedDatabaseError extends Error {}

/** Named as libpq expects it, so that `psql -h FOLDER` finds it. */
const SOCKET = '.s.PGSQL.5432';
/** Less than 103 bytes, the shortest limit that a system has for the path of a Unix socket. */
const MAX_SOCKET_PATH = 100;
const USER = 'postgres';

/**
 * The embedded default: PGlite in `dataDir`, served on a Unix socket in a folder that only its owner can enter. The socket
 * is also the lock: the process that listens on it owns the folder, and the lock ends with the process.
 */
export class EmbeddedDatabase {
  private constructor(
    private pglite: PGlite,
    private readonly server: PGliteServer,
    private readonly socketFolder: string,
  ) {}

  /**
   * @param log gets a line for a slow statement of a guest, and when the session was replaced
   * @throws EmbeddedDatabaseError when another process has the folder, or the folder cannot be used
   */
  static async open(dataDir: string, log?: Log): Promise<EmbeddedDatabase> {
    const folder = prepareSocketFolder(prepareFolder(dataDir));
    const path = join(folder, SOCKET);
    let started!: (database: PGlite) => void;
    const database = new Promise<PGlite>((resolve) => {
      started = resolve;
    });
    const onSlow = (ms: number) => log?.warn({ event: 'database.guest_slow', ms });
    const reopen = async () => {
      opened.pglite = await startPGlite(join(dataDir, 'postgres'));
      log?.warn({ event: 'database.session_replaced' });
      return opened.pglite;
    };
    const server = await takeSocket(path, dataDir, () => servePGlite(database, { path }, { onSlow, reopen }));
    let opened: EmbeddedDatabase;
    try {
      const pglite = await startPGlite(join(dataDir, 'postgres'));
      opened = new EmbeddedDatabase(pglite, server, folder);
      started(pglite);
      return opened;
    } catch (error) {
      await server.stop();
      if (isDiskFull(error)) throw new EmbeddedDatabaseError(noSpaceIn(dataDir));
      throw new EmbeddedDatabaseError(
        `the embedded database in ${dataDir} does not start: ${(error as Error).message ?? error} Its files may be damaged. Keep the folder, and restore ` +
          'a backup into another DATA_DIR: see "Backup and restore" in docs/operations.md',
      );
    }
  }

  /** How many units of statements have run, of all clients. */
  get served(): number {
    return this.server.served();
  }

  /** The connection URL, for the Prisma adapter, `pg` and other clients. */
  get url(): string {
    return urlOf(this.socketFolder);
  }

  /** The URL of the database in `dataDir`, also when no process serves it. Creates nothing. */
  static urlIn(dataDir: string): string {
    return urlOf(socketFolderOf(realpathSync(dataDir)));
  }

  /** The psql command that an operator pastes. */
  get psql(): string {
    return `psql -h '${this.socketFolder}' -U ${USER} postgres`;
  }

  async close(): Promise<void> {
    await this.server.stop();
    await this.pglite.close();
  }
}

function urlOf(socketFolder: string): string {
  return `postgresql://${USER}@localhost/postgres?host=${encodeURIComponent(socketFolder)}`;
}

/**
 * Starts PGlite with Postgres's durability. By default PGlite runs without fsync, and Emscripten's file system ignores the call. With these
 * settings a commit is answered after its WAL is on disk, so that every committed row survives kill -9 and a power cut.
 */
async function startPGlite(dataDir: string): Promise<PGlite> {
  // imported when needed: a relay on a Postgres server never loads PGlite
  const { PGlite } = await import('@electric-sql/pglite');
  const startParams = PGlite.defaultStartParams.filter((parameter) => parameter !== '-F');
  for (const setting of ['fsync=on', 'wal_sync_method=fsync', 'timezone=UTC']) startParams.push('-c', setting);
  const pglite = await PGlite.create({ dataDir, startParams });
  syncFilesForReal(pglite);
  failOnFatal(pglite);
  await pglite.exec('CHECKPOINT');
  return pglite;
}

interface NodeFileSystem {
  stream_ops: { fsync?: (stream: { nfd: number }) => number };
}

function syncFilesForReal(pglite: PGlite): void {
  const { NODEFS } = pglite.Module as unknown as { NODEFS: NodeFileSystem };
  NODEFS.stream_ops.fsync = ({ nfd }) => {
    fsyncSync(nfd);
    return 0;
  };
}

function prepareFolder(dataDir: string): string {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    // the database has no password
    chmodSync(dataDir, 0o700);
    return realpathSync(dataDir);
  } catch (error) {
    if (isDiskFull(error)) throw new EmbeddedDatabaseError(noSpaceIn(dataDir));
    throw new EmbeddedDatabaseError(`DATA_DIR ${dataDir} cannot be used: ${(error as Error).message}`);
  }
}

/** The data folder itself or, where its path is too long for a socket, a private folder named after it. */
function socketFolderOf(dataDir: string): string {
  if (Buffer.byteLength(join(dataDir, SOCKET)) <= MAX_SOCKET_PATH) return dataDir;
  const name = createHash('sha256').update(dataDir).digest('hex').slice(0, 16);
  return join(tmpdir(), `relay-${userInfo().uid}-${name}`);
}

function prepareSocketFolder(dataDir: string): string {
  const folder = socketFolderOf(dataDir);
  if (folder === dataDir) return folder;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { uid, mode } = lstatSync(folder);
  if (uid !== userInfo().uid || (mode & 0o077) !== 0)
    throw new EmbeddedDatabaseError(`${folder} must belong to this user and be closed to others; remove it`);
  return folder;
}

/** Listens on `path`, unless a living process listens there; the socket of a dead process is replaced. */
async function takeSocket(path: string, dataDir: string, listen: () => Promise<PGliteServer>): Promise<PGliteServer> {
  const taken = new EmbeddedDatabaseError(
    `DATA_DIR ${dataDir} is in use by another relay. Stop it, choose another DATA_DIR, or set DATABASE_URL to share a server.`,
  );
  let server: PGliteServer;
  try {
    server = await listen();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    if (await answers(path)) throw taken;
    rmSync(path, { force: true });
    server = await listen();
  }
  // two processes may replace the same dead socket: the last one to listen has the name, the other gives up
  const mine = statSync(path).ino;
  await delay(100);
  if (statSync(path, { throwIfNoEntry: false })?.ino !== mine) {
    // the server is not closed: closing would remove the socket of the other process
    server.server.unref();
    throw taken;
  }
  return server;
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
