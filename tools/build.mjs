// Builds the targets that are stale, and prints their names; with --always, everything from scratch.
//
//   node tools/build.mjs [--always] client|relay|console ...
//
// A successful build writes a hash of its inputs beside its output: another commit, an interrupted build or a missing file
// makes it stale, a touched file does not. To find that everything is fresh takes only Node, so that it runs without the
// compiler too.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, existsSync, openSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const LOCK = join(ROOT, '.build.lock');
const GENERATED = 'src/platform/database/generated';
const STAMP = '.built-from';
const require = createRequire(import.meta.url);

const RELAY = {
  sources: 'src',
  /** `outDir` of the compiler: below node_modules/, where `npm ci` removes it */
  compiled: 'node_modules/.cache/relay',
  out: 'dist',
  project: 'tsconfig.build.json',
  bundler: 'tools/rolldown.config.mjs',
  inputs: ['prisma/schema.prisma', 'tsconfig.json', 'package-lock.json'],
};
/** The console shows them to who makes a key. */
const EXAMPLES = ['sale.sh', 'sale.mjs', 'sale-token.sh'].map((file) => `tools/examples/${file}`);
const CONSOLE = {
  sources: 'console',
  out: 'dist-console',
  inputs: ['package-lock.json', 'tools/build.mjs', 'src/capabilities/doctor/words.ts', ...EXAMPLES],
};
/** Smaller files are not compressed; bytes. */
const MIN_COMPRESSED_SIZE = 1_024;
const CLIENT_INPUTS = ['prisma/schema.prisma', 'package-lock.json'];

const TARGETS = {
  // the output of `prisma generate` in src/; also an input of the relay
  client: { name: 'the database client', isFresh: isClientFresh, build: generateClient },
  relay: { name: 'the relay', out: RELAY.out, isFresh: isRelayFresh, build: buildRelay },
  // beside dist/: a build of the relay removes foreign files from dist/
  console: { name: 'the console', out: CONSOLE.out, isFresh: isConsoleFresh, build: buildConsole },
};

let generation;
const always = process.argv.includes('--always');
const targets = process.argv.slice(2).filter((argument) => argument !== '--always');
const unknown = targets.find((name) => !Object.hasOwn(TARGETS, name));
if (unknown !== undefined || targets.length === 0) fail(`build: what to build is one of ${Object.keys(TARGETS)}`);

const stale = () => targets.map((name) => TARGETS[name]).filter((target) => always || !target.isFresh());
if (stale().length > 0) await buildStale();

async function buildStale() {
  await takeLock();
  // another command may have built it in the meantime
  const waiting = stale();
  if (waiting.length === 0) return;
  const started = performance.now();
  const isWhole = always || waiting.some(({ out }) => out && !existsSync(join(ROOT, out)));
  const expected = isWhole ? '10 s, more on a slow machine' : 'what has changed';
  say(`building ${waiting.map(({ name }) => name).join(', ')}: ${expected} ...\n`);
  const signs = showProgress(started);
  // at the same time; the relay waits for its client
  const results = await Promise.allSettled(waiting.map((target) => target.build()));
  clearInterval(signs);
  const failed = results.find(({ status }) => status === 'rejected');
  if (failed) fail(failed.reason.message);
  say(`built in ${seconds(started)} s\n`);
}

/** The stamp of the relay has a hash of the inputs, then the name of each output. */
function isRelayFresh() {
  const [hash, ...outputs] = readIfThere(join(ROOT, RELAY.out, STAMP))?.split('\n') ?? [];
  return hash === hashOfRelay() && outputs.every((file) => existsSync(join(ROOT, RELAY.out, file)));
}

/** The relay: the compiler writes a file for each source, and the bundler makes the programs of them (decisions/048). */
async function buildRelay() {
  const { compiled, out, bundler } = RELAY;
  const [files, folder] = [join(ROOT, compiled), join(ROOT, out)];
  rmSync(join(folder, STAMP), { force: true });
  if (always) rmSync(files, { recursive: true, force: true });
  await generateClient();
  const hash = hashOfRelay();
  await compile(files);
  if (isIncomplete(files)) {
    // files are missing in the output: the compiler's incremental state is wrong
    rmSync(files, { recursive: true, force: true });
    await compile(files);
  }
  await run('rolldown/bin/cli.mjs', '-c', bundler);
  writeFileSync(join(folder, STAMP), [hash, ...filesOf(folder, '.js', '.wasm')].join('\n'));
}

function compile(folder) {
  const memory = join(folder, '.tsbuildinfo');
  return run('typescript/bin/tsc', '-p', RELAY.project, '--incremental', '--tsBuildInfoFile', memory);
}

/** `prisma generate`, when the schema or the generator has changed; once for all targets. */
function generateClient() {
  generation ??= generate();
  return generation;
}

async function generate() {
  if (!always && isClientFresh()) return;
  const hash = hashOfFiles(CLIENT_INPUTS);
  await run('prisma/build/index.js', 'generate');
  writeFileSync(join(ROOT, GENERATED, STAMP), hash);
}

