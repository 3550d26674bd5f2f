import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsObject, IsString, Length, ValidateNested } from 'class-validator';
import { Instant, ListOf, NullableInstant, NullableText, Uuid } from '../../platform/http/fields/fields.js';
import { MessageWith } from '../../platform/http/fields/message.view.js';

/** The most devices of a user (L46). */
export const MAX_DEVICES = 10;

/** The keys of a push subscription, base64url. */
export class DeviceKeysDto {
  @ApiProperty({ description: 'base64url of 65 bytes: the public key of the browser' })
  @IsString()
  @Length(1, 200)
  p256dh: string;

  @ApiProperty({ description: 'base64url of 16 bytes' })
  @IsString()
  @Length(1, 200)
  auth: string;
}

/** Body of `POST /users/me/devices`: the fields of `PushSubscription.toJSON()`. */
export class DeviceDto {
  @ApiProperty({ description: 'https, at a push service' })
  @IsString()
  @Length(1, 2_000)
  endpoint: string;

  @ApiProperty({ type: DeviceKeysDto })
  @IsObject()
  @ValidateNested()
  @Type(() => DeviceKeysDto)
  keys: DeviceKeysDto;
}

/** A device of a user. Its address and keys are not shown. */
export class DeviceView {
  @Uuid() id: string;
  @ApiProperty({ type: String, nullable: true, example: 'Firefox · Android' }) browser: string | null;
  @ApiProperty({ description: 'whether a test message was confirmed; alerts are sent only then' }) confirmed: boolean;
  @Instant() createdAt: Date;
  @NullableInstant('when a push service last took a message') lastSentAt: Date | null;
  @NullableText('why the last message was not taken') failure: string | null;
}

/** Response of `GET /users/me/devices`. */
export class DevicesView {
  @ListOf(DeviceView, MAX_DEVICES, 'the newest first') devices: DeviceView[];
}

/** Response of `POST /users/me/devices`. */
export class DeviceSavedView extends MessageWith(DeviceView) {}
