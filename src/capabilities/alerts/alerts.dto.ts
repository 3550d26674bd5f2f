import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, Length } from 'class-validator';
import { SUBJECTS, type Subject } from '../../domain/cause.js';
import { CauseProperty } from '../../outbox/job.views.js';
import { KINDS } from '../../platform/conditions/condition.js';
import { CursorPageDto, CursorPageMetaView } from '../../platform/http/fields/cursor-page.js';
import {
  Instant,
  Integer,
  ListOf,
  NullableInstant,
  NullableText,
  OneOf,
  Uuid,
} from '../../platform/http/fields/fields.js';
import { LANGUAGES, type Language } from '../../platform/http/fields/languages.js';
import { MessageWith } from '../../platform/http/fields/message.view.js';
import { CHANNELS } from '../channels/channel.js';
import { NOTIFICATION_STATES } from './alert.js';

class AlertDetailsView {
  @ApiProperty({
    required: false,
    enum: SUBJECTS,
    enumName: 'Subject',
    nullable: true,
    description: 'of what the POS refused',
  })
  subject?: Subject | null;

  @ApiProperty({ required: false, maxLength: 300 }) transactionKey?: string;
  @ApiProperty({ required: false, type: String, nullable: true, maxLength: 255 }) transactionNumber?: string | null;
  @ApiProperty({ required: false, type: 'integer', description: 'in cents' }) paidCents?: number;
  @ApiProperty({ required: false, type: String, format: 'date-time' }) receivedAt?: string;
  @ApiProperty({ required: false, description: "the process, the printer, the sender key or the terminal's file" })
  name?: string;
  @ApiProperty({ required: false, format: 'uuid', description: "of the terminal's file" }) fileId?: string;
  @ApiProperty({ required: false, description: 'of the sender key' }) keyId?: string;
  @ApiProperty({ required: false, type: String, format: 'date-time', description: 'of the sender key' })
  expiresAt?: string;
  @ApiProperty({ required: false, type: 'integer', description: 'how long it was away' }) seconds?: number;
  @ApiProperty({ required: false, description: 'false: it closed, and what it was about is not solved' })
  solved?: boolean;
  @ApiProperty({ required: false, description: 'what the POS answers, in short', example: 'HTTP 503' }) short?: string;
  @ApiProperty({ required: false, description: 'what the POS answers' }) answer?: string;
  @ApiProperty({ required: false, type: 'integer', description: 'how many orders wait' }) orders?: number;
  @ApiProperty({ required: false, type: String, format: 'date-time', description: 'since when it holds' })
  since?: string;
  @ApiProperty({
    required: false,
    type: 'integer',
    nullable: true,
    description: 'until a backlog is sent; null: unknown',
  })
  minutes?: number | null;
  @ApiProperty({ required: false, type: [String], maxItems: 10, description: 'names of restaurants' }) names?: string[];
  @ApiProperty({ required: false, type: String, nullable: true, description: "name of the sender key's restaurant" })
  restaurant?: string | null;
  @ApiProperty({
    required: false,
    type: 'integer',
    description: 'how many sender keys are refused; this is the newest',
  })
  keys?: number;
  @ApiProperty({ required: false, description: 'why requests with the sender key are refused' }) reason?: string;
  @ApiProperty({ required: false, type: 'integer', description: 'how long the database took to answer, in ms' })
  ms?: number;
}

class ToldView {
  @OneOf(CHANNELS, 'Channel') channel: string;
  @NullableText('name of the person; null: without a name, or a webhook') recipient: string | null;

  @OneOf(
    NOTIFICATION_STATES.filter((state) => state !== 'SKIPPED'),
    'NotificationState',
    'FOLDED: part of the message of another alert',
  )
  state: string;

  @Instant('when it was sent or failed; while it waits, when it is tried next') at: Date;
  @Integer('tries') attempts: number;
  @NullableText('why it waits or failed, or that it may have arrived twice') reason: string | null;
}

/** Query of the lists of alerts. */
export class AlertsQueryDto extends CursorPageDto {
  @ApiProperty({ required: false, enum: LANGUAGES, enumName: 'Language', default: 'en', description: 'of the titles' })
  @IsOptional()
  @IsIn(LANGUAGES)
  language: Language = 'en';
}

export class AlertView {
  @Uuid() id: string;
  @OneOf(KINDS, 'AlertKind') kind: string;
  @ApiProperty({ description: 'what needs somebody, in the language of the request (G56)' }) title: string;
  @CauseProperty('of the orders') cause: string | null;
  @Integer('of how many orders, restaurants, refusals or processes; of orders at most 1,000, of a backlog 10,000')
  count: number;
  @ApiProperty({ description: 'the newest order, what is away, or the key' }) details: AlertDetailsView;
  @Instant() openedAt: Date;
  @NullableInstant('null: it is open') closedAt: Date | null;
  @NullableInstant() acknowledgedAt: Date | null;
  @NullableText('name of who acknowledged it') acknowledgedBy: string | null;
  @NullableInstant('when the next notifications are sent; null: there are no more') nextStepAt: Date | null;
  @ListOf(ToldView, 50, 'the notifications, the newest first') told: ToldView[];
}

/** Response of `GET /restaurants/:restaurantId/alerts` and `GET /admin/alerts`. */
export class AlertPageView {
  @ListOf(AlertView, 200) data: AlertView[];
  @ApiProperty() meta: CursorPageMetaView;
}

class AcknowledgedAlertView {
  @Uuid() alertId: string;
  @ApiProperty({ description: 'path of the page of the console that shows what it is about' }) page: string;
}

/** Response of the routes that acknowledge. */
export class AcknowledgedView extends MessageWith(AcknowledgedAlertView) {}

/** Response of `POST /alerts/read`. */
export class AlertOfTokenView {
  @ApiProperty({ description: 'in the language of the person', example: 'Cantina 42: 1 order is parked' })
  title: string;
  @ApiProperty({ description: 'lines: why, what helps, and the newest order' }) text: string;
  @ApiProperty({ description: 'path of the page of the console that shows what it is about' }) page: string;
}

/** Body of `POST /alerts/acknowledge` and `POST /alerts/read`. */
export class AcknowledgeDto {
  @ApiProperty({ minLength: 1, maxLength: 200, description: 'from the message' })
  @IsString()
  @Length(1, 200)
  token: string;
}
