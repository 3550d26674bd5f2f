import type { IncomingMessage, ServerResponse } from 'node:http';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { skipWhatWasRead } from './skip-what-was-read.js';

/** The chunks of a body that its size does not have to explain, and the bytes for each further one (L161). */
const FREE_CHUNKS = 512;
const BYTES_PER_CHUNK = 128;

/** The code of the error that goes to the handler of client errors. */
export const TOO_MANY_CHUNKS = 'RELAY_TOO_MANY_CHUNKS';

/**
 * Refuses a body in too many chunks (H23), whether or not somebody reads it. Node calls back for each chunk: 64 KiB that have arrived, in chunks
 * of one byte, take 20 ms, and nothing else is done meanwhile. Must be called after all other listeners of requests are added.
 */
export function limitChunks(app: NestFastifyApplication): void {
  const { server } = app.getHttpAdapter().getInstance();
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    if (request.headers['transfer-encoding'] === undefined) return;
    // Node would drop the body of a request that is answered, and not say so: now somebody has read of it
    request.read(0);
    response.once('finish', () => request.resume());
    let chunks = 0;
    let bytes = 0;
    const push = request.push.bind(request);
    request.push = (piece: Buffer | null, encoding) => {
      if (piece === null) return push(piece, encoding);
      bytes += piece.length;
      if (++chunks <= FREE_CHUNKS + bytes / BYTES_PER_CHUNK) return push(piece, encoding);
      if (!request.destroyed) {
        skipWhatWasRead(request.socket);
        server.emit(
          'clientError',
          Object.assign(new Error('too many chunks'), { code: TOO_MANY_CHUNKS }),
          request.socket,
        );
      }
      return false;
    };
  });
}
