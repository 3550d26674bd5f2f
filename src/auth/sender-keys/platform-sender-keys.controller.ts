import { Body, Controller, Delete, Get, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Actor } from '../../platform/audit/actions.js';
import { Does } from '../../platform/http/does.js';
import { MessageView } from '../../platform/http/fields/message.view.js';
import { UuidParam } from '../../platform/http/fields/uuid.pipe.js';
import { Refuses } from '../../platform/http/openapi/errors.js';
import { PlatformAdmin } from '../platform-admin.guard.js';
import { Acting } from '../principal.js';
import { KEY_CODES } from './error-codes.js';
import { CreateSenderKeyDto, RotateSenderKeyDto, SenderKeyCreatedView, SenderKeysView } from './sender-keys.dto.js';
import { SenderKeysService } from './sender-keys.service.js';

/** The sender keys of the platform (V). */
@ApiTags('sender keys')
@PlatformAdmin()
@Controller('admin/sender-keys')
export class PlatformSenderKeysController {
  constructor(private readonly keys: SenderKeysService) {}

  @Get()
  @Does('Lists the sender keys of the platform', 'As those of a restaurant.')
  @ApiOkResponse({ type: SenderKeysView, description: 'the keys; of ended ones only the newest' })
  async listPlatformSenderKeys(): Promise<SenderKeysView> {
    return { data: await this.keys.list(null) };
  }

  @Post()
  @Refuses(KEY_CODES.TOO_MANY_KEYS)
  @Does(
    'Makes a sender key of the platform',
    'It sends for every restaurant, by the rules of the static terminal token. Its token or secret is not shown again.',
  )
  @ApiCreatedResponse({ type: SenderKeyCreatedView, description: 'the key, with its token or secret' })
  async createPlatformSenderKey(
    @Acting() actor: Actor,
    @Body() body: CreateSenderKeyDto,
  ): Promise<SenderKeyCreatedView> {
    return { message: 'key created', data: await this.keys.create(ofPlatform(actor), body) };
  }

  @Post(':id/rotate')
  @Refuses(KEY_CODES.TOO_MANY_KEYS, KEY_CODES.KEY_ENDED)
  @Does('Replaces a sender key of the platform', 'As that of a restaurant.')
  @ApiCreatedResponse({ type: SenderKeyCreatedView, description: 'the new key, with its token or secret' })
  async rotatePlatformSenderKey(
    @Acting() actor: Actor,
    @UuidParam('id') id: string,
    @Body() body: RotateSenderKeyDto,
  ): Promise<SenderKeyCreatedView> {
    return { message: 'key replaced', data: await this.keys.rotate(ofPlatform(actor), id, body) };
  }

  @Delete(':id')
  @Does('Revokes a sender key of the platform', 'No sale of it is stored any more.')
  @ApiOkResponse({ type: MessageView, description: 'the key is revoked' })
  @Refuses(KEY_CODES.KEY_ENDED)
  async revokePlatformSenderKey(@Acting() actor: Actor, @UuidParam('id') id: string): Promise<MessageView> {
    await this.keys.revoke(ofPlatform(actor), id);
    return { message: 'key revoked' };
  }
}

const ofPlatform = (actor: Actor) => ({ ...actor, restaurantId: null });
