import type { Socket } from 'node:net';

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

/** The parameters of the start-up message: `user`, `application_name`, …. */
export type Startup = Readonly<Record<string, string>>;

/**
 * Splits a client's bytes into protocol messages and passes the messages on in units. A unit is everything up to Sync; its messages must
 * reach the database together. The start-up message is the first unit, and comes with its parameters.
 */
export function readMessages(client: Socket, onUnit: (messages: Uint8Array[], startup?: Startup) => void): void {
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
      onUnit([message], parametersOf(message));
    }
  }

  function onMessage(message: Buffer): void {
    const type = message[0] as number;
    // only the connection ends, since all clients share the session
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

function parametersOf(startup: Buffer): Startup {
  const words = startup.toString('utf8', 8).split('\0');
  const parameters: Record<string, string> = Object.create(null);
  for (let i = 0; i + 1 < words.length && words[i] !== ''; i += 2) parameters[words[i] as string] = words[i + 1] ?? '';
  return parameters;
}
