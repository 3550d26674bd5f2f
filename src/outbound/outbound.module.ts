import { Module } from '@nestjs/common';
import { OutboundTransport } from './outbound-transport.js';
import { Resolver } from './resolver.js';

/** Calls to addresses that people typed. */
@Module({ providers: [OutboundTransport, Resolver], exports: [OutboundTransport] })
export class OutboundModule {}
