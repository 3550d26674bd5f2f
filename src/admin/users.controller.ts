import { Controller, Delete } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { PlatformAdmin } from '../auth/platform-admin.guard.js';
import { Acting } from '../auth/principal.js';
import { TokenEnds } from '../auth/token-ends.js';
import type { Actor } from '../platform/audit/actions.js';
import { Does } from '../platform/http/does.js';
import { MessageView } from '../platform/http/fields/message.view.js';
import { UuidParam } from '../platform/http/fields/uuid.pipe.js';
import { Refuses } from '../platform/http/openapi/errors.js';

/** What platform administrators do to the accounts of others (R59). */
@ApiTags('admin')
@PlatformAdmin()
@Controller('admin/users')
export class UsersController {
  constructor(private readonly tokens: TokenEnds) {}

  @Delete(':userId/sessions')
  @Refuses('NOT_FOUND')
  @Does(
    'Ends all sessions and tokens of a user',
    'Every session of the console and every token of `POST /auth/login` ends, on every instance at once. The password stays: terminals ' +
      'that send it go on. It is audited.',
  )
  @ApiOkResponse({ type: MessageView, description: 'the user is signed out everywhere' })
  async endSessionsOfUser(@Acting() actor: Actor, @UuidParam('userId') userId: string): Promise<MessageView> {
    await this.tokens.endSessions(actor, userId);
    return { message: 'the user is signed out everywhere' };
  }
}
