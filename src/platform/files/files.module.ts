import { Module } from '@nestjs/common';
import { FileQueue } from './file-queue.js';
import { FileUploads } from './file-uploads.js';

/** The turns of work with files, of all capabilities that take files. */
@Module({ providers: [FileQueue, FileUploads], exports: [FileQueue, FileUploads] })
export class FilesModule {}
