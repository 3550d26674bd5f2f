import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Actor } from '../audit/actions.js';
import { tooManyBodies } from '../http/body/body-budget.js';
import { discardBody } from '../http/body/discard-body.js';
import { problem } from '../http/problem.js';
import { FILE_WORK_CODES } from './error-codes.js';
import { FileQueue } from './file-queue.js';
import { type ReceivedFile, receiveFile } from './received-file.js';

/** Receives files: a user has one upload at a time (J1). */
@Injectable()
export class FileUploads {
  /** users whose file is being received, or waits */
  private readonly uploading = new Set<string>();

  constructor(private readonly queue: FileQueue) {}

  /**
   * Receives the body of a request as a file, and works with it when its turn has come. A file that waits gives way to other bodies (W43).
   * @throws 413, 422 FILE_REFUSED, 429 TOO_MANY_UPLOADS; 503 TOO_MANY_BODIES; as {@link FileQueue.run}; ClientGoneError; what the work throws
   */
  async run<T>(
    caller: Actor & { readonly restaurantId: string },
    request: FastifyRequest,
    gone: AbortSignal,
    work: (file: ReceivedFile) => Promise<T>,
  ): Promise<T> {
    const { userId } = caller;
    if (this.uploading.has(userId)) {
      discardBody(request.raw);
      throw problem(
        FILE_WORK_CODES.TOO_MANY_UPLOADS,
        'another file of yours is being received or read: send it again',
        5,
      );
    }
    this.uploading.add(userId);
    const unwanted = new AbortController();
    try {
      const received = await receiveFile(request, () => unwanted.abort(tooManyBodies()));
      try {
        const signal = AbortSignal.any([gone, unwanted.signal]);
        return await this.queue.run(caller, signal, () => {
          received.held.settle();
          return work(received);
        });
      } finally {
        received.held.end();
      }
    } finally {
      this.uploading.delete(userId);
    }
  }
}
