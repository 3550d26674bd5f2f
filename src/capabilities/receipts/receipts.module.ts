import { Module } from '@nestjs/common';
import { SenderKeysModule } from '../../auth/sender-keys/sender-keys.module.js';
import { WebhookModule } from '../../webhook/webhook.module.js';
import { ReceiptCursors } from './receipt-cursors.js';
import { ReceiptsController } from './receipts.controller.js';
import { ReceiptsService } from './receipts.service.js';
import { ReceiptsReader } from './receipts-reader.js';
import { WaitingPolls } from './waiting-polls.js';

/** What a sender may ask: what became of its sales. */
@Module({
  imports: [WebhookModule, SenderKeysModule],
  controllers: [ReceiptsController],
  providers: [ReceiptCursors, ReceiptsReader, ReceiptsService, WaitingPolls],
})
export class ReceiptsModule {}
