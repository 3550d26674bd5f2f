import { Injectable } from '@nestjs/common';
import type { Mapping } from '../domain/terminal-file.js';
import type { Link } from '../user-links/restaurant.guard.js';

@Injectable()
export class Confirmations {
  confirm(
    _: Link,
    _id: string,
    _mapping: Mapping,
    _days: { from?: string | undefined; to?: string | undefined },
  ): Promise<void> {
    return Promise.reject(new Error('not written yet'));
  }
}
