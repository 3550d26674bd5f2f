import { Controller, Get, HttpStatus, Param, Post, Query, Res } from '@nestjs/common';
import { ApiAcceptedResponse, ApiBearerAuth, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { MANAGING_ROLES } from '../domain/role.js';
import { CallerLink, ForAnyRole, ForRoles, type Link } from '../user-links/restaurant.guard.js';
import { CancelAnswer, OrderDetailView, OrderPage, QueryOrdersDto } from './orders.dto.js';
import { OrdersService } from './orders.service.js';

@ApiTags('orders')
@ApiBearerAuth()
@ApiParam({ name: 'restaurantId', format: 'uuid' })
@Controller('restaurants/:restaurantId/orders')
export class OrdersController {
  constructor(private readonly orders: OrdersService) {}

  @Get()
  @ForAnyRole()
  @ApiOperation({ summary: 'Orders and what has become of them' })
  @ApiOkResponse({ type: OrderPage })
  list(@CallerLink() { restaurantId }: Link, @Query() query: QueryOrdersDto): Promise<OrderPage> {
    return this.orders.list(restaurantId, query);
  }

  @Get(':transactionKey')
  @ForAnyRole()
  @ApiOperation({ summary: 'One order: the event, the order made of it, its jobs, every attempt' })
  @ApiParam({ name: 'transactionKey', description: 'as stored: in test mode with its suffix' })
  @ApiOkResponse({ type: OrderDetailView })
  get(@CallerLink() { restaurantId }: Link, @Param('transactionKey') key: string): Promise<OrderDetailView> {
    return this.orders.get(restaurantId, key);
  }

  @Post(':transactionKey/cancel')
  @ForRoles(...MANAGING_ROLES)
  @ApiOperation({ summary: 'Cancels an order, delivered or not' })
  @ApiParam({ name: 'transactionKey', description: 'as stored: in test mode with its suffix' })
  @ApiAcceptedResponse({ type: CancelAnswer, description: 'the order will be cancelled' })
  @ApiOkResponse({ type: CancelAnswer, description: 'it was asked for before: the same job' })
  async cancel(
    @CallerLink() { restaurantId, userId }: Link,
    @Param('transactionKey') key: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<CancelAnswer> {
    const { jobId, created } = await this.orders.cancel(restaurantId, key, userId);
    reply.status(created ? HttpStatus.ACCEPTED : HttpStatus.OK);
    return { message: created ? 'the order will be cancelled' : 'the cancel was asked for before', data: { jobId } };
  }
}
