import type { Socket } from 'node:net';
import { buildConnector } from 'undici';

/** 101 is none of them: it is an answer, to an upgrade that nobody asked for. */
const INTERIM = /^HTTP\/1\.1 1(?!01)\d\d[ \r]/;
/** As much as {@link INTERIM} looks at. */
const STATUS_LENGTH = 'HTTP/1.1 100 '.length;
const END_OF_HEADERS = '\r\n\r\n';

/**
 * Connects as undici does. Interim answers that nobody asked for, which a server may send, several of them too (RFC 9110,
 * section 15.2), are skipped: undici takes a `100 Continue` for the end of the connection, though the order has arrived.
 * @param timeoutMs for the connection, TLS included, in ms
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

/** What follows the interim answers with which the bytes begin; null when nothing has come yet. */
function pastInterim(chunk: Buffer): Buffer | null {
  let rest = chunk;
  while (INTERIM.test(rest.toString('latin1', 0, STATUS_LENGTH))) {
    const end = rest.indexOf(END_OF_HEADERS);
    if (end < 0) return rest;
    rest = rest.subarray(end + END_OF_HEADERS.length);
  }
  return rest.length > 0 ? rest : null;
}
