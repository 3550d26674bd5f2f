import { Module } from '@nestjs/common';
import { OutboxModule } from '../../outbox/outbox.module.js';
import { AuditModule } from '../../platform/audit/audit.module.js';
import { FilesModule } from '../../platform/files/files.module.js';
import { addTag } from '../../platform/http/openapi/document.js';
import { CatalogueController } from './catalogue.controller.js';
import { CatalogueReader } from './catalogue.reader.js';
import { CatalogueService } from './catalogue.service.js';
import { CatalogueRows } from './catalogue-rows.js';
import { CatalogueThreads } from './catalogue-threads.js';
import { CodesController } from './codes.controller.js';
import { CodesService } from './codes.service.js';
import { MapController } from './map.controller.js';
import { MapService } from './map.service.js';
import { ProductsController } from './products.controller.js';
import { Products } from './products.js';

addTag('codes', 'What the POS calls the products and tenders of a restaurant');

/** What people set about the codes of a restaurant at its POS. The codes are sent by the outbox, with or without this capability. */
@Module({
  imports: [AuditModule, FilesModule, OutboxModule],
  controllers: [CodesController, MapController, ProductsController, CatalogueController],
  providers: [CodesService, MapService, Products, CatalogueService, CatalogueReader, CatalogueRows, CatalogueThreads],
})
export class CodesModule {}
