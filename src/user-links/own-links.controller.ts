import { Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Actor } from '../audit/actions.js';
import { Acting, Authenticated } from '../auth/principal.js';
import { UuidParam } from '../http/uuid.pipe.js';
import { OwnLinksService } from './own-links.service.js';
import { LinkAcceptedView } from './user-links.views.js';

/** What a user does about the links that others made for them (A26). */
@ApiTags('users of a restaurant')
@Controller('users/me/restaurants')
export class OwnLinksController {
  constructor(private readonly links: OwnLinksService) {}

  @Post(':id/accept')
  @HttpCode(200)
  @Authenticated()
  @ApiOperation({
    summary: 'Accepts a link that others made',
    description:
      'From then on it counts as one of your own: sales that you send may go to this restaurant without naming it exactly. ' +
      'Accepting twice changes nothing. Whoever is made OWNER is asked again.',
  })
  @ApiOkResponse({ type: LinkAcceptedView, description: 'the link is your own' })
  async acceptLink(@Acting() caller: Actor, @UuidParam('id') id: string): Promise<LinkAcceptedView> {
    return { message: 'link accepted', data: await this.links.accept(caller, id) };
  }
}
