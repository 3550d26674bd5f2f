// Runs first in every process that runs suites.
import v8 from 'node:v8';
import '../../tools/typescript.mjs';

// in a short process, optimizing compilation of WebAssembly costs more than it gains
v8.setFlagsFromString('--liftoff-only');

// stack traces show lines of the sources
process.setSourceMapsEnabled(true);
// open handles of a suite do not keep a worker alive after the run
if (process.send) process.once('disconnect', () => process.exit());

await import('./verdict.ts');
