import { Module } from '@nestjs/common';
import { OutboxModule } from '../../outbox/outbox.module.js';
import { AuditModule } from '../../platform/audit/audit.module.js';
import { addTag } from '../../platform/http/openapi/document.js';
import './conditions.js';
import { FilesModule } from '../../platform/files/files.module.js';
import { DifferencesController } from './api/differences.controller.js';
import { DifferencesExport } from './api/differences-export.js';
import { DifferencesReader } from './api/differences-reader.js';
import { FilesReader } from './api/files-reader.js';
import { TerminalFilesController } from './api/terminal-files.controller.js';
import { FileRounds } from './file-rounds.js';
import { Comparison } from './matching/comparison.js';
import { Confirmations } from './matching/confirmations.js';
import { Decisions } from './matching/decisions.js';
import { DecisionsReader } from './matching/decisions-reader.js';
import { FileRows } from './matching/file-rows.js';
import { OpenRows } from './matching/open-rows.js';
import { Recomparison } from './matching/recomparison.js';
import { SalesReader } from './matching/sales-reader.js';
import { TakeBack } from './matching/take-back.js';
import { OldFiles } from './old-files.js';
import { FileThreads } from './reading/file-threads.js';
import { Uploads } from './reading/uploads.js';

addTag("terminal's file", 'Files of the acquirer, compared with the sales of a restaurant');

/** Compares the files of the acquirer with the sales. */
@Module({
  imports: [AuditModule, FilesModule, OutboxModule],
  controllers: [TerminalFilesController, DifferencesController],
  providers: [
    ...[Uploads, FilesReader, SalesReader, Comparison, Confirmations, Recomparison, FileRounds],
    ...[FileThreads, FileRows, OpenRows, DecisionsReader, TakeBack, OldFiles],
    ...[DifferencesReader, DifferencesExport, Decisions],
  ],
})
export class TerminalFilesModule {}
