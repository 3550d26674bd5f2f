// Runs suites. Suites that fail are written down for again.mjs, which runs each of them once more when nothing else runs.
// usage: node .ci/suites.mjs <results folder> <name of the run> <command> [arguments of jest]
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MOST_UNSTEADY } from './unsteady.mjs';

const [results, name, ...command] = process.argv.slice(2);
const output = join(results, `${name}.json`);
const { status } = spawnSync(command[0], [...command.slice(1), '--json', `--outputFile=${output}`], {
  stdio: 'inherit',
});
if (status === 0) process.exit(0);
if (!existsSync(output)) process.exit(1);

const failed = JSON.parse(readFileSync(output, 'utf8')).testResults.filter((suite) => suite.status === 'failed');
if (failed.length === 0 || failed.length > MOST_UNSTEADY) {
  console.error(`${failed.length} suites failed`);
  process.exit(1);
}
const titles = ({ assertionResults, message }) => {
  const tests = assertionResults.filter((test) => test.status === 'failed').map((test) => test.fullName);
  return tests.length > 0 ? tests : [message.split('\n')[0] || 'the suite itself'];
};
mkdirSync(join(results, 'again'), { recursive: true });
writeFileSync(
  join(results, 'again', `${name}.json`),
  JSON.stringify({
    command,
    environment: process.env,
    suites: failed.map((suite) => ({ path: suite.name, tests: titles(suite) })),
  }),
);
console.log(`${failed.length} suites failed; each runs once more, alone, at the end`);
