import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsBoolean, IsIn, IsObject, IsOptional, IsString, Length, Matches, ValidateNested } from 'class-validator';
import { NullableText, OneOf } from '../../platform/http/fields/fields.js';
import { IfGiven } from '../../platform/http/fields/if-given.js';
import { LANGUAGES, type Language } from '../../platform/http/fields/languages.js';
import { MessageWith } from '../../platform/http/fields/message.view.js';

const TIME = /^([01]\d|2[0-3]):[0-5]\d$/;
const TIME_MESSAGE = '$property must be a time from 00:00 to 23:59, for example 22:30';
const USER_CHANNELS = ['push', 'mail'] as const;
const OUTCOMES = ['SENT', 'RETRY', 'FAILED'] as const;

/** Quiet hours, by the clock of the restaurant of an alert. */
export class QuietHoursDto {
  @ApiProperty({ example: '23:00' })
  @Matches(TIME, { message: TIME_MESSAGE })
  from: string;

  @ApiProperty({ example: '08:00', description: 'before `from`: on the next day; the same: all day' })
  @Matches(TIME, { message: TIME_MESSAGE })
  until: string;
}

/** Body of `PUT /users/me/notifications`. */
export class NotificationsDto {
  @ApiProperty({ type: Boolean, description: 'by web push, on confirmed devices' })
  @IsBoolean()
  push: boolean;

  @ApiProperty({ type: Boolean, description: 'by e-mail, once the address is confirmed' })
  @IsBoolean()
  mail: boolean;

  @OneOf(LANGUAGES, 'Language')
  @IsIn(LANGUAGES, { message: `language must be one of: ${LANGUAGES.join(', ')}` })
  language: Language;

  @ApiProperty({ type: Boolean, description: 'notified as an OWNER or MANAGER, whatever the role' })
  @IsBoolean()
  always: boolean;

  @ApiPropertyOptional({ type: Boolean, description: 'as OWNER, a mail with each closing; absent: as before' })
  @IfGiven()
  @IsBoolean()
  closings?: boolean;

  @ApiPropertyOptional({ type: QuietHoursDto, nullable: true, description: 'null or absent: no quiet hours' })
  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => QuietHoursDto)
  quiet?: QuietHoursDto | null;
}

/** Body of `POST /users/me/notifications/test`. */
export class TestMessageDto {
  @OneOf(USER_CHANNELS, 'UserChannel')
  @IsIn(USER_CHANNELS, { message: `channel must be one of: ${USER_CHANNELS.join(', ')}` })
  channel: (typeof USER_CHANNELS)[number];

  @ApiPropertyOptional({ enum: LANGUAGES, enumName: 'Language', description: 'of a user who has chosen none yet' })
  @IfGiven()
  @IsIn(LANGUAGES, { message: `language must be one of: ${LANGUAGES.join(', ')}` })
  language?: Language;
}

/** Body of `POST /users/me/notifications/confirm`. */
export class ConfirmChannelDto {
  @ApiProperty({ description: '`confirm` behind the `#` of the link in the test message' })
  @IsString()
  @Length(1, 200)
  token: string;
}

class PushChannelView {
  @ApiProperty({ description: 'whether this relay sends by web push' }) available: boolean;
  @NullableText('`applicationServerKey` for `pushManager.subscribe`') publicKey: string | null;
}

class MailChannelView {
  @ApiProperty({ description: 'whether this relay sends mail' }) available: boolean;
  @ApiProperty() confirmed: boolean;
  @ApiProperty({ description: 'the email of the account' }) address: string;
}

class UserChannelsView {
  @ApiProperty() push: PushChannelView;
  @ApiProperty() mail: MailChannelView;
}

class QuietHoursView {
  @ApiProperty({ example: '23:00' }) from: string;
  @ApiProperty({ example: '08:00' }) until: string;
}

/** How a user wants to be notified, and which channels there are. */
export class NotificationsView {
  @ApiProperty() push: boolean;
  @ApiProperty() mail: boolean;
  @OneOf(LANGUAGES, 'Language') language: Language;
  @ApiProperty() always: boolean;
  @ApiProperty({ description: 'as OWNER, a mail with each closing' }) closings: boolean;
  @ApiProperty({ type: QuietHoursView, nullable: true }) quiet: QuietHoursView | null;
  @ApiProperty({ description: 'what this relay can send by' }) channels: UserChannelsView;
}

/** Response of `GET /users/me/notifications`. */
export class NotificationsAnswerView {
  @ApiProperty() data: NotificationsView;
}

/** Response of `PUT /users/me/notifications`. */
export class NotificationsSavedView extends MessageWith(NotificationsView) {}

/** What became of a test message. */
export class TestResultView {
  @OneOf(OUTCOMES, 'SendOutcome', 'RETRY: not now; FAILED: not like this') outcome: (typeof OUTCOMES)[number];
  @NullableText('why it was not sent') reason: string | null;
}

/** Response of `POST /users/me/notifications/test`. */
export class TestMessageSentView extends MessageWith(TestResultView) {}

class ConfirmedChannelView {
  @OneOf(USER_CHANNELS, 'UserChannel') channel: (typeof USER_CHANNELS)[number];
}

/** Response of `POST /users/me/notifications/confirm`. */
export class ChannelConfirmedView extends MessageWith(ConfirmedChannelView) {}
