import { Global, Module } from '@nestjs/common';
import { SpanExporter } from './span-exporter.js';
import { Tracing } from './tracing.js';

/** The traces of sales, for receive, store, send and settle. */
@Global()
@Module({ providers: [SpanExporter, Tracing], exports: [Tracing] })
export class TracingModule {}
