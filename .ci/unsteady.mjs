// What the CI knows about suites that fail and then pass.
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** The most suites of a run that may fail, if they then pass alone: one in 200, on a machine that is busy elsewhere. */
export const MOST_UNSTEADY = 5;

const DAY_MS = 86_400_000;
const folder = process.env.CI_STATE ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'relay-ci');
const file = join(folder, 'unsteady.tsv');

/**
 * Writes the tests down, with the time.
 * @param tests as `<suite>: <test>`
 * @returns those that an earlier run of the last 24 h on this machine has written down too
 */
export function remember(tests, now = Date.now()) {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  const known = lines.map((line) => line.split('\t')).filter(([at]) => now - Date.parse(at) < DAY_MS);
  mkdirSync(folder, { recursive: true });
  for (const test of tests) appendFileSync(file, `${new Date(now).toISOString()}\t${test.replace(/\s+/g, ' ')}\n`);
  const earlier = new Set(known.map(([, test]) => test));
  return tests.filter((test) => earlier.has(test.replace(/\s+/g, ' ')));
}
