import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';

@Injectable()
export class DifferencesExport {
  open(_: string, _id: string, _separator: ',' | ';'): Promise<{ name: string; content: Readable }> {
    return Promise.reject(new Error('not written yet'));
  }
}
