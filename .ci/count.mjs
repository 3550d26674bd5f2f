// Adds up the results of the test runs, in one line.
import { readFileSync } from 'node:fs';

let [passed, failed, skipped] = [0, 0, 0];
for (const file of process.argv.slice(2)) {
  const result = JSON.parse(readFileSync(file, 'utf8'));
  passed += result.numPassedTests;
  failed += result.numFailedTests + result.numRuntimeErrorTestSuites;
  skipped += result.numPendingTests;
}
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
