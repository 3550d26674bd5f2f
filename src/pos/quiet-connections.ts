import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';

/** Silence after an answer that a request on the same connection waits for while the POS is not known to be quiet, ms (L212). */
const QUIET_MS = 100;
/** The reuses of connections in silence after which a POS is known to be quiet (L212). */
const KNOWN_AFTER = 20;
/** A connection that was not silent for so long is looked at again: a busy one may give each request the answer of the one before, ms (L213). */
const SILENT_EVERY_MS = 10_000;
/** The time after a surplus answer in which no connection is used a second time, ms (L212). */
const DISTRUSTED_MS = 600_000;

/** Some servers send an empty line after a body. */
const BLANK = /^[\r\n]*$/;

/** The request was not written to its connection: it may be sent on another one. */
const NOT_WRITTEN = 'POS_NOT_WRITTEN';

/** Whether the error says that nothing of the request was sent, because its connection was no longer to be used. */
export function isNotWritten(error: Error): boolean {
  return (error as NodeJS.ErrnoException).code === NOT_WRITTEN;
}

/**
 * What is known of the connections to a POS: whether it sends bytes that nobody asked for, which the next request would take for its answer (D26).
 */
export class Quietness {
  private silentReuses = 0;
  private distrustedUntil = Number.NEGATIVE_INFINITY;

  /**
   * @param onSurplus called at each surplus answer
   * @param now the monotonic clock, ms
   */
  constructor(
    private readonly onSurplus: () => void = () => undefined,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Whether a connection may have a request after another one. */
  get allowsReuse(): boolean {
    return this.now() >= this.distrustedUntil;
  }

  /**
   * How long a request waits on a connection, in ms.
   * @param silentMs since the connection's last bytes
   * @param busyMs since it was silent for the last time
   */
  holdMs(silentMs: number, busyMs: number): number {
    const isKnown = this.silentReuses >= KNOWN_AFTER && busyMs < SILENT_EVERY_MS;
    return isKnown ? 0 : Math.max(0, QUIET_MS - silentMs);
  }

  /** Notes that a connection was silent until its next request was written. */
  silent(): void {
    this.silentReuses++;
  }

  /** Notes bytes that nobody asked for. */
  surplus(): void {
    this.silentReuses = 0;
    this.distrustedUntil = this.now() + DISTRUSTED_MS;
    this.onSurplus();
  }
}

/** Connects as `connect` does, and closes a connection with bytes that nobody asked for before a request is written to it (D26). */
export function quietConnector(connect: buildConnector.connector, quietness: Quietness): buildConnector.connector {
  return (target, callback) =>
    connect(target, (...[error, socket]) => {
      if (error) return callback(error, null);
      watch(socket, quietness);
      callback(null, socket);
    });
}

/** undici writes a request at once, and the next one after the answer: a first write after a read begins a request. */
function watch(socket: Socket, quietness: Quietness): void {
  const [read, write] = [socket.read.bind(socket), socket.write.bind(socket)];
  type Written = Parameters<typeof write>;
  /** by performance.now(); undefined: nothing was read since the last request began */
  let readAt: number | undefined;
  /** the writes of a request that waits for silence */
  let held: Written[] | undefined;
  /** when it was silent for the last time, by performance.now() */
  let silentAt = performance.now();
  const silent = () => {
    silentAt = performance.now();
    quietness.silent();
  };
  const refuse = () => {
    const message = 'the POS has sent bytes that nobody asked for; the request was not sent on this connection';
    socket.destroy(Object.assign(new Error(message), { code: NOT_WRITTEN }));
  };
  const release = () => {
    const writes = held;
    held = undefined;
    if (socket.destroyed || !writes) return;
    silent();
    socket.cork();
    for (const each of writes) write(...each);
    socket.uncork();
  };
  socket.read = (size?: number) => {
    const chunk: Buffer | null = read(size);
    if (!chunk) return chunk;
    if (held && !BLANK.test(chunk.toString('latin1', 0, 1_000))) {
      quietness.surplus();
      refuse();
      return null;
    }
    readAt = performance.now();
    return chunk;
  };
  socket.write = ((...args: Written) => {
    if (held) {
      held.push(args);
      return true;
    }
    if (readAt === undefined) return write(...args);
    const now = performance.now();
    const silentMs = now - readAt;
    const holdMs = quietness.holdMs(silentMs, now - silentAt);
    readAt = undefined;
    if (!quietness.allowsReuse) {
      refuse();
      return false;
    }
    if (holdMs > 0) {
      held = [args];
      // after what has arrived is read: a process that was busy sees its timers first
      setTimeout(() => setImmediate(release), holdMs);
      return true;
    }
    if (silentMs >= QUIET_MS) silent();
    return write(...args);
  }) as typeof write;
  // before undici's own listener: the request was not written
  socket.on('end', () => held && refuse());
  // how undici closes a connection with bytes of an answer while no request is under way
  socket.on('error', ({ message }) => message === 'bad response' && quietness.surplus());
}
