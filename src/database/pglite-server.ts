import { createServer, type Server, type Socket } from 'node:net';
import type { PGlite } from '@electric-sql/pglite';

// Frontend message types of the Postgres protocol, version 3.
const SYNC = 0x53;
const QUERY = 0x51;
const FUNCTION_CALL = 0x46;
const COPY_DONE = 0x63;
const COPY_FAIL = 0x66;
const TERMINATE = 0x58;
const ENDS_A_UNIT = new Set([SYNC, QUERY, FUNCTION_CALL, COPY_DONE, COPY_FAIL]);

const SSL_REQUEST = 80877103;
const GSS_REQUEST = 80877104;
const CANCEL_REQUEST = 80877102;

/** Messages of one client that must reach the database together, or the order to roll back what a lost client left open. */
type Unit = { client: Socket; messages: Uint8Array[] } | { client: Socket; rollback: true };

export interface PGliteServer {
  readonly server: Server;
  /** Stops listening and drops the clients; the database itself stays open. */
  stop(): Promise<void>;
}

/**
 * Serves one PGlite, which is a single session, to several Postgres clients.
 *
 * A unit (everything up to Sync) of one client is never mixed with another's: with messages interleaved, a Bind would
 * reach a statement somebody else parsed. While a client has a transaction open, the others wait; one that dies in it is
 * rolled back, one that idles in it longer than `idleInTransactionMs` is dropped.
 */
export async function servePGlite(
  database: Promise<PGlite>,
  listen: { path: string } | { host: string; port: number },
  idleInTransactionMs = 10_000,
): Promise<PGliteServer> {
  const queue: Unit[] = [];
  const clients = new Set<Socket>();
  let owner: Socket | undefined;
  let running = false;
  let idle: NodeJS.Timeout | undefined;

  async function run(db: PGlite, unit: Unit): Promise<void> {
    if ('rollback' in unit) {
      await db.exec('ROLLBACK');
      owner = undefined;
      return;
    }
    const answer: Buffer[] = [];
    try {
      await db.runExclusive(async () => {
        for (const message of unit.messages) {
          await db.execProtocolRawStream(message, { onRawData: (data) => answer.push(Buffer.from(data)) });
        }
      });
    } catch (error) {
      unit.client.destroy(error as Error);
    }
    if (unit.client.writable && answer.length > 0) unit.client.write(Buffer.concat(answer));
    owner = db.isInTransaction() ? unit.client : undefined;
    if (owner?.destroyed) queue.unshift({ client: owner, rollback: true });
    else if (owner) {
      const holder = owner;
      idle = setTimeout(() => holder.destroy(), idleInTransactionMs).unref();
    }
  }

  async function pump(): Promise<void> {
    if (running) return;
    running = true;
    try {
      const db = await database;
      for (;;) {
        const next = owner ? queue.findIndex((unit) => unit.client === owner) : 0;
        const unit = queue[next];
        if (!unit) break;
        queue.splice(next, 1);
        clearTimeout(idle);
        await run(db, unit);
      }
    } finally {
      running = false;
    }
  }

  function take(client: Socket, messages: Uint8Array[]): void {
    queue.push({ client, messages });
    pump().catch((error) => client.destroy(error));
  }

  const server = createServer((client) => {
    clients.add(client);
    client.setNoDelay(true);
    client.on('error', () => {});
    readMessages(client, (messages) => take(client, messages));
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
    stop: () =>
      new Promise((resolve) => {
        for (const client of clients) client.destroy();
        server.close(() => resolve());
      }),
  };
}

/** Cuts a client's bytes into protocol messages and hands them on in units. */
function readMessages(client: Socket, onUnit: (messages: Uint8Array[]) => void): void {
  let chunks: Buffer[] = [];
  let have = 0;
  let started = false;
  let unit: Uint8Array[] = [];

  client.on('data', (data: Buffer) => {
    chunks.push(data);
    have += data.length;
    let offset = 0;
    for (;;) {
      const header = started ? 5 : 8;
      if (have - offset < header) break;
      const buffer = whole();
      const length = started ? 1 + buffer.readInt32BE(offset + 1) : buffer.readInt32BE(offset);
      if (length < header) {
        client.destroy();
        return;
      }
      if (have - offset < length) break;
      const message = buffer.subarray(offset, offset + length);
      offset += length;
      if (started) onMessage(message);
      else onStartup(message);
    }
    if (offset === 0) return;
    have -= offset;
    chunks = have > 0 ? [whole().subarray(offset)] : [];
  });

  function whole(): Buffer {
    if (chunks.length > 1) chunks = [Buffer.concat(chunks)];
    return chunks[0] as Buffer;
  }

  function onStartup(message: Buffer): void {
    const code = message.readInt32BE(4);
    if (code === SSL_REQUEST || code === GSS_REQUEST) client.write('N');
    else if (code === CANCEL_REQUEST) client.end();
    else {
      started = true;
      onUnit([message]);
    }
  }

  function onMessage(message: Buffer): void {
    const type = message[0] as number;
    // the session is shared: no client may end it
    if (type === TERMINATE) {
      client.end();
      return;
    }
    unit.push(message);
    if (ENDS_A_UNIT.has(type)) {
      onUnit(unit);
      unit = [];
    }
  }
}
