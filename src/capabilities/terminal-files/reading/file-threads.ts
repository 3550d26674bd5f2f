import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { WorkThreads } from '../../../platform/files/work-threads.js';
import type { Questions } from '../matching/file-questions.js';
import type { Task } from './file-thread.js';

/** What the relay answers a thread. */
export type Answers = Partial<Questions>;

/** The threads that read and compare files (J17). */
@Injectable()
export class FileThreads implements OnApplicationShutdown {
  private readonly threads = new WorkThreads(new URL('./file-thread.js', import.meta.url));
  readonly limits = this.threads.limits;
  readonly all = this.threads.all;

  /**
   * As {@link WorkThreads.run}.
   * @param answers what the thread may ask for
   */
  run<Name extends keyof Task>(
    name: Name,
    input: Task[Name]['input'],
    gone: AbortSignal,
    answers: Answers = {},
  ): Promise<Task[Name]['output']> {
    return this.threads.run(name, input, gone, answers);
  }

  onApplicationShutdown(): Promise<void> {
    return this.threads.end();
  }
}
