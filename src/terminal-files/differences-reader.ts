import { Injectable } from '@nestjs/common';
import type { DifferencesPageView, QueryDifferencesDto } from './differences.dto.js';

@Injectable()
export class DifferencesReader {
  list(_: string, _id: string, _query: QueryDifferencesDto): Promise<DifferencesPageView> {
    return Promise.reject(new Error('not written yet'));
  }
}
