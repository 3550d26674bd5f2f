import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiParam, ApiQuery } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';

type OrderRequest = FastifyRequest<{ Params: { transactionKey: string }; Querystring: { key?: unknown } }>;

/** Parameter decorator: the key of the order. `key` in the query takes precedence over the path. */
export const OrderKey = createParamDecorator((_: unknown, context: ExecutionContext): string => {
  const { params, query } = context.switchToHttp().getRequest<OrderRequest>();
  return typeof query.key === 'string' ? query.key : params.transactionKey;
});

/** Documents the parameters that {@link OrderKey} reads. */
export const ApiOrderKey = () =>
  applyDecorators(
    ApiParam({ name: 'transactionKey', type: String, description: 'as stored: in test mode with its suffix' }),
    ApiQuery({
      name: 'key',
      required: false,
      type: String,
      description: 'the key, in place of the one in the path, for keys that no path can carry: /orders/key?key=..',
    }),
  );
