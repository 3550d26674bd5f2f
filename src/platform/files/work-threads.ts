import { Worker } from 'node:worker_threads';
import { ClientGoneError } from '../http/client-gone.js';
import { fileRefused } from './received-file.js';
import type { FromThread, ToThread } from './thread-work.js';

/** A thread waits so long for further work, in ms: a start takes longer than most work. */
const IDLE_MS = 5_000;
const TOO_MUCH_MEMORY = 'ERR_WORKER_OUT_OF_MEMORY';

/** How work ends that leaves its thread to the next one. It waits for each answer, so none comes after its end. */
type Ended = Extract<FromThread, { done: unknown } | { refused: unknown }>;

/**
 * Does work with files in threads of their own (J17; decisions/068), so that no file holds up other requests, and none ends the process. A
 * thread does one thing at a time; FileQueue bounds how many there are.
 */
export class WorkThreads {
  /** the longest work, in ms, and the memory of a new thread for its objects, in MB (L113) */
  readonly limits = { longestMs: 60_000, memoryMb: 256 };
  readonly all = new Set<Worker>();
  private readonly idle = new Map<Worker, NodeJS.Timeout>();

  /** @param program what a thread runs: it calls `serveWork` */
  constructor(private readonly program: URL) {}

  /**
   * Only work that needs too much or fails ends its thread, and work whose client has gone: a file that is refused is ordinary, and a new thread
   * takes longer to start than to refuse one.
   * @param answers what the thread may ask for
   * @param gone ends the thread
   * @throws 422 FILE_REFUSED, also for a file that needs too much memory or time; the reason of `gone`; what an answer throws
   */
  async run<Output>(name: string, input: unknown, gone: AbortSignal, answers: object = {}): Promise<Output> {
    if (gone.aborted) throw new ClientGoneError();
    const thread = this.take();
    let end: Ended;
    try {
      end = await this.ended(thread, { name, input }, gone, answers);
    } catch (error) {
      await thread.terminate();
      throw error;
    }
    this.keep(thread);
    if ('refused' in end) throw fileRefused(end.refused.line, end.refused.reason);
    return end.done as Output;
  }

  /** Ends all threads, and the work in them. */
  async end(): Promise<void> {
    await Promise.all([...this.all].map((thread) => thread.terminate()));
  }

  /** @throws what ends the thread */
  private ended(thread: Worker, work: ToThread, gone: AbortSignal, answers: object): Promise<Ended> {
    return new Promise((resolve, reject) => {
      const end = (then: () => void) => {
        clearTimeout(timer);
        gone.removeEventListener('abort', leave);
        thread.removeAllListeners('message').removeAllListeners('error');
        // an error after the end of the work ends the thread, and not the process
        thread.on('error', () => undefined);
        then();
      };
      const fail = (error: unknown) => end(() => reject(error));
      const leave = () => fail(new ClientGoneError());
      const timer = setTimeout(() => fail(fileRefused(null, 'reading it takes too long')), this.limits.longestMs);
      gone.addEventListener('abort', leave, { once: true });
      thread.on('error', (error: NodeJS.ErrnoException) =>
        fail(error.code === TOO_MUCH_MEMORY ? fileRefused(null, 'reading it needs too much memory') : error),
      );
      thread.on('message', (message: FromThread) => {
        if ('ask' in message) answerTo(message, answers).then((answer) => thread.postMessage({ answer }), fail);
        else if ('failed' in message) fail(new Error(`a thread for files failed: ${message.failed}`));
        else end(() => resolve(message));
      });
      thread.postMessage(work);
    });
  }

  private take(): Worker {
    const [known, timer] = [...this.idle][0] ?? [];
    if (known) {
      clearTimeout(timer);
      this.idle.delete(known);
      known.ref();
      return known;
    }
    const thread = new Worker(this.program, {
      resourceLimits: { maxOldGenerationSizeMb: this.limits.memoryMb },
    });
    this.all.add(thread);
    thread.once('exit', () => {
      this.all.delete(thread);
      clearTimeout(this.idle.get(thread));
      this.idle.delete(thread);
    });
    return thread;
  }

  private keep(thread: Worker): void {
    thread.unref();
    this.idle.set(thread, setTimeout(() => void thread.terminate(), IDLE_MS).unref());
  }
}

async function answerTo({ ask, args }: Extract<FromThread, { ask: unknown }>, answers: object): Promise<unknown> {
  const answer = (answers as Readonly<Record<string, ((...args: readonly unknown[]) => Promise<unknown>) | undefined>>)[
    ask
  ];
  if (!answer) throw new Error(`nothing answers ${ask}`);
  return answer(...args);
}
