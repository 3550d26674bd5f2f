import { applyDecorators, Controller, HttpCode, Post, UseFilters, UseGuards } from '@nestjs/common';
import { ApiAcceptedResponse, ApiBearerAuth, ApiBody, ApiNoContentResponse, ApiTags } from '@nestjs/swagger';
import { Public } from '../../auth/principal.js';
import type { PosState, Said } from '../../domain/acceptance.js';
import { ReadsJsonLater } from '../../platform/http/body/own-body.js';
import { Does } from '../../platform/http/does.js';
import { UuidParam } from '../../platform/http/fields/uuid.pipe.js';
import { Refuses } from '../../platform/http/openapi/errors.js';
import { problem } from '../../platform/http/problem.js';
import { POS_CODES } from './error-codes.js';
import { ConfirmationDto, RefusalDto } from './order-states.dto.js';
import { OrderStates } from './order-states.js';
import { PosGuard } from './pos.guard.js';
import { CallOfPos, type PosCall } from './pos-call.js';
import { PosTurns } from './pos-turns.js';
import { StandardErrors } from './standard-errors.filter.js';
import { readConfirmation, readRefusal } from './statements.js';

/** A route on which a POS says something of an order. */
const Says = (path: string, summary: string, description: string, code: 202 | 204 = 202) =>
  applyDecorators(
    Post(`orders/:orderId/${path}`),
    HttpCode(code),
    ReadsJsonLater(),
    Refuses('NOT_FOUND', 'TOO_MANY_BODIES', POS_CODES.ORDER_STATE, POS_CODES.ORDER_NOT_ACKNOWLEDGED),
    Does(summary, `Open Delivery. ${description}`),
    code === 202
      ? ApiAcceptedResponse({ description: 'recorded; its event follows' })
      : ApiNoContentResponse({ description: 'recorded' }),
  );

/** What a POS says of its orders, by Open Delivery 1.7 (Q15, Q16). */
@Public()
@UseGuards(PosGuard)
@UseFilters(StandardErrors)
@ApiTags('open delivery')
@ApiBearerAuth()
@Refuses('UNAUTHENTICATED', 'TOO_MANY_AT_ONCE', POS_CODES.TOO_MANY_POLLS_A_SECOND)
@Controller('v1')
export class OrderStatesController {
  constructor(
    private readonly states: OrderStates,
    private readonly turns: PosTurns,
  ) {}

  @Says(
    'confirm',
    'A POS accepts an order',
    '`orderExternalCode` is the number of the order at the POS, which staff see. It also acknowledges the order.',
  )
  @ApiBody({ type: ConfirmationDto })
  confirmOrder(@CallOfPos() call: PosCall, @UuidParam('orderId') orderId: string): Promise<void> {
    return this.say(call, orderId, readConfirmation);
  }

  @Says(
    'requestCancellation',
    'A POS refuses an order',
    'Also one that it has accepted. The order then needs somebody: staff see `reason`, and map the products that `invalidItems` names, by the ids of ' +
      'the items of the order. When they send it again, it has the same `orderId`, and an event CREATED with another `eventId`.',
  )
  @ApiBody({ type: RefusalDto })
  refuseOrder(@CallOfPos() call: PosCall, @UuidParam('orderId') orderId: string): Promise<void> {
    return this.say(call, orderId, readRefusal);
  }

  @Says('preparing', 'A POS prepares an order', 'No body is needed.')
  prepareOrder(@CallOfPos() call: PosCall, @UuidParam('orderId') orderId: string): Promise<void> {
    return this.sayState(call, orderId, 'PREPARING');
  }

  @Says('readyForPickup', 'An order is ready', 'No body is needed.')
  readyOrder(@CallOfPos() call: PosCall, @UuidParam('orderId') orderId: string): Promise<void> {
    return this.sayState(call, orderId, 'READY');
  }

  @Says('dispatch', 'An order has left', 'What the body has is not kept.')
  dispatchOrder(@CallOfPos() call: PosCall, @UuidParam('orderId') orderId: string): Promise<void> {
    return this.sayState(call, orderId, 'DISPATCHED');
  }

  @Says('pickedUp', 'An order was picked up', 'No body is needed.')
  pickUpOrder(@CallOfPos() call: PosCall, @UuidParam('orderId') orderId: string): Promise<void> {
    return this.sayState(call, orderId, 'PICKED_UP');
  }

  @Says('delivered', 'An order was handed over', 'No body is needed.')
  deliverOrder(@CallOfPos() call: PosCall, @UuidParam('orderId') orderId: string): Promise<void> {
    return this.sayState(call, orderId, 'DELIVERED');
  }

  @Says(
    'acceptCancellation',
    'A POS has cancelled an order',
    'After its event CANCELLED, which is acknowledged as the others.',
    204,
  )
  acceptCancellation(@CallOfPos() call: PosCall, @UuidParam('orderId') orderId: string): Promise<void> {
    return this.sayState(call, orderId, 'CANCELLED');
  }

  @Says('denyCancellation', 'A POS denies a cancel', 'Always 422: the event CANCELLED is no request.', 204)
  denyCancellation(@CallOfPos() call: PosCall, @UuidParam('orderId') orderId: string): Promise<void> {
    return this.say(call, orderId, () => {
      throw problem(POS_CODES.ORDER_STATE, 'a cancel is no request: void the order in the till by hand');
    });
  }

  private sayState(call: PosCall, orderId: string, state: PosState): Promise<void> {
    return this.say(call, orderId, () => ({ state }));
  }

  private async say({ pos, gone, body }: PosCall, orderId: string, read: (body: unknown) => Said): Promise<void> {
    const said = read(await body());
    await this.turns.run(pos, gone, () => this.states.say(pos, orderId, said, gone));
  }
}
