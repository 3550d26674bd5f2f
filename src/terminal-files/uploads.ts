import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Link } from '../user-links/restaurant.guard.js';

@Injectable()
export class Uploads {
  upload(
    _: Link,
    _name: string,
    _request: FastifyRequest,
    _reply: FastifyReply,
  ): Promise<{ id: string; isNew: boolean }> {
    return Promise.reject(new Error('not written yet'));
  }
  remove(_: Link, _fileId: string): Promise<void> {
    return Promise.reject(new Error('not written yet'));
  }
}
