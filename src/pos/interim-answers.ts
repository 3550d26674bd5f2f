import type { Socket } from 'node:net';
import { buildConnector } from 'undici';

/** The status line of an interim answer. 101 is a final answer, so it does not match. */
const INTERIM = /^HTTP\/1\.1 1(?!01)\d\d[ \r]/;
/** The number of bytes that {@link INTERIM} needs. */
const STATUS_LENGTH = 'HTTP/1.1 100 '.length;
const END_OF_HEADERS = '\r\n\r\n';

/**
 * Connects as undici does, and skips interim answers (RFC 9110, section 15.2): undici would close the connection at an unrequested
 * `100 Continue`, though the order has arrived.
 * @param timeoutMs limit of opening a connection, TLS included, in ms
 */
export function connectorPastInterim(timeoutMs: number): buildConnector.connector {
  const connect = buildConnector({ timeout: timeoutMs, allowH2: false });
  return (options, callback) =>
    connect(options, (...[error, socket]) => {
      if (error) return callback(error, null);
      skipInterim(socket);
      callback(null, socket);
    });
}

function skipInterim(socket: Socket): void {
  const read = socket.read.bind(socket);
  socket.read = (size?: number) => {
    const chunk: Buffer | null = read(size);
    return chunk && pastInterim(chunk);
  };
}

/** The bytes after leading interim answers; null when no such bytes have arrived yet. */
function pastInterim(chunk: Buffer): Buffer | null {
  let rest = chunk;
  while (INTERIM.test(rest.toString('latin1', 0, STATUS_LENGTH))) {
    const end = rest.indexOf(END_OF_HEADERS);
    if (end < 0) return rest;
    rest = rest.subarray(end + END_OF_HEADERS.length);
  }
  return rest.length > 0 ? rest : null;
}
