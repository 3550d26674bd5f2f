import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { addTag } from '../http/openapi.js';
import { OutboxModule } from '../outbox/outbox.module.js';
import './conditions.js';
import { Comparison } from './comparison.js';
import { Confirmations } from './confirmations.js';
import { Decisions } from './decisions.js';
import { DifferencesController } from './differences.controller.js';
import { DifferencesExport } from './differences-export.js';
import { DifferencesReader } from './differences-reader.js';
import { FileQueue } from './file-queue.js';
import { FileRounds } from './file-rounds.js';
import { FileThreads } from './file-threads.js';
import { FilesReader } from './files-reader.js';
import { OldFiles } from './old-files.js';
import { OpenRows } from './open-rows.js';
import { Recomparison } from './recomparison.js';
import { SalesReader } from './sales-reader.js';
import { TerminalFilesController } from './terminal-files.controller.js';
import { Uploads } from './uploads.js';

addTag("terminal's file", 'Files of the acquirer, compared with the sales of a restaurant');

/** Compares the files of the acquirer with the sales. */
@Module({
  imports: [AuditModule, OutboxModule],
  controllers: [TerminalFilesController, DifferencesController],
  providers: [
    ...[Uploads, FilesReader, SalesReader, Comparison, Confirmations, Recomparison, FileRounds],
    ...[FileQueue, FileThreads, OpenRows, OldFiles],
    ...[DifferencesReader, DifferencesExport, Decisions],
  ],
})
export class TerminalFilesModule {}
