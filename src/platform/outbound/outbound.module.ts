import { Module } from '@nestjs/common';
import { HostResolver } from './host-resolver.js';
import { OutboundTransport } from './outbound-transport.js';

/** Calls to addresses that people typed. */
@Module({
  providers: [OutboundTransport, { provide: HostResolver, useFactory: () => new HostResolver() }],
  exports: [OutboundTransport],
})
export class OutboundModule {}