function isClientFresh() {
  return readIfThere(join(ROOT, GENERATED, STAMP)) === hashOfFiles(CLIENT_INPUTS);
}

/** The console, by Vite; its files are compressed too. */
async function buildConsole() {
  const { sources, out } = CONSOLE;
  if (!existsSync(join(ROOT, sources))) return;
  const folder = join(ROOT, out);
  rmSync(join(folder, STAMP), { force: true });
  const hash = hashOfConsole();
  await run(
    'vite/bin/vite.js',
    'build',
    sources,
    '--outDir',
    relative(sources, out),
    '--emptyOutDir',
    '--logLevel',
    'warn',
  );
  for (const file of filesOf(folder, '.html', '.js', '.css', '.svg')) compress(join(folder, file));
  writeFileSync(join(folder, STAMP), hash);
}

function compress(file) {
  const content = readFileSync(file);
  if (content.length < MIN_COMPRESSED_SIZE) return;
  writeFileSync(`${file}.br`, brotliCompressSync(content));
  writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
}

/** Without sources it counts as fresh. */
function isConsoleFresh() {
  return !existsSync(join(ROOT, CONSOLE.sources)) || readIfThere(join(ROOT, CONSOLE.out, STAMP)) === hashOfConsole();
}

function hashOfConsole() {
  const { sources, inputs } = CONSOLE;
  const entries = readdirSync(join(ROOT, sources), { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(ROOT, join(parentPath, name)))
    .filter((file) => !/(^|\/)node_modules\//.test(file));
  return hashOfFiles([...files, ...inputs]);
}

/** Runs a program of a development dependency; prints its output only when it fails. */
async function run(program, ...args) {
  let path;
  try {
    const [name, ...file] = program.split('/');
    // a package may not export the paths of its programs, and the console may have another version of it
    const paths = [ROOT, join(ROOT, CONSOLE.sources)];
    path = join(dirname(require.resolve(`${name}/package.json`, { paths })), ...file);
  } catch {
    throw new Error(
      `build: ${program.split('/')[0]} is not installed (npm ci without --omit=dev), and this must be built`,
    );
  }
  // always for production: with NODE_ENV=test the console would contain React's development build
  const env = { ...process.env, NODE_ENV: 'production' };
  const child = spawn(process.execPath, [path, ...args], { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
  process.once('exit', () => child.kill());
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk));
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  if (code !== 0) throw new Error(`${said.trimEnd()}\nbuild: ${program.split('/')[0]} failed`);
}

/** Whether a source has no compiled file. */
function isIncomplete(folder) {
  const built = new Set(filesOf(folder, '.js'));
  return filesOf(join(ROOT, RELAY.sources), '.ts').some((file) => !built.has(file.replace(/\.ts$/, '.js')));
}

function hashOfRelay() {
  const { sources, project, bundler, inputs } = RELAY;
  const files = filesOf(join(ROOT, sources), '.ts').map((file) => join(sources, file));
  // generated files depend on the schema
  const written = files.filter((file) => !relative(GENERATED, file).match(/^[^.]/));
  return hashOfFiles([...written, project, bundler, ...inputs]);
}

function hashOfFiles(files) {
  const hash = createHash('sha256');
  for (const file of files.toSorted())
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(ROOT, file)))
      .update('\0');
  return hash.digest('hex');
}

/** Paths below a folder whose names end so; none when the folder does not exist. */
function filesOf(folder, ...endings) {
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder, { recursive: true });
  return files.filter((file) => endings.some((ending) => file.endsWith(ending)) && !file.endsWith('.d.ts'));
}

/** One build at a time: a second one waits for the first. */
async function takeLock() {
  for (let printed = false; ; printed = true) {
    try {
      const file = openSync(LOCK, 'wx');
      writeFileSync(file, String(process.pid));
      closeSync(file);
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
      if (isAbandoned()) rmSync(LOCK, { force: true });
      else if (!printed) say('waiting for another build ...\n');
      await delay(100);
    }
  }
  process.once('exit', () => rmSync(LOCK, { force: true }));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1));
}

/** Whether the process that holds the lock has ended, or wrote no process id for a long time. */
function isAbandoned() {
  try {
    const holder = Number(readFileSync(LOCK, 'utf8'));
    if (!holder) return Date.now() - statSync(LOCK).mtimeMs > 5_000;
    process.kill(holder, 0);
    return false;
  } catch (error) {
    // EPERM: the process exists and belongs to another user; ENOENT: the lock was just released
    return error.code === 'ESRCH';
  }
}

/** Progress: a dot every second in a terminal, else a line from time to time. */
function showProgress(started) {
  const [everyMs, sign] = process.stderr.isTTY
    ? [1_000, () => '.']
    : [15_000, () => `building, ${seconds(started)} s\n`];
  return setInterval(() => say(sign()), everyMs);
}

function seconds(started) {
  return Math.round((performance.now() - started) / 1_000);
}

function readIfThere(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

/** On standard error, so that standard output has only the output of the command. */
function say(text) {
  process.stderr.write(text);
}

function fail(message) {
  say(`${message}\n`);
  process.exit(1);
}
