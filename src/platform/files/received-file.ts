import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { discardBody } from '../http/body/discard-body.js';
import { type ReceivedBytes, receiveBytes } from '../http/body/received-bytes.js';
import { problem } from '../http/problem.js';
import { FILE_WORK_CODES } from './error-codes.js';

/** The longest file, in bytes (L90). */
export const MAX_BYTES = 5_242_880;
/** The longest line, in bytes: a character of UTF-8 has four at most (L91). */
const MAX_LINE = 4 * 65_536;
const LINE_FEED = 10;

/** The bytes of a file. They count until `held` is ended (W43). */
export interface ReceivedFile extends ReceivedBytes {
  /** SHA-256, in hex */
  readonly sha256: string;
}

/**
 * Receives a file. A body that is too long, or that has a line that is too long, is refused as soon as this is known (J1).
 * @param giveWay is called when other bodies need the room while the file waits, until `held` is settled or ended
 * @throws 413, 422 FILE_REFUSED; 503 TOO_MANY_BODIES (W43); ClientGoneError
 */
export async function receiveFile(request: FastifyRequest, giveWay: () => void): Promise<ReceivedFile> {
  const hash = createHash('sha256');
  let line = 1;
  let lineBytes = 0;
  const look = (piece: Buffer) => {
    for (let at = 0; at < piece.length; at++) {
      if (piece[at] === LINE_FEED) {
        line++;
        lineBytes = 0;
      } else if (++lineBytes > MAX_LINE) return fileRefused(line, `the line is longer than ${MAX_LINE} bytes`);
    }
    hash.update(piece);
    return undefined;
  };
  const received = await receiveBytes(request, { proof: 'proven', limit: MAX_BYTES, look, giveWay });
  if (received) return { ...received, sha256: hash.digest('hex') };
  // of a body that announces its length nothing was read yet
  if (request.raw.readableFlowing === null) discardBody(request.raw);
  throw tooLarge();
}

function tooLarge() {
  return problem('PAYLOAD_TOO_LARGE', `the file must have at most ${MAX_BYTES} bytes: export fewer days`);
}

/** @param line null: of the file as a whole */
export function fileRefused(line: number | null, reason: string) {
  const text = line === null ? reason : `line ${line}: ${reason}`;
  return problem(FILE_WORK_CODES.FILE_REFUSED, text);
}
