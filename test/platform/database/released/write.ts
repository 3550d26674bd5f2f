import { readFileSync, writeFileSync } from 'node:fs';
import pg from 'pg';
import { Retention } from '../../../../src/outbox/retention.js';
import { LimitedClient } from '../../../../src/platform/database/connection.js';
import { PrismaService } from '../../../../src/platform/database/prisma.service.js';
import { sale } from '../../../support/client.js';
import type { TestDatabase } from '../../../support/database.js';
import { ADMIN, ENVIRONMENT, OWN, PARTNER } from '../../../support/environment.js';
import { Scenario } from '../../../support/scenario.js';
import { RELEASED_FOLDER, type ReleasedSecrets } from './released.js';

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };

/**
 * Writes down what this version leaves in a database and which statements it runs, for `released/<version>.sql` and
 * `<version>.statements.sql`. To be run at a release (`npm run db:released`), never again afterwards: these files are what that
 * version did. It makes an order in every state, then reads everything once.
 */
export async function writeReleased(): Promise<void> {
  const statements = new Map<string, string>();
  const stop = record(statements);
  const scenario = await Scenario.open({ OUTBOX_RETENTION_DAYS: '1', POS_TIMEOUT_MS: '1000' }, { migrated: false });
  try {
    await liveThrough(scenario);
    await readEverything(scenario);
    const secrets: ReleasedSecrets = {
      SECRETS_KEY: ENVIRONMENT.SECRETS_KEY as string,
      email: ADMIN.email,
      password: ADMIN.password,
      partners: { [PARTNER.id]: PARTNER.secret, [OWN.posIdPartner]: OWN.posSecret },
    };
    const head = `-- What version ${version} leaves in its database; written by \`npm run db:released\`, never changed.\n-- ${JSON.stringify(secrets)}\n`;
    writeFileSync(`${RELEASED_FOLDER}${version}.sql`, head + (await dump(scenario.database)));
  } finally {
    stop();
    await scenario.close();
  }
  const texts = [...statements].map(([text, name]) => `-- ${name || 'statement'}\n${text.trim()};\n`).sort();
  const head = `-- The statements of version ${version}; written by \`npm run db:released\`, never changed.\n\n`;
  writeFileSync(`${RELEASED_FOLDER}${version}.statements.sql`, head + texts.join('\n'));
}

/** An order in every state in which one may rest, of restaurants with credentials of their own and without. */
async function liveThrough(scenario: Scenario): Promise<void> {
  const { relay, pos, jobs, database } = scenario;
  const token = await relay.login();
  const roma = await relay.createRestaurant();
  const own = { name: 'Trattoria Lupo', codeStoreTerminal: 'STORE-2', codeStorePos: '1002', ...OWN };
  await relay.createRestaurant(own);
  const sell = (key: string, changes: object = {}) => relay.accept(sale({ transactionKey: key, ...changes }));
  const cancel = (key: string) => relay.api.post(`/restaurants/${roma}/orders/${key}/cancel`, token).expect(202);

  const spent = await sell('REMOVED-BY-RETENTION');
  await scenario.settle(spent, 'SENT');
  await database.query(
    `UPDATE outbox_jobs SET created_at = created_at - interval '9 days', updated_at = updated_at - interval '9 days'`,
  );
  await relay.get(Retention).remove();
  await database.query(`UPDATE spent_keys SET spent_at = spent_at - interval '2 minutes'`);
  await relay.get(Retention).remove();

  await scenario.settle(await sell('DELIVERED'), 'SENT');
  await scenario.settle(await sell('DELIVERED-OWN', { storeCode: 'STORE-2' }), 'SENT');
  await scenario.settle(await sell('DELIVERED-TEST', { isTestTransaction: true }), 'SENT');
  await scenario.settle(await sell('DELIVERED-AND-CANCELLED'), 'SENT');
  await cancel('DELIVERED-AND-CANCELLED');
  await relay.tick();
  await scenario.settle(await sell('PARKED'), 'DLQ', 'unknown product');
  await scenario.settle(await sell('RETRIED'), 'FAILED');
  pos.behave({ mode: 'reset-after', times: 1 });
  await sell('MAY-HAVE-ARRIVED');
  await relay.tick();
  await sell('WITHDRAWN');
  await cancel('WITHDRAWN');
  await relay.tick();
  await scenario.settle(await sell('CANCEL-WAITS'), 'SENT');
  await cancel('CANCEL-WAITS');
  await sell('WAITS');
  await sell('WAITS-OWN', { storeCode: 'STORE-2' });
  await jobs.take(await sell('WORKER-DIED'));
  await relay.reap();
}

/** What people ask for, so that its statements are among those written down. */
async function readEverything(scenario: Scenario): Promise<void> {
  const { relay } = scenario;
  const token = await relay.login();
  const { body } = await relay.api.get('/restaurants', token).expect(200);
  for (const { id } of body.data)
    for (const path of ['', '/orders', '/statistics', '/users', '/my-role', '/users/stats'])
      await relay.api.get(`/restaurants/${id}${path}`, token).expect(200);
  const lists = [
    '/users/me/restaurants',
    '/auth/me',
    '/admin/metrics',
    '/admin/metrics/prometheus',
    '/admin/jobs',
    '/health/ready',
  ];
  for (const path of lists) await relay.api.get(path, token).expect(200);
}

/** Every row as an INSERT, tables in the order in which they were made: what a row refers to is there before it. */
async function dump({ query }: TestDatabase): Promise<string> {
  const tables = await query<{ name: string; columns: string[] }>(
    `SELECT relname AS name, array_agg(attname::text ORDER BY attnum) AS columns
     FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped
     WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' GROUP BY pg_class.oid ORDER BY pg_class.oid`,
  );
  const texts: string[] = [];
  for (const { name, columns } of tables) {
    const values = columns.map((column) => `quote_nullable(${column}::text)`).join(`, `);
    const rows = await query<{ row: string }>(`SELECT concat_ws(', ', ${values}) AS row FROM ${name} ORDER BY 1`);
    if (rows.length === 0) continue;
    texts.push(
      `INSERT INTO ${name} (${columns.join(', ')}) VALUES\n${rows.map(({ row }) => `(${row})`).join(',\n')};\n`,
    );
  }
  return texts.join('\n');
}

/**
 * Notes every statement that a relay of this process sends: its text, and its name if it is one of the road of an order.
 * @returns ends it
 */
function record(statements: Map<string, string>): () => void {
  const { query } = pg.Client.prototype;
  const { prepared } = PrismaService.prototype;
  PrismaService.prototype.prepared = function (this: PrismaService, statement, values) {
    statements.set(statement.text, statement.name.replace(/^relay_|_[0-9a-f]+$/g, ''));
    return prepared.call(this, statement, values) as Promise<never[]>;
  };
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const [asked] = args as [string | { text: string }];
    const text = typeof asked === 'string' ? asked : asked.text;
    const isOurs = this instanceof LimitedClient && /^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b/i.test(text);
    if (isOurs && !statements.has(text)) statements.set(text, '');
    return Reflect.apply(query, this, args);
  } as typeof query;
  return () => {
    pg.Client.prototype.query = query;
    PrismaService.prototype.prepared = prepared;
  };
}
