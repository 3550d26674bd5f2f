import type { IncomingMessage } from 'node:http';

/** What is still read of a body that is refused, in bytes, and for how long, in ms (L109). */
const MOST_DISCARDED = 16_777_216;
const DISCARD_MS = 5_000;

/**
 * Reads on without keeping anything, while the refusal is answered: a client that still writes when the connection is closed fails with
 * EPIPE or ECONNRESET, and never reads the answer (J1, W43). Beyond L109 the connection is closed all the same.
 */
export function discardBody(raw: IncomingMessage): void {
  let left = MOST_DISCARDED;
  raw.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) raw.destroy();
  });
  raw.resume();
  const timer = setTimeout(() => raw.destroy(), DISCARD_MS);
  raw.once('end', () => clearTimeout(timer));
  raw.once('close', () => clearTimeout(timer));
  // without a listener this error would end the process
  raw.on('error', () => undefined);
}
