import { Module, type OnApplicationShutdown } from '@nestjs/common';
import { Config } from '../config/config.js';
import { PosClient } from './client.js';
import { PosHttp } from './http-transport.js';
import { PosSignIn } from './sign-in.js';
import { PosTokens } from './tokens.js';
import { vendorOf } from './vendors.js';

/** The POS client and its tokens, for the vendor that POS_VENDOR names. */
@Module({
  providers: [
    PosHttp,
    {
      provide: PosSignIn,
      inject: [PosHttp, Config],
      useFactory: (http: PosHttp, { pos }: Config) => new PosSignIn(http, vendorOf(pos), pos.timeoutMs),
    },
    PosTokens,
    {
      provide: PosClient,
      inject: [PosHttp, PosTokens, Config],
      useFactory: (http: PosHttp, tokens: PosTokens, { pos }: Config) =>
        new PosClient(vendorOf(pos), http, tokens, pos.timeoutMs),
    },
  ],
  exports: [PosClient],
})
export class PosModule implements OnApplicationShutdown {
  constructor(private readonly http: PosHttp) {}

  onApplicationShutdown(): void {
    this.http.close();
  }
}
