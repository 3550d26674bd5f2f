// Lists the production packages with their licences, and fails on a licence that is not allowed.
//
//   npm run licences [-- --json] [-- --lock <folder of a package-lock.json>]
import { parseArgs } from 'node:util';
import { productionPackages } from './production-packages.mjs';

/** Licences that require only their text, which stays in the image. The maintainers decide on any other. */
const ALLOWED = [
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'MIT-0',
  'Python-2.0',
];

const { values: options } = parseArgs({ options: { json: { type: 'boolean' }, lock: { type: 'string' } } });
const packages = productionPackages(options.lock);
if (options.json) {
  const listed = packages.map(({ name, version, licence }) => ({ name, version, licence: licence ?? null }));
  console.log(JSON.stringify(listed, null, 2));
} else {
  for (const { name, version, licence } of packages)
    console.log(`${(licence ?? '(none)').padEnd(16)} ${name} ${version}`);
  console.log(`\n${packages.length} packages: ${summary()}`);
}

const refused = packages.filter(({ licence }) => !ALLOWED.includes(licence));
for (const { name, version, licence } of refused)
  console.error(
    `licences: ${name} ${version} has ${licence ? `the licence ${licence}` : 'no licence'}, which is not allowed`,
  );
process.exitCode = refused.length > 0 ? 1 : 0;

function summary() {
  const counts = new Map();
  for (const { licence = '(none)' } of packages) counts.set(licence, (counts.get(licence) ?? 0) + 1);
  const largestFirst = [...counts].sort(([, a], [, b]) => b - a);
  return largestFirst.map(([licence, count]) => `${count} ${licence}`).join(', ');
}
