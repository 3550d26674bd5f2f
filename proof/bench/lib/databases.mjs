import pg from 'pg';

/** Every database of the benchmark is named so, with the process that made it. */
const PREFIX = 'relay_bench';

/** The databases of one run, on the server of an URL. */
export class Databases {
  #admin;
  #created = new Set();
  #count = 0;

  /** @param url of a database of the server, by a user who may create others */
  constructor(url) {
    this.base = url;
    this.#admin = new pg.Pool({ connectionString: url, max: 2 });
    this.#admin.on('error', () => {});
  }

  /** Rows of a statement on the server's own database. */
  query = async (sql, values) => (await this.#admin.query(sql, values)).rows;

  /** @returns the URL of a new database, a copy of another one if named */
  async create(template) {
    const name = `${PREFIX}_${process.pid}_${++this.#count}`;
    this.#created.add(name);
    await this.query(`CREATE DATABASE ${name}${template ? ` TEMPLATE ${nameOf(template)}` : ''}`);
    return this.urlOf(name);
  }

  async drop(url) {
    await this.query(`DROP DATABASE IF EXISTS ${nameOf(url)} WITH (FORCE)`);
    this.#created.delete(nameOf(url));
  }

  /** Drops what this run created, and what a run that was killed left. */
  async dropAll() {
    const left = await this.query('SELECT datname AS name FROM pg_database WHERE starts_with(datname, $1)', [PREFIX]);
    for (const { name } of left) if (this.#created.has(name) || !isAlive(name)) await this.drop(this.urlOf(name));
  }

  /** How many transactions other databases of the server have ended so far. */
  async transactionsOfOthers() {
    const [{ count }] = await this.query(
      `SELECT coalesce(sum(xact_commit + xact_rollback), 0)::float8 AS count FROM pg_stat_database
       WHERE datname <> current_database() AND NOT starts_with(datname, $1)`,
      [PREFIX],
    );
    return count;
  }

  urlOf(name) {
    const url = new URL(this.base);
    url.pathname = `/${name}`;
    return url.href;
  }

  close() {
    return this.#admin.end();
  }
}

const nameOf = (url) => new URL(url).pathname.slice(1);

/** Whether the process that made a database of this name still runs. */
function isAlive(name) {
  try {
    return process.kill(Number(name.split('_')[2]), 0);
  } catch {
    return false;
  }
}

/** Brings a database that was just filled into the state of one that has run for a while. */
export const settleDown = (query, ...tables) =>
  [...tables.map((table) => `VACUUM ANALYZE ${table}`), 'CHECKPOINT'].reduce(
    (before, sql) => before.then(() => query(sql)),
    Promise.resolve(),
  );
