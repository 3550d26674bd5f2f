import { Module } from '@nestjs/common';
import { OutboxModule } from '../../outbox/outbox.module.js';
import { AuditModule } from '../../platform/audit/audit.module.js';
import { addTag } from '../../platform/http/openapi/document.js';
import { CodesController } from './codes.controller.js';
import { CodesService } from './codes.service.js';
import { MapController } from './map.controller.js';
import { MapService } from './map.service.js';
import { ProductsController } from './products.controller.js';
import { Products } from './products.js';

addTag('codes', 'What the POS calls the products and tenders of a restaurant');

/** What people set about the codes of a restaurant at its POS. The codes are sent by the outbox, with or without this capability. */
@Module({
  imports: [AuditModule, OutboxModule],
  controllers: [CodesController, MapController, ProductsController],
  providers: [CodesService, MapService, Products],
})
export class CodesModule {}
