import { Body, Controller, HttpCode, HttpStatus, Post } from '@nestjs/common';
import { ApiAcceptedResponse, ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { PASSWORD_CODES } from '../../auth/error-codes.js';
import type { PasswordSender } from '../../auth/password-queue.js';
import { PlatformAdmin } from '../../auth/platform-admin.guard.js';
import { Acting, Public, SentBy } from '../../auth/principal.js';
import type { Actor } from '../../platform/audit/actions.js';
import { Does } from '../../platform/http/does.js';
import { MessageView } from '../../platform/http/fields/message.view.js';
import { UuidParam } from '../../platform/http/fields/uuid.pipe.js';
import { Refuses } from '../../platform/http/openapi/errors.js';
import { CallerLink, ForRoles, type Link } from '../../user-links/restaurant.guard.js';
import { CHANNEL_CODES } from '../channels/error-codes.js';
import { PASSWORD_LINK_CODES } from './error-codes.js';
import {
  AskForPasswordLinkDto,
  PasswordLinkMadeView,
  PasswordReplacedView,
  UsePasswordLinkDto,
} from './password-links.dto.js';
import { PasswordLinks } from './password-links.js';
import { PasswordRequests } from './password-requests.js';

const MADE = 'the link; give it to the person';
const WHAT_IT_IS =
  'Returns a link that is valid for 24 hours, can be used once, and is not shown again. It is audited. A changed password ends it. ';

/** A new password without the old one, by a link (A43 to A45). The token is in the body, because URLs are logged. */
@ApiTags('authentication')
@Controller('auth/password-links')
export class PasswordLinksController {
  constructor(
    private readonly requests: PasswordRequests,
    private readonly links: PasswordLinks,
  ) {}

  @Public()
  @Post()
  @HttpCode(HttpStatus.ACCEPTED)
  @Does(
    'Asks for a link to a new password by mail',
    'The answer is the same whether there is an account with this email or not. The link is valid for an hour.',
  )
  @ApiAcceptedResponse({ type: MessageView, description: 'a mail is sent if there is such an account' })
  @Refuses(CHANNEL_CODES.CHANNEL_UNAVAILABLE, 'TOO_MANY_REQUESTS', 'TOO_MANY_AT_ONCE')
  askForPasswordLink(@Body() body: AskForPasswordLinkDto, @SentBy() sender: PasswordSender): MessageView {
    this.requests.ask(body, sender);
    return { message: 'if there is an account with this email, a link is sent to it' };
  }

  @Public()
  @Post('use')
  @HttpCode(HttpStatus.OK)
  @Does(
    'Sets a new password by a link',
    'Every session and token of the account ends, as by a change of the password. Sign in afterwards.',
  )
  @ApiOkResponse({ type: PasswordReplacedView, description: 'the password is set' })
  @Refuses(
    PASSWORD_LINK_CODES.PASSWORD_LINK_NOT_FOUND,
    PASSWORD_CODES.GUESSABLE_PASSWORD,
    'TOO_MANY_REQUESTS',
    'TOO_MANY_PASSWORD_CHECKS',
    'TOO_MANY_AT_ONCE',
    'QUOTA_REACHED',
  )
  async usePasswordLink(
    @Body() { token, password }: UsePasswordLinkDto,
    @SentBy() sender: PasswordSender,
  ): Promise<PasswordReplacedView> {
    return { message: 'password set; sign in', data: { email: await this.links.use(token, password, sender) } };
  }
}

/** Links that an OWNER makes for the staff (A45). */
@ApiTags('users of a restaurant')
@Controller('restaurants/:restaurantId/users/:userId/password-links')
export class StaffPasswordLinksController {
  constructor(private readonly links: PasswordLinks) {}

  @Post()
  @ForRoles('OWNER')
  @Does(
    'Makes a link to a new password for a person of the restaurant',
    `${WHAT_IT_IS}Only for a person below OWNER who works in restaurants of the caller alone.`,
  )
  @ApiCreatedResponse({ type: PasswordLinkMadeView, description: MADE })
  @Refuses(PASSWORD_LINK_CODES.NOT_ONLY_YOURS, 'NOT_FOUND', 'QUOTA_REACHED')
  async makePasswordLink(
    @CallerLink() caller: Link,
    @UuidParam('userId') userId: string,
  ): Promise<PasswordLinkMadeView> {
    return { message: 'link made', data: await this.links.make(caller, userId, caller.restaurantId) };
  }
}

/** Links that a platform administrator makes (A45). */
@ApiTags('admin')
@PlatformAdmin()
@Controller('admin/users/:userId/password-links')
export class PlatformPasswordLinksController {
  constructor(private readonly links: PasswordLinks) {}

  @Post()
  @Does('Makes a link to a new password for a user', `${WHAT_IT_IS}Not for a platform administrator.`)
  @ApiCreatedResponse({ type: PasswordLinkMadeView, description: MADE })
  @Refuses(PASSWORD_LINK_CODES.NOT_ONLY_YOURS, 'NOT_FOUND', 'QUOTA_REACHED')
  async makePlatformPasswordLink(
    @Acting() actor: Actor,
    @UuidParam('userId') userId: string,
  ): Promise<PasswordLinkMadeView> {
    return { message: 'link made', data: await this.links.make(actor, userId, null) };
  }
}
