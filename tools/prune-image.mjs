// Removes files from a production node_modules that a running relay never reads. The image is built with it, and .ci/run
// starts a relay from such a tree. Not for a development folder.
//
//   node tools/prune-image.mjs <node_modules>
import { readdirSync, rmSync } from 'node:fs';
import { join, sep } from 'node:path';

const folder = process.argv[2];
if (!folder?.endsWith('node_modules')) {
  console.error('prune-image: name the node_modules folder to prune');
  process.exit(1);
}

const NEVER_READ = [
  // for debuggers, compilers and readers; licences stay
  /\.(map|d\.ts|d\.mts|d\.cts|tsbuildinfo)$/,
  /(^|\/)(?!licen[cs]e)[^/]*\.(md|markdown)$/i,
  // Prisma's query compilers (dist/ contains the one for Postgres) and its builds for browsers and edge workers
  /^@prisma\/client\/runtime\/query_compiler_/,
  /^@prisma\/client\/runtime\/(index-browser|wasm-compiler-edge)\./,
  // Postgres extensions: the migrations create none
  /^@electric-sql\/pglite\/dist\/[^/]+\.tar\.gz$/,
];

let files = 0;
for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
  const path = join(entry.parentPath, entry.name);
  // the link to a workspace that does not exist here
  if (entry.isSymbolicLink() && entry.parentPath === folder) rmSync(path);
  if (!entry.isFile()) continue;
  const name = path.slice(join(folder, sep).length).split(sep).join('/');
  // by the package's own name, also inside another package's node_modules
  const within = name.split('node_modules/').at(-1);
  if (!NEVER_READ.some((pattern) => pattern.test(within))) continue;
  rmSync(path);
  files += 1;
}
console.log(`prune-image: ${files} files removed`);
