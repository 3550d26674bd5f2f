import { Body, Controller, Delete, Get, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ADMINISTERING_ROLES } from '../../domain/role.js';
import { MessageView } from '../../platform/http/fields/message.view.js';
import { UuidParam } from '../../platform/http/fields/uuid.pipe.js';
import { Refuses } from '../../platform/http/openapi/errors.js';
import { CallerLink, ForRoles, type Link } from '../../user-links/restaurant.guard.js';
import { KEY_CODES } from './error-codes.js';
import {
  CreateSenderKeyDto,
  RestaurantSenderKeysView,
  RotateSenderKeyDto,
  SenderKeyCreatedView,
} from './sender-keys.dto.js';
import { SenderKeysService } from './sender-keys.service.js';

/** The sender keys of a restaurant (V). */
@ApiTags('sender keys')
@Controller('restaurants/:restaurantId/sender-keys')
export class SenderKeysController {
  constructor(private readonly keys: SenderKeysService) {}

  @Get()
  @ForRoles(...ADMINISTERING_ROLES)
  @ApiOperation({
    summary: 'Lists the sender keys of a restaurant',
    description:
      'Without tokens and secrets; and who sends sales without a key, by a password or the token of a sign-in.',
  })
  @ApiOkResponse({ type: RestaurantSenderKeysView, description: 'the keys; of ended ones only the newest' })
  async listSenderKeys(@CallerLink() { restaurantId }: Link): Promise<RestaurantSenderKeysView> {
    const [data, persons] = await Promise.all([this.keys.list(restaurantId), this.keys.sellingPersons(restaurantId)]);
    return { data, persons };
  }

  @Post()
  @ForRoles(...ADMINISTERING_ROLES)
  @Refuses(KEY_CODES.TOO_MANY_KEYS, 'QUOTA_REACHED')
  @ApiOperation({
    summary: 'Makes a sender key',
    description:
      'A key sends sales for this restaurant and no other, whatever `storeCode` and `restaurantId` say. Its token or secret is not shown ' +
      'again.',
  })
  @ApiCreatedResponse({ type: SenderKeyCreatedView, description: 'the key, with its token or secret' })
  async createSenderKey(@CallerLink() caller: Link, @Body() body: CreateSenderKeyDto): Promise<SenderKeyCreatedView> {
    return { message: 'key created', data: await this.keys.create(caller, body) };
  }

  @Post(':id/rotate')
  @ForRoles(...ADMINISTERING_ROLES)
  @Refuses(KEY_CODES.TOO_MANY_KEYS, KEY_CODES.KEY_ENDED, 'QUOTA_REACHED')
  @ApiOperation({
    summary: 'Replaces a sender key',
    description:
      'Makes a new key of the same name, kind and scopes. The old one works for another 24 hours, or `overlapHours`.',
  })
  @ApiCreatedResponse({ type: SenderKeyCreatedView, description: 'the new key, with its token or secret' })
  async rotateSenderKey(
    @CallerLink() caller: Link,
    @UuidParam('id') id: string,
    @Body() body: RotateSenderKeyDto,
  ): Promise<SenderKeyCreatedView> {
    return { message: 'key replaced', data: await this.keys.rotate(caller, id, body) };
  }

  @Delete(':id')
  @ForRoles(...ADMINISTERING_ROLES)
  @ApiOperation({ summary: 'Revokes a sender key', description: 'No sale of it is stored any more.' })
  @ApiOkResponse({ type: MessageView, description: 'the key is revoked' })
  @Refuses(KEY_CODES.KEY_ENDED)
  async revokeSenderKey(@CallerLink() caller: Link, @UuidParam('id') id: string): Promise<MessageView> {
    await this.keys.revoke(caller, id);
    return { message: 'key revoked' };
  }
}
