// The tree that goes into production, made as the Dockerfile makes it: small, without the tools of development, with every
// peer that is needed; and the built relay starts from it, takes a sale, shows the console and stops. Needs a build in dist/ and dist-console/.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** What `npm ci --omit=dev` may take on disk, and what is left of it in the image, in MB as `du -sm` counts. */
const TREE_LIMIT_MB = 240;
const IMAGE_LIMIT_MB = 160;
const START_LIMIT_MS = 120_000;
/** Packages of development that have come in as somebody's peer before, or might. */
const FORBIDDEN = [
  ...['prisma', '@prisma/dev', '@prisma/engines', '@prisma/studio-core', 'effect', 'react', 'react-dom'],
  ...['typescript', '@swc/core', '@nestjs/testing', 'jest', '@biomejs/biome'],
  ...[
    'preact',
    'subset-font',
    '@fontsource-variable/geist',
    'vite',
    '@tanstack/react-query',
    'uplot',
    'playwright-core',
    'axe-core',
  ],
];

const root = process.cwd();
const folder = mkdtempSync(join(tmpdir(), 'relay-production-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const modules = join(folder, 'node_modules');

for (const file of ['package.json', 'package-lock.json', '.npmrc', 'console/package.json'])
  cpSync(join(root, file), join(folder, file));
npm('ci', '--omit=dev', '--no-audit');
const tree = megabytes(modules);
check(tree < TREE_LIMIT_MB, `npm ci --omit=dev takes ${tree} MB, the limit is ${TREE_LIMIT_MB}`);
const found = FORBIDDEN.filter((name) => existsSync(join(modules, name)));
check(found.length === 0, `packages of development are in the production tree: ${found.join(', ')}`);
// .npmrc keeps npm from looking at peers; here it looks
npm('ls', '--all', '--omit=dev', '--legacy-peer-deps=false');

execFileSync(process.execPath, [join(root, 'tools/prune-image.mjs'), modules], { stdio: 'inherit' });
const image = megabytes(modules);
check(image < IMAGE_LIMIT_MB, `the image's node_modules take ${image} MB, the limit is ${IMAGE_LIMIT_MB}`);
for (const built of ['dist', 'dist-console']) cpSync(join(root, built), join(folder, built), { recursive: true });
cpSync(join(root, 'prisma/migrations'), join(folder, 'prisma/migrations'), { recursive: true });
execFileSync(process.execPath, ['dist/doctor/main.js', '--help'], { cwd: folder });
await takesASale();
console.log(`production tree ${tree} MB, in the image ${image} MB; the relay starts from it and takes a sale`);

/** Starts the relay on its embedded database, sells something, looks at the pages, and stops it. */
async function takesASale() {
  const admin = { email: 'admin@example.com', password: 'change-me-please' };
  const data = join(folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  const relay = spawn(process.execPath, ['dist/main.js'], {
    cwd: folder,
    env: {
      ...{ PATH: process.env.PATH, NODE_ENV: 'production', DATA_DIR: data, HOST: '127.0.0.1', PORT: '0' },
      ...{ JWT_SECRET: 'j'.repeat(32), SECRETS_KEY: Buffer.alloc(32, 1).toString('base64') },
      ...{ ADMIN_EMAIL: admin.email, ADMIN_PASSWORD: admin.password, TERMINAL_BEARER_TOKEN: 'a-terminal-token' },
      ...{ POS_BASE_URL: 'http://127.0.0.1:9', WORKER_ENABLED: 'false', LOG_LEVEL: 'info' },
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  process.once('exit', () => relay.kill('SIGKILL'));
  const ended = once(relay, 'exit');
  const url = await startOf(relay, ended);

  const { access_token } = await call(200, `${url}/auth/login`, {}, admin);
  const authorization = `Bearer ${access_token}`;
  await call(201, `${url}/restaurants`, { authorization }, { name: 'Pizzeria Roma', codeStoreTerminal: 'S-1' });
  await call(
    200,
    `${url}/webhooks/terminal`,
    { authorization: 'Bearer a-terminal-token' },
    {
      transactionKey: 'T-1',
      storeCode: 'S-1',
      items: [{ itemCode: 'A', itemName: 'Pizza', quantity: 1, price: 42 }],
      payments: [{ tenderType: 1, amount: 42 }],
    },
  );
  for (const path of ['/health/ready', '/docs', '/docs/swagger-ui.css', '/docs-json', '/console/'])
    await call(200, `${url}${path}`, { authorization });
  relay.kill('SIGTERM');
  const [code] = await ended;
  check(code === 0, `the relay stopped with exit code ${code}`);
}

/** Its address, from its log. */
function startOf(relay, ended) {
  return new Promise((resolve, reject) => {
    const limit = setTimeout(() => reject(new Error('the relay has not started')), START_LIMIT_MS);
    ended.then(() => reject(new Error('the relay ended before it had started')));
    createInterface({ input: relay.stdout }).on('line', (line) => {
      const { event, url } = line.startsWith('{') ? JSON.parse(line) : {};
      if (event !== 'relay.started') return;
      clearTimeout(limit);
      resolve(url);
    });
  });
}

async function call(status, url, headers, body) {
  const json = body && { method: 'POST', body: JSON.stringify(body) };
  const response = await fetch(url, {
    ...json,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
  });
  const text = await response.text();
  check(response.status === status, `${url}: ${response.status} ${text}`);
  return response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : text;
}

function npm(...args) {
  try {
    execFileSync('npm', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    throw new Error(`npm ${args.join(' ')}:\n${error.stdout}${error.stderr}`);
  }
}

/** As `du -sm`: whole blocks, folders included. */
function megabytes(path) {
  const paths = readdirSync(path, { recursive: true }).map((name) => join(path, name));
  return Math.ceil(paths.reduce((sum, each) => sum + lstatSync(each).blocks * 512, 0) / 1_048_576);
}

function check(holds, message) {
  if (!holds) throw new Error(message);
}
