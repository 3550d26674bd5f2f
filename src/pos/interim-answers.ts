import type { Socket } from 'node:net';
import { buildConnector } from 'undici';

const CONTINUE = Buffer.from('HTTP/1.1 100');
const END_OF_HEADERS = '\r\n\r\n';

/**
 * Connects as undici does. A `100 Continue` that nobody asked for, which a server may send (RFC 9110, section 15.2), is
 * skipped: undici takes it for the end of the connection, though the order has arrived.
 * @param timeoutMs for the connection, TLS included, in ms
 */
export function connectorPastContinue(timeoutMs: number): buildConnector.connector {
  const connect = buildConnector({ timeout: timeoutMs, allowH2: false });
  return (options, callback) =>
    connect(options, (...[error, socket]) => {
      if (error) return callback(error, null);
      skipContinue(socket);
      callback(null, socket);
    });
}

function skipContinue(socket: Socket): void {
  const read = socket.read.bind(socket);
  socket.read = (size?: number) => {
    const chunk: Buffer | null = read(size);
    return chunk && isContinue(chunk) ? after(chunk) : chunk;
  };
}

function isContinue(chunk: Buffer): boolean {
  return chunk.length >= CONTINUE.length && chunk.compare(CONTINUE, 0, CONTINUE.length, 0, CONTINUE.length) === 0;
}

/** What follows the interim answer; null when nothing has come yet. */
function after(chunk: Buffer): Buffer | null {
  const end = chunk.indexOf(END_OF_HEADERS);
  if (end < 0) return chunk;
  const rest = chunk.subarray(end + END_OF_HEADERS.length);
  return rest.length > 0 ? rest : null;
}
