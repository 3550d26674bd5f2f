import { Module } from '@nestjs/common';
import { AuditModule } from '../../platform/audit/audit.module.js';
import { ErasureController } from './erasure.controller.js';
import { ErasureService } from './erasure.service.js';

/** Erases the content of sales: of one, or of the old ones that retention keeps. */
@Module({
  imports: [AuditModule],
  controllers: [ErasureController],
  providers: [ErasureService],
})
export class PersonalDataModule {}
