import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { MANAGING_ROLES } from '../domain/role.js';
import { Does } from '../platform/http/does.js';
import { Refuses } from '../platform/http/openapi/errors.js';
import { CallerLink, ForRoles, type Link } from '../user-links/restaurant.guard.js';
import { RESTAURANT_CODES } from './error-codes.js';
import { PauseDto, RestaurantPausedView, RestaurantResumedView, ResumeDto } from './pause.dto.js';
import { PauseService } from './pause.service.js';

/** Pauses what is sent for a restaurant (O49, O50). */
@ApiTags('restaurants')
@Controller('restaurants/:restaurantId')
export class PauseController {
  constructor(private readonly pauses: PauseService) {}

  @Post('pause')
  @HttpCode(200)
  @ForRoles(...MANAGING_ROLES)
  @Does(
    'Pauses the orders of a restaurant',
    'Nothing of the restaurant is sent until the pause ends, at most 24 h; calls that are under way end. Sales are stored and answered as ever. ' +
      'A further call changes the end and the reason. It is audited.',
  )
  @ApiBody({ type: PauseDto })
  @ApiOkResponse({ type: RestaurantPausedView, description: 'the restaurant is paused' })
  @Refuses('QUOTA_REACHED')
  async pause(@CallerLink() caller: Link, @Body() body: PauseDto): Promise<RestaurantPausedView> {
    return { message: 'the restaurant is paused', data: await this.pauses.pause(caller, body) };
  }

  @Post('resume')
  @HttpCode(200)
  @ForRoles(...MANAGING_ROLES)
  @Does(
    'Resumes the orders of a restaurant',
    'What waited becomes due one after the other, the oldest first, `perMinute` a minute. New sales are sent as ever. Until the last of them is due a further ' +
      'call changes the pace. It is audited.',
  )
  @ApiBody({ type: ResumeDto, required: false })
  @ApiOkResponse({ type: RestaurantResumedView, description: 'the restaurant is resumed' })
  @Refuses(RESTAURANT_CODES.NOT_PAUSED, 'QUOTA_REACHED')
  async resume(@CallerLink() caller: Link, @Body() body: ResumeDto = new ResumeDto()): Promise<RestaurantResumedView> {
    return { message: 'the restaurant is resumed', data: await this.pauses.resume(caller, body) };
  }
}
