// The embedded databases of all suites, in Jest's own process: one that is emptied and migrated again takes a small part
// of the time that a new one takes, and its engine is compiled already.
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { migrate } from '../../dist/database/migrations.js';
import { servePGlite } from '../../dist/database/pglite-server.js';

/** The little of pg's client that migrating needs. */
export const clientOf = (pglite) => ({
  query: async (sql, values) => (values ? pglite.query(sql, values) : (await pglite.exec(sql)).at(-1)),
});

/**
 * Lends databases to suites: POST /open, /open-empty (answers the folder of its socket), /away, /back, /close, each of
 * the last three with the folder as its body.
 */
export async function serveDatabases(folder, image) {
  const free = [];
  const lent = new Map();

  async function open(migrated) {
    const database = free.pop() ?? {
      pglite: await PGlite.create({ loadDataDir: image }),
      folder: mkdtempSync(join(folder, 's-')),
    };
    // as new: nothing in it, nothing left of its session
    for (const sql of ['ROLLBACK', 'DISCARD ALL', 'DROP SCHEMA public CASCADE', 'CREATE SCHEMA public'])
      await database.pglite.exec(sql);
    if (migrated) await migrate(clientOf(database.pglite));
    lent.set(database.folder, database);
    return back(database.folder);
  }
  async function back(path) {
    const database = lent.get(path);
    database.server = await servePGlite(Promise.resolve(database.pglite), { path: join(path, '.s.PGSQL.5432') });
    return path;
  }
  const away = (path) => lent.get(path).server.stop();
  async function close(path) {
    await away(path);
    free.push(lent.get(path));
    lent.delete(path);
  }

  const routes = {
    '/open': () => open(true),
    '/open-empty': () => open(false),
    '/away': away,
    '/back': back,
    '/close': close,
  };
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    try {
      response.end(await routes[request.url](body));
    } catch (error) {
      response.writeHead(500).end(error.stack);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close: async () => {
      server.close();
      server.closeAllConnections();
      for (const path of [...lent.keys()]) await close(path);
      for (const { pglite } of free) await pglite.close();
    },
  };
}
