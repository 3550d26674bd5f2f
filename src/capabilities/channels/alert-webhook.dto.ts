import { ApiProperty } from '@nestjs/swagger';
import { IsString, Length } from 'class-validator';
import { Instant, NullableInstant, NullableText } from '../../platform/http/fields/fields.js';
import { MessageWith } from '../../platform/http/fields/message.view.js';
import { TestResultView } from './notifications.dto.js';

/** Body of `PUT /restaurants/:restaurantId/alert-webhook`. */
export class AlertWebhookDto {
  @ApiProperty({ example: 'https://hooks.example/alerts', description: 'https, port 443 or 8443' })
  @IsString()
  @Length(1, 2_000)
  url: string;
}

/** The webhook of a restaurant. Its secret is not shown. */
export class AlertWebhookView {
  @ApiProperty() url: string;
  @ApiProperty({ description: 'whether a test message was answered 2xx; alerts are sent only then' })
  confirmed: boolean;
  @Instant() createdAt: Date;
  @NullableInstant('when it last took a message') lastSentAt: Date | null;
  @NullableText('why the last message was not taken') failure: string | null;
}

/** Response of `GET /restaurants/:restaurantId/alert-webhook`. */
export class AlertWebhookAnswerView {
  @ApiProperty({ type: AlertWebhookView, nullable: true, description: 'null: there is none' })
  data: AlertWebhookView | null;
}

class AlertWebhookSetView extends AlertWebhookView {
  @NullableText(
    'the secret of the signatures (Standard Webhooks), shown this once; null: unchanged, because the address is the same',
  )
  secret: string | null;

  @ApiProperty({ description: 'what became of the test message' }) test: TestResultView;
}

/** Response of `PUT /restaurants/:restaurantId/alert-webhook`. */
export class AlertWebhookSavedView extends MessageWith(AlertWebhookSetView) {}
