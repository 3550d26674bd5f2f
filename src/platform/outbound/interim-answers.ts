import type { Socket } from 'node:net';
import { buildConnector } from 'undici';

/** The status line of an interim answer. 101 is a final answer, so it does not match. */
const INTERIM = /^HTTP\/1\.1 1(?!01)\d\d[ \r]/;
/** The number of bytes that {@link INTERIM} needs. */
const STATUS_LENGTH = 'HTTP/1.1 100 '.length;
const END_OF_HEADERS = '\r\n\r\n';
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

function skipInterim(socket: Socket): void {
  const read = socket.read.bind(socket);
  let interim = new InterimAnswers();
  /** The bytes after leading interim answers; null when no such bytes have arrived yet. */
  const pastInterim = (chunk: Buffer): Buffer | null => {
    let rest = chunk;
    while (INTERIM.test(rest.toString('latin1', 0, STATUS_LENGTH))) {
      const end = rest.indexOf(END_OF_HEADERS);
      if (end < 0) return rest;
      rest = rest.subarray(end + END_OF_HEADERS.length);
      const error = interim.add();
      if (!error) continue;
      socket.destroy(error);
      return null;
    }
    if (rest.length === 0) return null;
    interim = new InterimAnswers();
    return rest;
  };
  socket.read = (size?: number) => {
    const chunk: Buffer | null = read(size);
    return chunk && pastInterim(chunk);
  };
}
