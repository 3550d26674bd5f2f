import { Body, Controller, Delete, Get, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { ADMINISTERING_ROLES } from '../../domain/role.js';
import { Does } from '../../platform/http/does.js';
import { MessageView } from '../../platform/http/fields/message.view.js';
import { UuidParam } from '../../platform/http/fields/uuid.pipe.js';
import { Refuses } from '../../platform/http/openapi/errors.js';
import { CallerLink, ForRoles, type Link } from '../../user-links/restaurant.guard.js';
import { POS_CODES } from './error-codes.js';
import {
  CreatePosCredentialDto,
  PosCredentialCreatedView,
  PosCredentialsView,
  RotatePosCredentialDto,
} from './pos-credentials.dto.js';
import { PosCredentialsService } from './pos-credentials.service.js';

/** The credentials with which the POS of a restaurant signs in (Q3). */
@ApiTags('open delivery')
@Controller('restaurants/:restaurantId/pos-credentials')
export class PosCredentialsController {
  constructor(private readonly credentials: PosCredentialsService) {}

  @Get()
  @ForRoles(...ADMINISTERING_ROLES)
  @Does('Lists the credentials of the POS', 'With which a POS that fetches its orders signs in. Without secrets.')
  @ApiOkResponse({ type: PosCredentialsView, description: 'the credentials; of ended ones only the newest' })
  async listPosCredentials(@CallerLink() { restaurantId }: Link): Promise<PosCredentialsView> {
    return { data: await this.credentials.list(restaurantId) };
  }

  @Post()
  @ForRoles(...ADMINISTERING_ROLES)
  @Refuses(POS_CODES.TOO_MANY_CREDENTIALS, 'QUOTA_REACHED')
  @Does(
    'Makes credentials for the POS',
    'They see the orders of this restaurant and no others, while its `posVendor` is `open-delivery`. The secret is not shown again.',
  )
  @ApiCreatedResponse({ type: PosCredentialCreatedView, description: 'the credentials, with their secret' })
  async createPosCredentials(
    @CallerLink() caller: Link,
    @Body() { name }: CreatePosCredentialDto,
  ): Promise<PosCredentialCreatedView> {
    return { message: 'credentials created', data: await this.credentials.create(caller, name) };
  }

  @Post(':id/rotate')
  @ForRoles(...ADMINISTERING_ROLES)
  @Refuses(POS_CODES.TOO_MANY_CREDENTIALS, POS_CODES.CREDENTIALS_ENDED, 'QUOTA_REACHED')
  @Does(
    'Replaces credentials of the POS',
    'Makes new ones of the same name. The old ones work for another 24 hours, or `overlapHours`.',
  )
  @ApiCreatedResponse({ type: PosCredentialCreatedView, description: 'the new credentials, with their secret' })
  async rotatePosCredentials(
    @CallerLink() caller: Link,
    @UuidParam('id') id: string,
    @Body() body: RotatePosCredentialDto,
  ): Promise<PosCredentialCreatedView> {
    return { message: 'credentials replaced', data: await this.credentials.rotate(caller, id, body) };
  }

  @Delete(':id')
  @ForRoles(...ADMINISTERING_ROLES)
  @Refuses(POS_CODES.CREDENTIALS_ENDED)
  @Does('Revokes credentials of the POS', 'They and their tokens end at once.')
  @ApiOkResponse({ type: MessageView, description: 'the credentials are revoked' })
  async revokePosCredentials(@CallerLink() caller: Link, @UuidParam('id') id: string): Promise<MessageView> {
    await this.credentials.revoke(caller, id);
    return { message: 'credentials revoked' };
  }
}
