import { type CallHandler, type ExecutionContext, HttpStatus, Injectable, type NestInterceptor } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import { problem } from './problem.js';

type BodyProblem = [status: HttpStatus, code: string, message: string];
type Parsed = FastifyRequest & { bodyProblem?: BodyProblem };

/**
 * Reads request bodies. Authentication comes before everything else, also before a broken body: what is wrong with it is
 * kept beside the request, and reported once the guards have let the caller in.
 */
export function useJsonBodies(app: NestFastifyApplication, bodyLimit: number): void {
  app.useBodyParser('application/json', { bodyLimit }, (request, body, done) => {
    try {
      done(null, JSON.parse(body.toString('utf8')));
    } catch {
      keep(request, HttpStatus.BAD_REQUEST, 'INVALID_JSON', 'body: is not valid JSON');
      done(null, undefined);
    }
  });
  app.useBodyParser('*', { bodyLimit }, (request, _body, done) => {
    keep(request, HttpStatus.UNSUPPORTED_MEDIA_TYPE, 'UNSUPPORTED_MEDIA_TYPE', 'send Content-Type: application/json');
    done(null, undefined);
  });
}

/** Reports a body that could not be read. */
@Injectable()
export class BodyInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler) {
    const { bodyProblem } = context.switchToHttp().getRequest<Parsed>();
    if (bodyProblem) throw problem(...bodyProblem);
    return next.handle();
  }
}

function keep(request: object, ...bodyProblem: BodyProblem): void {
  Object.assign(request, { bodyProblem });
}
