// The side of a thread that works with files (J17): WorkThreads starts it. Nothing of the application is loaded here.
import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { basename } from 'node:path';
import { parentPort } from 'node:worker_threads';
import { RefusedFileError } from './csv-records.js';
import type { FileRefusal } from './rules/file-text.js';

/** What the relay sends to a thread. */
export type ToThread = { readonly name: string; readonly input: unknown } | { readonly answer: unknown };

/** What a thread sends. */
export type FromThread =
  | { readonly ask: string; readonly args: readonly unknown[] }
  | { readonly done: unknown }
  | { readonly refused: FileRefusal }
  | { readonly failed: string };

/** Of a core that another thread needs too, a thread with this value gets about a tenth. */
const NICENESS = 10;

let answered: (answer: unknown) => void = () => undefined;

/** Asks the relay. One question at a time. */
export function askRelay(ask: string, args: readonly unknown[]): Promise<unknown> {
  send({ ask, args });
  return new Promise((resolve) => {
    answered = resolve;
  });
}

/**
 * Does the work that the relay sends, one piece at a time.
 * @param work @throws RefusedFileError for a file that is refused: the thread goes on
 */
export function serveWork(work: (name: string, input: unknown) => Promise<unknown>): void {
  giveWay();
  parentPort?.on('message', (message: ToThread) => {
    if ('answer' in message) answered(message.answer);
    else
      work(message.name, message.input).then(
        (done) => send({ done }),
        (error: unknown) =>
          send(
            error instanceof RefusedFileError
              ? { refused: error.refusal }
              : { failed: error instanceof Error ? (error.stack ?? error.message) : String(error) },
          ),
      );
  });
}

/** Lets the thread that stores sales go first. Only Linux has priorities of threads, and names the thread that reads this link. */
function giveWay(): void {
  try {
    setPriority(Number(basename(readlinkSync('/proc/thread-self'))), NICENESS);
  } catch {
    // the work is done all the same
  }
}

function send(message: FromThread): void {
  parentPort?.postMessage(message);
}
