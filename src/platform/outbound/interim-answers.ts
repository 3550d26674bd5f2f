import type { Socket } from 'node:net';
import { buildConnector } from 'undici';

/** The status line of an interim answer. 101 is a final answer, so it does not match. */
const INTERIM = /^HTTP\/1\.1 1(?!01)\d\d[ \r]/;
/** What {@link INTERIM} matches, and as many bytes as it needs. */
const STATUS = 'HTTP/1.1 100 ';
const END_OF_HEADERS = '\r\n\r\n';
/** The most bytes of an incomplete interim answer that are kept until the rest arrives (L176). */
const MOST_KEPT = 16_384;
/** The most interim answers before an answer (L168): each costs as much to read as a short answer, and a flood of them holds the process. */
const MOST_INTERIM = 100;

/** Counts the interim answers to one request. */
export class InterimAnswers {
  private count = 0;

  /** @returns an error when there are too many: the connection is to be closed */
  add(): Error | undefined {
    return ++this.count > MOST_INTERIM ? tooMany() : undefined;
  }
}

const tooMany = () => Object.assign(new Error('too many interim answers (1xx)'), { code: 'TOO_MANY_INTERIM' });

/**
 * Connects as undici does, and skips interim answers (RFC 9110, section 15.2): undici would close the connection at an unrequested
 * `100 Continue`, though the order has arrived.
 * @param options `timeout`: limit of opening a connection, TLS included, in ms
 */
export function connectorPastInterim(options: buildConnector.BuildOptions): buildConnector.connector {
  const connect = buildConnector({ ...options, allowH2: false });
  return (target, callback) =>
    connect(target, (...[error, socket]) => {
      if (error) return callback(error, null);
      skipInterim(socket);
      callback(null, socket);
    });
}

/**
 * Removes the interim answers in front of each answer from what the socket gives to its reader. An incomplete one is kept until its rest
 * has arrived (L176): undici would take it for a bad answer, though the order has arrived.
 */
function skipInterim(socket: Socket): void {
  const [read, write] = [socket.read.bind(socket), socket.write.bind(socket)];
  let interim = new InterimAnswers();
  // in a body nothing is kept or removed: it may have the text of an interim answer, or end with the beginning of one
  let atBegin = true;
  let kept: Buffer | undefined;
  /** The bytes after leading interim answers; null when no such bytes have arrived yet. */
  const pastInterim = (chunk: Buffer): Buffer | null => {
    let rest = kept ? Buffer.concat([kept, chunk]) : chunk;
    kept = undefined;
    while (mayBeInterim(rest)) {
      const end = rest.indexOf(END_OF_HEADERS);
      if (end < 0 && rest.length <= MOST_KEPT) {
        kept = rest;
        return null;
      }
      if (end < 0) break;
      rest = rest.subarray(end + END_OF_HEADERS.length);
      const error = interim.add();
      if (!error) continue;
      socket.destroy(error);
      return null;
    }
    if (rest.length === 0) return null;
    atBegin = false;
    return rest;
  };
  socket.read = (size?: number) => {
    const chunk: Buffer | null = read(size);
    return chunk && atBegin ? pastInterim(chunk) : chunk;
  };
  // requests follow one another on a connection: what is read after one was written is its answer
  socket.write = ((...args: Parameters<typeof write>) => {
    if (!atBegin) {
      atBegin = true;
      interim = new InterimAnswers();
    }
    return write(...args);
  }) as typeof socket.write;
}

/** Whether the bytes are an interim answer, or the beginning of one. */
function mayBeInterim(bytes: Buffer): boolean {
  if (bytes.length === 0) return false;
  const begin = bytes.toString('latin1', 0, STATUS.length);
  return INTERIM.test(begin + STATUS.slice(begin.length));
}
