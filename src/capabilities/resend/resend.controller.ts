import { Body, Controller, Get, HttpCode, HttpStatus, Post } from '@nestjs/common';
import { ApiAcceptedResponse, ApiBody, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { CAUSE_WORDS } from '../../domain/cause.js';
import { ApiOrderKey, OrderKey } from '../../orders/order-key.js';
import { RefusesResend, StaffResend } from '../../orders/staff-resend.js';
import { Does } from '../../platform/http/does.js';
import { InShare } from '../../platform/http/limits/shares.js';
import { CallerLink, ForPermission, type Link } from '../../user-links/restaurant.guard.js';
import { MayResendAnswerView, OrderResentView, ResendDto, ResendOrderDto, ResetView } from './resend.dto.js';
import { ResendService } from './resend.service.js';
import { Resets } from './resets.js';

/** Sends orders again, for the staff of a restaurant (R35). */
@ApiTags('orders')
@Controller('restaurants/:restaurantId')
export class ResendController {
  constructor(
    private readonly service: ResendService,
    private readonly resets: Resets,
  ) {}

  @Get('resend')
  @ForPermission('view_data')
  @Does(
    'Returns who may send orders again',
    'Whether the caller may, who else of the restaurant may, and how to reach the operator.',
  )
  @ApiOkResponse({ type: MayResendAnswerView, description: 'who may' })
  async readResend(@CallerLink() caller: Link): Promise<MayResendAnswerView> {
    return { data: await this.service.mayResend(caller) };
  }

  // it looks through orders for seconds, and others wait for the turns of changes
  @Post('resend')
  @HttpCode(200)
  @InShare('reports')
  @StaffResend()
  @Does(
    'Sends parked orders again',
    'Only with RESEND=restaurants. Parked orders of a cause, or all parked orders and those that wait for a retry, become due now with ' +
      'attempts 0; parked cancels too. With `itemCodes` only orders that the POS refused, among the newest 1,000. `dryRun` counts. One call sends at most 10,000. It is audited.',
  )
  @ApiOkResponse({ type: ResetView, description: 'how many jobs were found, and how many of them were reset' })
  async resend(
    @CallerLink() caller: Link,
    @Body() { cause, subject, itemCodes, since, dryRun }: ResendDto,
  ): Promise<ResetView> {
    const { restaurantId } = caller;
    const kind = CAUSE_WORDS.find((word) => word === cause);
    const jobIds = itemCodes && (await this.service.refusedWith(restaurantId, itemCodes));
    const ofCause = kind ? { kind } : { cause };
    const filter = {
      restaurantId,
      jobIds,
      since,
      subject,
      ...(jobIds && !cause ? ({ kind: 'refused' } as const) : ofCause),
    };
    return this.resets.reset(caller, filter, { dryRun });
  }

  @Post('orders/:transactionKey/resend')
  @HttpCode(HttpStatus.ACCEPTED)
  @StaffResend()
  @RefusesResend()
  @Does(
    'Sends an order again',
    'Only with RESEND=restaurants. A parked order, or one that waits for a retry, becomes due now with attempts 0. If it may have arrived ' +
      'at the POS, it is first looked up where the relay is set up for it. It is audited.',
  )
  @ApiOrderKey()
  @ApiBody({ type: ResendOrderDto, required: false })
  @ApiAcceptedResponse({ type: OrderResentView, description: 'the order will be sent' })
  async resendOrder(
    @CallerLink() caller: Link,
    @OrderKey() key: string,
    @Body() { entered = false }: ResendOrderDto = {},
  ): Promise<OrderResentView> {
    return {
      message: 'the order will be sent',
      data: { jobId: await this.service.resendOrder(caller, key, { entered }) },
    };
  }
}
