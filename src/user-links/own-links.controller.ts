import { Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Acting, Authenticated } from '../auth/principal.js';
import type { Actor } from '../platform/audit/actions.js';
import { Does } from '../platform/http/does.js';
import { UuidParam } from '../platform/http/fields/uuid.pipe.js';
import { OwnLinksService } from './own-links.service.js';
import { LinkAcceptedView } from './user-links.views.js';

/** Accepts links that were made by other users (A26). */
@ApiTags('users of a restaurant')
@Controller('users/me/restaurants')
export class OwnLinksController {
  constructor(private readonly links: OwnLinksService) {}

  @Post(':id/accept')
  @HttpCode(200)
  @Authenticated()
  @Does(
    'Accepts a link made by another user',
    'Sales that you send may then go to this restaurant without naming it exactly. Accepting twice changes nothing. A link that ' +
      'another user changes to OWNER must be accepted again.',
  )
  @ApiOkResponse({ type: LinkAcceptedView, description: 'the link is accepted' })
  async acceptLink(@Acting() caller: Actor, @UuidParam('id') id: string): Promise<LinkAcceptedView> {
    return { message: 'link accepted', data: await this.links.accept(caller, id) };
  }
}
