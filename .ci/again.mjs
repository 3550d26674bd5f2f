// Runs each suite that failed once more, alone. A suite that passes now is unsteady: it is named, and the run goes on. Exit code 1: a suite
// failed again, more suites are unsteady than a run may have, or a test was unsteady in an earlier run of the last 24 h too.
// usage: node .ci/again.mjs <results folder>
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { MOST_UNSTEADY, remember } from './unsteady.mjs';

const folder = join(process.argv[2], 'again');
const runs = existsSync(folder)
  ? readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')))
  : [];
const suites = runs.flatMap(({ command, environment, suites }) =>
  suites.map((suite) => ({ ...suite, command, environment })),
);
if (suites.length > MOST_UNSTEADY)
  fail(`${suites.length} suites failed: ${suites.map(({ path }) => relative('.', path)).join(', ')}`);

const unsteady = [];
for (const { path, tests, command, environment } of suites) {
  const suite = relative('.', path);
  console.log(`\n${suite} failed; once more, alone`);
  const [program, ...options] = command.filter((option) => !option.startsWith('--maxWorkers'));
  // with one worker Jest runs the suite in its own process, which some suites keep alive after their last test
  const alone = [...options, '--maxWorkers=2', '--runTestsByPath', path];
  if (spawnSync(program, alone, { stdio: 'inherit', env: environment }).status !== 0) fail(`${suite} failed twice`);
  unsteady.push(...tests.map((test) => `${suite}: ${test}`));
}
const repeated = remember(unsteady);
for (const test of unsteady) console.log(`UNSTEADY ${test}`);
if (repeated.length > 0) fail(`unsteady in an earlier run of this day too: ${repeated.join(', ')}`);

function fail(why) {
  console.error(why);
  process.exit(1);
}
