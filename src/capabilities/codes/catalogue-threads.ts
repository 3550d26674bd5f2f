import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { WorkThreads } from '../../platform/files/work-threads.js';
import type { ReadCatalogue } from './read-catalogue.js';

/** The threads that read catalogues: a large one would hold up the sales of all restaurants. */
@Injectable()
export class CatalogueThreads implements OnApplicationShutdown {
  private readonly threads = new WorkThreads(new URL('./catalogue-thread.js', import.meta.url));

  /** @throws as {@link WorkThreads.run} */
  read(bytes: Uint8Array, gone: AbortSignal): Promise<ReadCatalogue> {
    return this.threads.run('read', { bytes }, gone);
  }

  onApplicationShutdown(): Promise<void> {
    return this.threads.end();
  }
}
