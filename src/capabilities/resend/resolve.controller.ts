import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { CAUSE_WORDS } from '../../domain/cause.js';
import { RESEND_PERMISSIONS } from '../../orders/staff-resend.js';
import { Does } from '../../platform/http/does.js';
import { InShare } from '../../platform/http/limits/shares.js';
import { CallerLink, ForPermission, type Link } from '../../user-links/restaurant.guard.js';
import { ResolveDto, ResolvedView } from './resolve.dto.js';
import { ResolveService } from './resolve.service.js';

/** Settles parked orders of earlier days, for the staff of a restaurant (R40). */
@ApiTags('orders')
@Controller('restaurants/:restaurantId')
export class ResolveController {
  constructor(private readonly service: ResolveService) {}

  @Post('parked/resolve')
  @HttpCode(200)
  @InShare('reports')
  @ForPermission(...RESEND_PERMISSIONS)
  @Does(
    'Marks parked orders of earlier days as settled by hand',
    'They stay parked, and nobody is asked to do anything about them any more: they count in no state, alarm or list of parked orders. ' +
      'Sending one again ends this. `dryRun` counts. One call settles at most 10,000. It is audited, with the reason.',
  )
  @ApiOkResponse({ type: ResolvedView, description: 'how many were found, and how many of them were settled' })
  resolve(@CallerLink() caller: Link, @Body() { reason, before, cause, dryRun }: ResolveDto): Promise<ResolvedView> {
    const kind = CAUSE_WORDS.find((word) => word === cause);
    const filter = { restaurantId: caller.restaurantId, before, ...(kind ? { kind } : { cause }) };
    return this.service.resolve(caller, { filter, reason, dryRun });
  }
}
