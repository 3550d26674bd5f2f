import { Module } from '@nestjs/common';
import { OutboxModule } from '../../outbox/outbox.module.js';
import './conditions.js';
import { RefusedSalesController } from './refused-sales.controller.js';
import { RefusedSales } from './refused-sales.js';
import { RefusedSalesReader } from './refused-sales-reader.js';

/** Sales that came under the key of another one. */
@Module({
  imports: [OutboxModule],
  controllers: [RefusedSalesController],
  providers: [RefusedSales, RefusedSalesReader],
  exports: [RefusedSales],
})
export class RefusedSalesModule {}
