import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { ClientGoneError } from '../http/client-gone.js';
import { problem } from '../http/problem.js';

/** The longest file, in bytes (L90). */
export const MAX_BYTES = 5_242_880;
/** The longest line, in bytes: a character of UTF-8 has four at most (L91). */
const MAX_LINE = 4 * 65_536;
const LINE_FEED = 10;
/** What is still read of a body that is refused, in bytes, and for how long, in ms (L109). */
const MOST_DISCARDED = 16_777_216;
const DISCARD_MS = 5_000;

/** The bytes of a file. */
export interface ReceivedFile {
  readonly bytes: Buffer;
  /** SHA-256, in hex */
  readonly sha256: string;
}

/**
 * Receives a file. A body that is too long, or that has a line that is too long, is refused as soon as this is known (J1).
 * @throws 413, 422 FILE_REFUSED; ClientGoneError
 */
export async function receiveFile({ raw, headers }: FastifyRequest): Promise<ReceivedFile> {
  if (Number(headers['content-length'] ?? 0) > MAX_BYTES) {
    discardBody(raw);
    throw tooLarge();
  }
  const bytes = await receive(raw);
  return { bytes, sha256: createHash('sha256').update(bytes).digest('hex') };
}

/**
 * Reads on without keeping anything, while the refusal is answered: a client that still writes when the connection is closed fails with
 * EPIPE or ECONNRESET, and never reads the answer (J1). Beyond L109 the connection is closed all the same.
 */
export function discardBody(raw: IncomingMessage): void {
  let left = MOST_DISCARDED;
  raw.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) raw.destroy();
  });
  const timer = setTimeout(() => raw.destroy(), DISCARD_MS);
  raw.once('end', () => clearTimeout(timer));
  raw.once('close', () => clearTimeout(timer));
  // without a listener this error would end the process
  raw.on('error', () => undefined);
}

function receive(raw: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (raw.destroyed) return reject(new ClientGoneError());
    let chunks: Buffer[] = [];
    let size = 0;
    let line = 1;
    let lineBytes = 0;
    const refuse = (error: Error) => {
      chunks = [];
      raw.off('data', take);
      discardBody(raw);
      reject(error);
    };
    const take = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > MAX_BYTES) {
        refuse(tooLarge());
        return;
      }
      for (let at = 0; at < chunk.length; ) {
        const end = chunk.indexOf(LINE_FEED, at);
        lineBytes += (end < 0 ? chunk.length : end) - at;
        if (lineBytes > MAX_LINE) {
          refuse(fileRefused(line, `the line is longer than ${MAX_LINE} bytes`));
          return;
        }
        if (end < 0) break;
        line++;
        lineBytes = 0;
        at = end + 1;
      }
      chunks.push(chunk);
    };
    raw.on('data', take);
    let isComplete = false;
    raw.once('end', () => {
      isComplete = true;
      resolve(Buffer.concat(chunks));
    });
    const leave = () => isComplete || reject(new ClientGoneError());
    raw.once('error', leave);
    raw.once('close', leave);
    return undefined;
  });
}

function tooLarge() {
  return problem('PAYLOAD_TOO_LARGE', `the file must have at most ${MAX_BYTES} bytes: export fewer days`);
}

/** @param line null: of the file as a whole */
export function fileRefused(line: number | null, reason: string) {
  const text = line === null ? reason : `line ${line}: ${reason}`;
  return problem('FILE_REFUSED', text);
}
