import { Body, Controller, Get, HttpStatus, Post, Query, Res } from '@nestjs/common';
import { ApiAcceptedResponse, ApiBody, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Does } from '../platform/http/does.js';
import { InShare } from '../platform/http/limits/shares.js';
import { Refuses } from '../platform/http/openapi/errors.js';
import { problem } from '../platform/http/problem.js';
import { CallerLink, ForPermission, type Link } from '../user-links/restaurant.guard.js';
import { ApiOrderKey, OrderKey } from './order-key.js';
import { OrderPageView } from './order-page.dto.js';
import { CancelOrderDto, CancelRequestedView, OrderDetailView, QueryOrdersDto } from './orders.dto.js';
import { OrdersService } from './orders.service.js';

@ApiTags('orders')
@Controller('restaurants/:restaurantId/orders')
export class OrdersController {
  constructor(private readonly orders: OrdersService) {}

  @Get()
  @InShare(({ q }) => (q ? 'search' : 'ordinary'))
  @ForPermission('view_data')
  @Does(
    'Lists orders',
    "The restaurant's orders with their delivery state, newest first, paged by cursor: send " +
      '`meta.next` as `after`.',
  )
  @ApiOkResponse({ type: OrderPageView, description: 'one page of orders' })
  listOrders(@CallerLink() { restaurantId }: Link, @Query() query: QueryOrdersDto): Promise<OrderPageView> {
    return this.orders.list(restaurantId, query);
  }

  @Get(':transactionKey')
  @ForPermission('view_data')
  @Does(
    'Returns an order',
    'The stored transaction, the order as it was sent to the POS (or would be sent), its jobs, and every delivery attempt.',
  )
  @ApiOrderKey()
  @ApiOkResponse({ type: OrderDetailView, description: 'the order, its jobs and their attempts' })
  getOrder(@CallerLink() { restaurantId, role }: Link, @OrderKey() key: string): Promise<OrderDetailView> {
    return this.orders.get(restaurantId, key, role === 'OWNER');
  }

  @Post(':transactionKey/cancel')
  @ForPermission('manage_operations', 'manage_data')
  @Refuses('ORDER_ENTERED', 'NOT_FOUND')
  @Does(
    'Cancels an order',
    'An order that was not sent yet is withdrawn and never reaches the POS. A delivered order is ' +
      'cancelled at the POS by a CANCEL job, which is retried like other jobs. What somebody entered in the till by hand is voided there by ' +
      'hand: then repeat with `entered`.',
  )
  @ApiOrderKey()
  @ApiBody({ type: CancelOrderDto, required: false })
  @ApiAcceptedResponse({
    type: CancelRequestedView,
    description: 'the order will be cancelled; a parked cancel is sent again',
  })
  @ApiOkResponse({
    type: CancelRequestedView,
    description: 'the cancel was requested before, and is not parked; the same job is returned',
  })
  async cancelOrder(
    @CallerLink() caller: Link,
    @OrderKey() key: string,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Body() body: unknown,
  ): Promise<CancelRequestedView> {
    const { jobId, accepted } = await this.orders.cancel(caller, key, { entered: isEntered(body) });
    reply.status(accepted ? HttpStatus.ACCEPTED : HttpStatus.OK);
    return { message: accepted ? 'the order will be cancelled' : 'the cancel was asked for before', data: { jobId } };
  }
}

/** Reads {@link CancelOrderDto}. Other fields are ignored: the request had no body for a long time, and senders may have any. */
function isEntered(body: unknown): boolean {
  const { entered } = (body ?? {}) as { readonly entered?: unknown };
  if (entered !== undefined && typeof entered !== 'boolean')
    throw problem('VALIDATION_FAILED', ['entered must be true or false']);
  return entered === true;
}
