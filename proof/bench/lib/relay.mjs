// The relay as a process: `node dist/main.js` of a built repository, with its defaults but for what is named here.
import { closeSync, cpSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { endProcess, startProcess } from '../../load/processes.mjs';
import { withConnection } from '../../postgres/connection.ts';
import { call, signIn } from '../../relay-api.ts';

const ADMIN = { email: 'bench@example.com', password: 'a password of the benchmark' };
const OWNER_PASSWORD = 'a password of an owner';
const TERMINAL_TOKEN = 'terminal-token-of-the-benchmark';
const START_LIMIT_MS = 60_000;
/** Restaurants with an OWNER each; sales take turns among them. */
const RESTAURANTS = 20;
export const storeOf = (n) => `STORE-${n}`;

const ENVIRONMENT = {
  NODE_ENV: 'production',
  HOST: '127.0.0.1',
  PORT: '0',
  JWT_SECRET: 'a secret of the benchmark, long enough for HS256',
  SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
  ADMIN_EMAIL: ADMIN.email,
  ADMIN_PASSWORD: ADMIN.password,
  TERMINAL_BEARER_TOKEN: TERMINAL_TOKEN,
  POS_PARTNER_ID: 'partner-of-the-benchmark',
  POS_SECRET: 'secret-of-the-benchmark',
  POS_BASE_URL: 'http://127.0.0.1:9',
};

/** Where the running relays write their logs and embedded databases. */
const folders = new Set();
process.once('exit', () => folders.forEach(removeFolder));

function newFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'relay-bench-'));
  folders.add(folder);
  return folder;
}

function removeFolder(folder) {
  rmSync(folder, { recursive: true, force: true });
  folders.delete(folder);
}

/** One running process of the relay. Its log goes to a file, as a supervisor's would. */
export class RelayProcess {
  /**
   * @param directory a built repository
   * @param environment variables beside those that every relay of the benchmark has
   * @param nodeOptions arguments for Node
   */
  static async start(directory, environment, nodeOptions = []) {
    const relay = new RelayProcess(directory, environment, nodeOptions);
    await relay.#started();
    return relay;
  }

  /** Starts it and does not wait. */
  constructor(directory, environment, nodeOptions = []) {
    this.folder = newFolder();
    this.logPath = join(this.folder, 'log');
    const log = openSync(this.logPath, 'w');
    const { PATH = '', HOME = '' } = process.env;
    this.process = startProcess(process.execPath, [...nodeOptions, join(directory, 'dist/main.js')], {
      cwd: this.folder,
      env: { PATH, HOME, ...ENVIRONMENT, ...environment },
      stdio: ['ignore', log, log],
    });
    closeSync(log);
  }

  get pid() {
    return this.process.pid;
  }

  /** Calls its API. @returns the body of the answer */
  api(method, path, { token, body } = {}) {
    return call(method, this.url + path, token, body);
  }

  signIn(account = ADMIN) {
    return signIn(this.url, account);
  }

  async end(signal = 'SIGKILL') {
    await endProcess(this.process, signal);
    removeFolder(this.folder);
  }

  async #started() {
    for (const begin = performance.now(); performance.now() - begin < START_LIMIT_MS; await delay(10)) {
      const log = readFileSync(this.logPath, 'utf8');
      if (this.process.exitCode !== null) throw new Error(`the relay ended: ${log.slice(-2_000)}`);
      const started = /^.*"event":"relay.started".*$/m.exec(log);
      if (!started) continue;
      this.url = JSON.parse(started[0]).url;
      return;
    }
    throw new Error(`the relay has not started: ${readFileSync(this.logPath, 'utf8').slice(-2_000)}`);
  }
}

/** A version of the relay, under a name: a built repository, and a database with its schema, restaurants and owners. */
export class RelayVersion {
  constructor(name, directory) {
    if (!existsSync(join(directory, 'dist/main.js'))) throw new Error(`${directory} is not built: npm run build`);
    this.name = name;
    this.directory = directory;
  }

  /** Makes the database that every measurement copies, the senders of each way to authenticate, and the owners. */
  async prepare(databases) {
    this.template = await databases.create();
    const relay = await this.start({ DATABASE_URL: this.template, WORKER_ENABLED: 'false' });
    const { owners, ...senders } = await createRestaurants(relay);
    Object.assign(this, { owners, senders });
    await relay.end('SIGTERM');
  }

  start(environment, nodeOptions) {
    return RelayProcess.start(this.directory, environment, nodeOptions);
  }

  /** A DATA_DIR with an embedded database that has the restaurants, and the `end` that removes it. */
  async dataDir() {
    this.embedded ??= await this.#fillDataDir();
    const folder = newFolder();
    cpSync(this.embedded, folder, { recursive: true });
    return { folder, end: () => removeFolder(folder) };
  }

  async #fillDataDir() {
    const folder = newFolder();
    const relay = await this.start({ DATA_DIR: folder, WORKER_ENABLED: 'false' });
    await createRestaurants(relay);
    await relay.end('SIGTERM');
    return folder;
  }
}

/**
 * Creates the restaurants and their OWNERs through the API.
 * @returns for each way to authenticate, the header and the store of each restaurant; `owners`: their accounts, and the
 *   `restaurantId` of each
 */
export async function createRestaurants(relay, count = RESTAURANTS) {
  const token = await relay.signIn();
  const senders = { static: [], jwt: [], basic: [], owners: [] };
  for (let n = 0; n < count; n++) {
    const store = storeOf(n);
    const body = { name: `Restaurant ${n}`, codeStoreTerminal: store, codeStorePos: store };
    const { id } = (await relay.api('POST', '/restaurants', { token, body })).data;
    const owner = { email: `owner-${n}@example.com`, password: OWNER_PASSWORD };
    await relay.api('POST', `/restaurants/${id}/users/create-and-link`, { token, body: { ...owner, role: 'OWNER' } });
    senders.owners.push({ ...owner, restaurantId: id });
    senders.static.push({ store, authorization: `Bearer ${TERMINAL_TOKEN}` });
    senders.jwt.push({ store, authorization: `Bearer ${await relay.signIn(owner)}` });
    const credentials = Buffer.from(`${owner.email}:${owner.password}`).toString('base64');
    senders.basic.push({ store, authorization: `Basic ${credentials}` });
  }
  return senders;
}

/** Adds restaurants by SQL, until there are `count`; all are the administrator's, who is their OWNER. */
export const addRestaurants = (url, count) =>
  withConnection(url, (query) =>
    query(
      `WITH added AS (
         INSERT INTO restaurants (id, name, slug, code_store_terminal, code_store_pos)
         SELECT gen_random_uuid(), 'Restaurant ' || n, 'restaurant-of-sql-' || n, 'STORE-' || n, 'STORE-' || n
         FROM generate_series($1::int, $2::int - 1) n RETURNING id
       )
       INSERT INTO user_restaurants (id, user_id, restaurant_id, role, origin)
       SELECT gen_random_uuid(), (SELECT id FROM users WHERE email = $3), added.id, 'OWNER', 'CREATED' FROM added`,
      [RESTAURANTS, count, ADMIN.email],
    ),
  );
