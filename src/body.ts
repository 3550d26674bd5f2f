import type { Readable } from 'node:stream';
import { type CallHandler, type ExecutionContext, HttpStatus, Injectable, type NestInterceptor } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import { problem } from './problem.js';

const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+*-]+\s*(;|$)/;

type BodyProblem = [status: HttpStatus, code: string, message: string];
type Parsed = FastifyRequest & { bodyProblem?: BodyProblem };

/**
 * Reads request bodies. Authentication comes before everything else, also before a body that is broken, too large or no
 * JSON: what is wrong with it is kept beside the request, and reported once the guards have let the caller in.
 */
export function useJsonBodies(app: NestFastifyApplication, limitBytes: number): void {
  const fastify = app.getHttpAdapter().getInstance();
  fastify.removeAllContentTypeParsers();
  fastify.addHook('onRequest', async ({ headers }: FastifyRequest) => {
    // Fastify itself would refuse what is no media type at all, before any guard
    if (headers['content-type'] && !MEDIA_TYPE.test(headers['content-type']))
      headers['content-type'] = 'unreadable/unknown';
  });
  fastify.addContentTypeParser('application/json', async (request: Parsed, payload: Readable) => {
    const text = await read(payload, Number(request.headers['content-length'] ?? 0), limitBytes);
    if (text === undefined)
      return keep(
        request,
        HttpStatus.PAYLOAD_TOO_LARGE,
        'PAYLOAD_TOO_LARGE',
        `body: must have at most ${limitBytes} bytes`,
      );
    // many clients announce JSON with every request, also where nothing is to be sent
    if (text === '') return undefined;
    try {
      return JSON.parse(text);
    } catch {
      return keep(request, HttpStatus.BAD_REQUEST, 'INVALID_JSON', 'body: is not valid JSON');
    }
  });
  fastify.addContentTypeParser('*', async (request: Parsed) =>
    keep(request, HttpStatus.UNSUPPORTED_MEDIA_TYPE, 'UNSUPPORTED_MEDIA_TYPE', 'send Content-Type: application/json'),
  );
}

/** Reports a body that could not be read. */
@Injectable()
export class BodyInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler) {
    const http = context.switchToHttp();
    const { bodyProblem } = http.getRequest<Parsed>();
    if (!bodyProblem) return next.handle();
    // what was not read stands in the way of the next request
    http.getResponse().header('Connection', 'close');
    throw problem(...bodyProblem);
  }
}

/** The whole body as text; undefined, and no further reading, when it is longer than the limit. */
function read(payload: Readable, announcedBytes: number, limitBytes: number): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    if (announcedBytes > limitBytes) return resolve(undefined);
    const chunks: Buffer[] = [];
    let size = 0;
    payload.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limitBytes) chunks.push(chunk);
      else {
        payload.pause();
        resolve(undefined);
      }
    });
    payload.once('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    payload.once('error', reject);
    return undefined;
  });
}

function keep(request: Parsed, ...bodyProblem: BodyProblem): undefined {
  request.bodyProblem = bodyProblem;
  return undefined;
}
