// Runs first in every process that runs suites.
import v8 from 'node:v8';
import '../../tools/typescript.mjs';

// for so short a life, compiling WebAssembly a second time, for speed, costs more than it gains
v8.setFlagsFromString('--liftoff-only');

// a stack trace names lines of the sources
process.setSourceMapsEnabled(true);
// nothing that a suite has left open keeps a worker alive after the run
if (process.send) process.once('disconnect', () => process.exit());

await import('./verdict.ts');
