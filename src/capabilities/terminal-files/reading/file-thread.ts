// Begins a thread that works with files (J17): FileThreads starts it. Nothing of the application is loaded here.
import { askRelay, serveWork } from '../../../platform/files/thread-work.js';
import {
  type AgainInput,
  type Compared,
  compareAgain,
  compareNew,
  type Judged,
  judge,
  type NewInput,
} from '../matching/compare-file.js';
import type { Ask } from '../matching/file-questions.js';
import { type Proposed, proposeMapping, type TrialInput } from '../matching/propose-mapping.js';
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

type Given = {
  readonly [Name in keyof Task]: { readonly name: Name; readonly input: Task[Name]['input'] };
}[keyof Task];

const ask: Ask = (name, ...args) => askRelay(name, args) as never;

async function work(task: Given): Promise<unknown> {
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

serveWork((name, input) => work({ name, input } as Given));
