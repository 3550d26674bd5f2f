import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  UseInterceptors,
} from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { isConsoleRead } from './console-request.js';
import { SharedReads } from './shared-reads.js';

/** Shares an answer among the console's viewers; runs after the guards, so that each of them was authorized. */
@Injectable()
class SharedAnswerInterceptor implements NestInterceptor {
  constructor(private readonly reads: SharedReads) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (!isConsoleRead(request)) return next.handle();
    return from(this.reads.of(request.url, () => lastValueFrom(next.handle())));
  }
}

/**
 * Lets viewers of the console who ask for the same path and query within a second share one answer (N8). Only for a GET whose
 * answer is the same for everybody who may have it, and is all in its body: not for what depends on the caller, nor for one that
 * sets a status or a header.
 */
export const SharedAnswer = () => UseInterceptors(SharedAnswerInterceptor);
