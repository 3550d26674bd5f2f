import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Authenticated, Caller, type CurrentUser } from '../auth/principal.js';
import { Does } from '../platform/http/does.js';
import { OverviewPageView, QueryOverviewDto } from './reports/overview.dto.js';
import { OverviewService } from './reports/overview.service.js';

/** All restaurants of the caller at a glance (R45). */
@ApiTags('restaurants')
@Controller('restaurants')
export class OverviewController {
  constructor(private readonly overview: OverviewService) {}

  @Get('overview')
  @Authenticated()
  @Does(
    "Returns the caller's restaurants at a glance",
    'Of each restaurant that the caller is linked to: its light, the orders and takings of its current business day, what of them is not ' +
      'in the POS, its last sale, and what its set-up still lacks. The oldest restaurant first, paged by cursor.',
  )
  @ApiOkResponse({ type: OverviewPageView, description: 'one page of restaurants' })
  getOverview(@Caller() user: CurrentUser, @Query() query: QueryOverviewDto): Promise<OverviewPageView> {
    return this.overview.read(user.id, query);
  }
}
