import { Controller, Get, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { InShare } from '../../platform/http/limits/shares.js';
import { Refuses } from '../../platform/http/openapi/errors.js';
import { CallerLink, ForPermission, ForRoles, type Link } from '../../user-links/restaurant.guard.js';
import { DayCloser } from './day-closer.js';
import { DayParam } from './day-param.js';
import {
  CheckedDaysAnswerView,
  ClosedDayAnswerView,
  DayClosedView,
  DaysPageView,
  QueryCheckDto,
  QueryDaysDto,
} from './days.dto.js';
import { DaysReader } from './days-reader.js';
import { DAY_CODES } from './error-codes.js';

/** The closed days of a restaurant (B). */
@ApiTags('days')
@Controller('restaurants/:restaurantId/days')
export class DaysController {
  constructor(
    private readonly closer: DayCloser,
    private readonly days: DaysReader,
  ) {}

  @Get()
  @InShare('reports')
  @ForPermission('view_reports')
  @ApiOperation({ summary: 'Lists the closed days of a restaurant', description: 'The latest first.' })
  @ApiOkResponse({ type: DaysPageView, description: 'a page of closings, the open day, and the head of the chain' })
  listDays(@CallerLink() { restaurantId }: Link, @Query() query: QueryDaysDto): Promise<DaysPageView> {
    return this.days.list(restaurantId, query);
  }

  @Get('check')
  @InShare('reports')
  @ForPermission('view_reports')
  @ApiOperation({
    summary: 'Recomputes the chain of the closed days',
    description:
      'Names the first day whose closing, sales or lines are not what was closed. A chain does not show that its end was cut: send a head ' +
      'that was noted as `day` and `hash`.',
  })
  @ApiOkResponse({
    type: CheckedDaysAnswerView,
    description: 'how many closings there are, and the first day that breaks',
  })
  async checkDays(@CallerLink() { restaurantId }: Link, @Query() query: QueryCheckDto): Promise<CheckedDaysAnswerView> {
    return { data: await this.days.check(restaurantId, query) };
  }

  @Get(':day')
  @InShare('reports')
  @ForPermission('view_reports')
  @ApiOperation({
    summary: 'Returns a closed day',
    description: 'With its lines, and the sales that the POS did not have.',
  })
  @ApiOkResponse({ type: ClosedDayAnswerView, description: 'the closing' })
  async getDay(@CallerLink() { restaurantId }: Link, @DayParam() day: string): Promise<ClosedDayAnswerView> {
    return { data: await this.days.one(restaurantId, day) };
  }

  @Post(':day/close')
  @ForRoles('OWNER', 'ADMIN', 'MANAGER')
  @ApiOperation({
    summary: 'Closes a business day',
    description:
      'Seals the sales that were received before its end, and what has become of them. It waits for nothing: what happens later stands on ' +
      'the day on which it happens. Days are closed in their order, and by the relay two hours after their end.',
  })
  @ApiCreatedResponse({ type: DayClosedView, description: 'the closing' })
  @Refuses(DAY_CODES.DAY_CLOSED, DAY_CODES.DAY_NOT_OVER, DAY_CODES.DAY_NOT_NEXT)
  async closeDay(@CallerLink() caller: Link, @DayParam() day: string): Promise<DayClosedView> {
    await this.closer.close(caller.restaurantId, day, caller);
    return { message: `${day} is closed`, data: await this.days.one(caller.restaurantId, day) };
  }
}
