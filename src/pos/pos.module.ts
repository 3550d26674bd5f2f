import { Module, type OnApplicationShutdown } from '@nestjs/common';
import { PosClient } from './client.js';
import { PosHttp } from './http.js';
import { PosTokens } from './tokens.js';

/** SEND: the POS client and its tokens. */
@Module({ providers: [PosHttp, PosTokens, PosClient], exports: [PosClient] })
export class PosModule implements OnApplicationShutdown {
  constructor(private readonly http: PosHttp) {}

  onApplicationShutdown(): void {
    this.http.close();
  }
}
