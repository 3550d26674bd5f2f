// Runs first in every process that runs suites.
import './typescript.mjs';

// a stack trace names lines of the sources
process.setSourceMapsEnabled(true);
// nothing that a suite has left open keeps a worker alive after the run
if (process.send) process.once('disconnect', () => process.exit());

await import('./verdict.ts');
