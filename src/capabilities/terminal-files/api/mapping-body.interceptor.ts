import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

/** A body `{mapping: {…}}` is that mapping, as a file has it, with what stands beside it (J8). */
export class MappingBodyInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler) {
    const request = context.switchToHttp().getRequest<FastifyRequest<{ Body: unknown }>>();
    request.body = mappingOf(request.body);
    return next.handle();
  }
}

function mappingOf(body: unknown): unknown {
  if (!isObject(body) || !isObject(body.mapping)) return body;
  const { mapping, ...beside } = body;
  return { ...(mapping as object), ...beside };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
