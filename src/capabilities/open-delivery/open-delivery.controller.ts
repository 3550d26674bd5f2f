import { Controller, Get, HttpCode, Post, Query, Res, UseFilters, UseGuards } from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiBearerAuth,
  ApiBody,
  ApiExtraModels,
  ApiOkResponse,
  ApiQuery,
  ApiResponse,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Public } from '../../auth/principal.js';
import { ReadsJsonLater } from '../../platform/http/body/own-body.js';
import { ClientGone } from '../../platform/http/client-gone.js';
import { Does } from '../../platform/http/does.js';
import { UuidParam } from '../../platform/http/fields/uuid.pipe.js';
import { Refuses } from '../../platform/http/openapi/errors.js';
import { POS_CODES } from './error-codes.js';
import { MOST_EVENTS, readAcknowledged, readWanted } from './events.js';
import { AcknowledgedEventView, EventView } from './open-delivery.dto.js';
import { CallingPos, PosGuard } from './pos.guard.js';
import { CallOfPos, type PosCall } from './pos-call.js';
import { PosOrders } from './pos-orders.js';
import { type PosPrincipal } from './pos-tokens.js';
import { PosTurns } from './pos-turns.js';
import { PulledOrders } from './pulled-orders.js';
import { StandardErrors } from './standard-errors.filter.js';

const listOf = (view: typeof EventView | typeof AcknowledgedEventView) => ({
  type: 'array',
  maxItems: MOST_EVENTS,
  items: { $ref: getSchemaPath(view) },
});
const LIST_OF_EVENTS = listOf(EventView);
const LIST_OF_ACKNOWLEDGED = listOf(AcknowledgedEventView);

/** Open Delivery 1.7 for the POS of a restaurant (Q4 to Q7); the paths are those of the standard. */
@Public()
@UseGuards(PosGuard)
@UseFilters(StandardErrors)
@ApiTags('open delivery')
@ApiBearerAuth()
@ApiExtraModels(EventView, AcknowledgedEventView)
@Refuses('UNAUTHENTICATED', 'TOO_MANY_AT_ONCE', POS_CODES.TOO_MANY_POLLS_A_SECOND)
@Controller('v1')
export class OpenDeliveryController {
  constructor(
    private readonly orders: PulledOrders,
    private readonly posOrders: PosOrders,
    private readonly turns: PosTurns,
  ) {}

  @Get('events::polling')
  @Does(
    'A POS asks for events',
    'Open Delivery. An event comes again until it is acknowledged: discard an `eventId` that was handled. CREATED and CANCELLED are never ' +
      'acknowledged by leaving them out of `eventType`.',
  )
  @ApiQuery({ name: 'eventType', required: false, type: String, description: 'CREATED, CANCELLED; repeatable' })
  @ApiOkResponse({ schema: LIST_OF_EVENTS, description: 'the oldest events' })
  @ApiResponse({ status: 204, description: 'no event waits' })
  async pollEvents(
    @CallingPos() pos: PosPrincipal,
    @Query() query: Readonly<Record<string, unknown>>,
    @Res({ passthrough: true }) reply: FastifyReply,
    @ClientGone() gone: AbortSignal,
  ) {
    const wanted = readWanted(query);
    const events = await this.orders.poll(pos, wanted, gone);
    if (events.length > 0) return events;
    reply.status(204);
    return undefined;
  }

  @Post('events/acknowledgment')
  @HttpCode(202)
  @ReadsJsonLater()
  @Refuses('TOO_MANY_BODIES')
  @Does(
    'A POS acknowledges events',
    'Open Delivery. Each CREATED is delivered then. To acknowledge an event again changes nothing.',
  )
  @ApiBody({ schema: LIST_OF_ACKNOWLEDGED })
  @ApiAcceptedResponse({ description: 'acknowledged' })
  async acknowledgeEvents(@CallOfPos() { pos, gone, body }: PosCall): Promise<void> {
    const events = readAcknowledged(await body());
    await this.turns.run(pos, gone, () => this.orders.acknowledge(pos, events));
  }

  @Get('orders/:orderId')
  @Does('A POS reads an order', 'Open Delivery. An order can be read while a job of it is open, and for 30 days.')
  @ApiOkResponse({ schema: { type: 'object', additionalProperties: true }, description: 'the order' })
  readPulledOrder(
    @CallingPos() pos: PosPrincipal,
    @UuidParam('orderId') orderId: string,
    @ClientGone() gone: AbortSignal,
  ): Promise<object> {
    return this.posOrders.read(pos, orderId, gone);
  }

  @Get('versions/orderingApp')
  @Does('The versions of Open Delivery', 'That the relay serves.')
  @ApiOkResponse({ schema: { type: 'object', additionalProperties: true }, description: 'the versions' })
  readVersions(): object {
    // 1.7.0 lists no version above this one
    return { order: { version: '1.6.0', availableEventsMethods: ['POLLING'] } };
  }
}
