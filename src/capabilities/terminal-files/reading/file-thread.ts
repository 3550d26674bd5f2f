// Begins a thread that works with files (J17): FileThreads starts it. Nothing of the application is loaded here.
import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { basename } from 'node:path';
import { parentPort } from 'node:worker_threads';
import {
  type AgainInput,
  type Compared,
  compareAgain,
  compareNew,
  type Judged,
  judge,
  type NewInput,
} from '../matching/compare-file.js';
import type { Ask, Questions } from '../matching/file-questions.js';
import { type Proposed, proposeMapping, type TrialInput } from '../matching/propose-mapping.js';
import type { FileRefusal } from '../rules/file-text.js';
import { RefusedFileError } from './csv-records.js';
import { type PreviewInput, previewOf, type ReadPreview } from './file-preview.js';
import { type ReadFile, type ReadInput, readFile } from './read-file.js';

/** What a thread does. All of it can be cloned. */
export interface Task {
  read: { input: ReadInput; output: ReadFile };
  preview: { input: PreviewInput; output: ReadPreview };
  propose: { input: TrialInput; output: Proposed };
  judge: { input: NewInput; output: Judged | null };
  compareNew: { input: NewInput; output: Compared };
  compareAgain: { input: AgainInput; output: Compared };
}

/** What the relay sends to a thread. */
export type ToThread =
  | { [Name in keyof Task]: { readonly name: Name; readonly input: Task[Name]['input'] } }[keyof Task]
  | { readonly answer: unknown };

/** What a thread sends. */
export type FromThread =
  | { readonly ask: keyof Questions; readonly args: readonly unknown[] }
  | { readonly done: unknown }
  | { readonly refused: FileRefusal }
  | { readonly failed: string };

/** Of a core that another thread needs too, a thread with this value gets about a tenth. */
const NICENESS = 10;

let answered: (answer: never) => void = () => undefined;

const ask: Ask = (name, ...args) => {
  send({ ask: name, args });
  return new Promise<never>((resolve) => {
    answered = resolve;
  }) as never;
};

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

async function work(task: Exclude<ToThread, { answer: unknown }>): Promise<unknown> {
  switch (task.name) {
    case 'read':
      return readFile(task.input);
    case 'preview':
      return previewOf(task.input);
    case 'propose':
      return proposeMapping(task.input, ask);
    case 'judge':
      return judge(task.input, ask);
    case 'compareNew':
      return compareNew(task.input, ask);
    case 'compareAgain':
      return compareAgain(task.input, ask);
  }
}

giveWay();
parentPort?.on('message', (message: ToThread) => {
  if ('answer' in message) answered(message.answer as never);
  else
    work(message).then(
      (done) => send({ done }),
      (error: unknown) =>
        send(
          error instanceof RefusedFileError
            ? { refused: error.refusal }
            : { failed: error instanceof Error ? (error.stack ?? error.message) : String(error) },
        ),
    );
});
