import { createHash } from 'node:crypto';
import { type CallHandler, type ExecutionContext, HttpStatus, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { map, type Observable } from 'rxjs';

/**
 * An answer of receipts gets its `ETag`, and is a 304 when the sender has it (V25). The tag is weak and of the receipts alone: a sender who
 * gets a 304 keeps its cursor, which is as good as a new one.
 */
@Injectable()
export class EtagInterceptor implements NestInterceptor<{ data: unknown }> {
  intercept(
    context: ExecutionContext,
    next: CallHandler<{ data: unknown }>,
  ): Observable<{ data: unknown } | undefined> {
    const http = context.switchToHttp();
    const { headers } = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    return next.handle().pipe(
      map((answer) => {
        const tag = `W/"${createHash('sha256').update(JSON.stringify(answer.data)).digest('base64url').slice(0, 27)}"`;
        reply.header('ETag', tag);
        const known = headers['if-none-match']?.split(',').map((each) => each.trim());
        if (!known?.some((each) => each === '*' || each === tag || `W/${each}` === tag)) return answer;
        reply.status(HttpStatus.NOT_MODIFIED);
        return undefined;
      }),
    );
  }
}
