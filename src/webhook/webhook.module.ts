import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { SenderKeysModule } from '../auth/sender-keys/sender-keys.module.js';
import { OutboxModule } from '../outbox/outbox.module.js';
import { KeyAuthentication } from './authentication/key.authentication.js';
import { Owners } from './authentication/owners.js';
import { TerminalAuthentication } from './authentication/terminal.authentication.js';
import { RefusedSalesModule } from './refused-sales/refused-sales.module.js';
import { SilenceModule } from './silence/silence.module.js';
import './webhook.openapi.js';
import { Placement } from './placement.js';
import { Repeats } from './repeats.js';
import { SaleTurns } from './sale-turns.js';
import { WebhookRoute } from './webhook.route.js';
import { WebhookService } from './webhook.service.js';

/** Receive and store: the webhook of the payment terminals. */
@Module({
  imports: [AuthModule, OutboxModule, SenderKeysModule, RefusedSalesModule, SilenceModule],
  providers: [
    WebhookRoute,
    TerminalAuthentication,
    KeyAuthentication,
    Owners,
    WebhookService,
    Placement,
    Repeats,
    SaleTurns,
  ],
  exports: [TerminalAuthentication, KeyAuthentication],
})
export class WebhookModule {}
