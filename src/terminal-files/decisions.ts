import { Injectable } from '@nestjs/common';
import type { Link } from '../user-links/restaurant.guard.js';
import type { DifferenceView } from './differences.dto.js';

@Injectable()
export class Decisions {
  accept(_: Link, _id: string, _line: number, _key: string): Promise<DifferenceView> {
    return Promise.reject(new Error('not written yet'));
  }
  refuse(_: Link, _id: string, _line: number, _key: string): Promise<DifferenceView> {
    return Promise.reject(new Error('not written yet'));
  }
  enter(_: Link, _id: string, _line: number, _note: string): Promise<DifferenceView> {
    return Promise.reject(new Error('not written yet'));
  }
}
