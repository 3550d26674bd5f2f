import { Injectable } from '@nestjs/common';
import type { Mapping } from '../domain/terminal-file.js';
import type {
  FilePreviewView,
  QueryTerminalFilesDto,
  TerminalFileDetailView,
  TerminalFilesPageView,
} from './terminal-files.dto.js';

@Injectable()
export class FilesReader {
  one(_: string, _id: string): Promise<TerminalFileDetailView> {
    return Promise.reject(new Error('not written yet'));
  }
  list(_: string, _query: QueryTerminalFilesDto): Promise<TerminalFilesPageView> {
    return Promise.reject(new Error('not written yet'));
  }
  preview(_: string, _id: string, _mapping: Mapping): Promise<FilePreviewView> {
    return Promise.reject(new Error('not written yet'));
  }
}
