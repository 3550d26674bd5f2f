import { Body, Controller, Delete, Get, Headers, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Authenticated, Caller, type CurrentUser } from '../../auth/principal.js';
import { Does } from '../../platform/http/does.js';
import { MessageView } from '../../platform/http/fields/message.view.js';
import { UuidParam } from '../../platform/http/fields/uuid.pipe.js';
import { Refuses } from '../../platform/http/openapi/errors.js';
import { DeviceDto, DeviceSavedView, DevicesView } from './devices.dto.js';
import { DevicesService } from './devices.service.js';
import { CHANNEL_CODES } from './error-codes.js';

/** The devices of the current user that receive web push (G22, G24). */
@ApiTags('notifications')
@Controller('users/me/devices')
export class DevicesController {
  constructor(private readonly devices: DevicesService) {}

  @Get()
  @Authenticated()
  @Does("Lists the current user's devices", 'The browsers and phones that receive web push.')
  @ApiOkResponse({ type: DevicesView, description: 'the devices' })
  async listDevices(@Caller() user: CurrentUser): Promise<DevicesView> {
    return { devices: await this.devices.list(user.id) };
  }

  @Post()
  @Authenticated()
  @Refuses(CHANNEL_CODES.CHANNEL_UNAVAILABLE, CHANNEL_CODES.TOO_MANY_DEVICES, CHANNEL_CODES.ADDRESS_REFUSED)
  @Does(
    'Registers a device',
    'A push subscription of a browser. Sending a known subscription again replaces its keys; a subscription of another user moves to this ' +
      'user. Alerts are sent to it once a test message was confirmed.',
  )
  @ApiCreatedResponse({ type: DeviceSavedView, description: 'the device' })
  async registerDevice(
    @Caller() user: CurrentUser,
    @Body() body: DeviceDto,
    @Headers('user-agent') userAgent: string | undefined,
  ): Promise<DeviceSavedView> {
    return { message: 'device registered', data: await this.devices.register(user.id, body, userAgent) };
  }

  @Delete(':id')
  @Authenticated()
  @Does('Removes a device', 'It receives no further message.')
  @ApiOkResponse({ type: MessageView, description: 'the device is removed' })
  async removeDevice(@Caller() user: CurrentUser, @UuidParam('id') id: string): Promise<MessageView> {
    await this.devices.remove(user.id, id);
    return { message: 'device removed' };
  }
}
