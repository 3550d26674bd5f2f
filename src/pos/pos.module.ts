import { Module, type OnApplicationShutdown } from '@nestjs/common';
import { Config } from '../platform/config/config.js';
import { OutboundModule } from '../platform/outbound/outbound.module.js';
import { OutboundTransport } from '../platform/outbound/outbound-transport.js';
import { Log } from '../platform/telemetry/log.js';
import { PosClient } from './client.js';
import { GuardedTransport } from './guarded-transport.js';
import { PosHttp } from './http-transport.js';
import { OrderTransport } from './order-transport.js';
import { PushClient } from './push-client.js';
import { PosSignIn } from './sign-in.js';
import { StoredTokens } from './stored-tokens.js';
import { PosTokens } from './tokens.js';

/** The POS client and its tokens. */
@Module({
  imports: [OutboundModule],
  providers: [
    PosHttp,
    {
      provide: OrderTransport,
      inject: [Config, Log],
      // a connection for each slot
      useFactory: ({ pos, outbox }: Config, log: Log) =>
        new OrderTransport({ connections: outbox.batchSize, timeoutMs: pos.timeoutMs }, (origin) =>
          log.warn({ event: 'pos.surplus_answer', origin }),
        ),
    },
    {
      provide: PosSignIn,
      inject: [PosHttp, Config],
      useFactory: (http: PosHttp, { pos }: Config) => new PosSignIn(http, pos.timeoutMs),
    },
    StoredTokens,
    PosTokens,
    {
      provide: PosClient,
      inject: [OrderTransport, PosTokens],
      useFactory: (transport: OrderTransport, tokens: PosTokens) => new PosClient(transport, tokens),
    },
    {
      provide: PushClient,
      inject: [OutboundTransport, PosTokens, Config],
      useFactory: (outbound: OutboundTransport, tokens: PosTokens, { pos }: Config) =>
        new PushClient(new GuardedTransport(outbound, pos.timeoutMs), tokens),
    },
  ],
  exports: [PosClient, PushClient, PosTokens, PosHttp],
})
export class PosModule implements OnApplicationShutdown {
  constructor(
    private readonly http: PosHttp,
    private readonly transport: OrderTransport,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    this.http.close();
    await this.transport.close();
  }
}
