// Runs first in every process that runs suites.
import { syncBuiltinESMExports } from 'node:module';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import v8 from 'node:v8';
import threads from 'node:worker_threads';
import '../../tools/typescript.mjs';

// in a short process, optimizing compilation of WebAssembly costs more than it gains
v8.setFlagsFromString('--liftoff-only');

// stack traces show lines of the sources
process.setSourceMapsEnabled(true);
// open handles of a suite do not keep a worker alive after the run
if (process.send) process.once('disconnect', () => process.exit());

// A thread does not get the hooks of this process: threads of src/ run what the set-up has compiled.
const SRC = fileURLToPath(new URL('../../src/', import.meta.url));
const { RELAY_TEST_FOLDER } = process.env;
threads.Worker = class extends threads.Worker {
  constructor(file, options) {
    const path = file instanceof URL ? fileURLToPath(file) : String(file);
    const isOurs = RELAY_TEST_FOLDER && path.startsWith(SRC);
    super(isOurs ? join(RELAY_TEST_FOLDER, 'src', relative(SRC, path)) : file, options);
  }
};
syncBuiltinESMExports();

await import('./verdict.ts');
