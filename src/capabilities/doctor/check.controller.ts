import { Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { PrismaService } from '../../platform/database/prisma.service.js';
import { Does } from '../../platform/http/does.js';
import { TakesNoTurn } from '../../platform/http/limits/shares.js';
import { Refuses } from '../../platform/http/openapi/errors.js';
import { CallerLink, ForPermission, type Link } from '../../user-links/restaurant.guard.js';
import { CheckService } from './check.service.js';
import { RestaurantCheckView } from './check.views.js';
import { CheckTurns } from './check-turns.js';
import { CHECK_CODES } from './error-codes.js';

/** The check that staff run before a restaurant opens (R8). */
@ApiTags('restaurants')
@Controller('restaurants/:restaurantId')
export class CheckController {
  constructor(
    private readonly checks: CheckService,
    private readonly turns: CheckTurns,
    private readonly prisma: PrismaService,
  ) {}

  @Post('check')
  @TakesNoTurn()
  @HttpCode(200)
  @ForPermission('manage_settings')
  @Does(
    'Checks a restaurant',
    'Checks whether sales reach the POS: codes, credentials, the POS itself, a sign-in there (unless a token is in use), the OWNER, ' +
      'the last sale, and orders that are late, stuck or parked. Takes POS_TIMEOUT_MS at most.',
  )
  @ApiOkResponse({ type: RestaurantCheckView, description: 'the result of each check' })
  @Refuses(CHECK_CODES.TOO_MANY_CHECKS)
  async checkRestaurant(@CallerLink() caller: Link): Promise<RestaurantCheckView> {
    const { restaurantId, userId } = caller;
    const end = this.turns.take(restaurantId, userId);
    const checks = await this.checks.run(restaurantId).finally(end);
    // the POS may have taken long (A40)
    await caller.confirm(this.prisma);
    return { data: { checks } };
  }
}
