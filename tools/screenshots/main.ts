import pg from 'pg';
import { EVENING, RESTAURANT, type Sale, transactionOf } from '../demo/evening.js';
import { openRelay } from '../demo/relay.js';
import { RestaurantPos } from '../demo/restaurant-pos.js';
import { Terminal } from '../demo/terminal.js';
import { eveningZone } from './evening-zone.js';
import { photograph } from './photographer.js';

/** The command `npm run screenshots`: plays the demo's evening, and takes the pictures of docs/images at its end. */

const MINUTES_BETWEEN_SALES = 7;
/** So often the ordinary sales of the evening are sold: a restaurant has more than a dozen guests. */
const ROUNDS = 3;
/** The last ones come while the POS is off. */
const WAITING = 2;
const PATIENCE_MS = 60_000;

type Closer = () => Promise<void> | void;

async function main(): Promise<void> {
  const closers: Closer[] = [];
  try {
    const pos = new RestaurantPos();
    closers.push(() => pos.simulator.close());
    const relay = await openRelay(await pos.open(), closers, () => {});
    const terminal = await Terminal.install(relay.url, relay.admin, relay.terminalToken, pos);
    const database = await connect(relay.process.databaseFolder);
    closers.push(() => database.end());
    await setClock(database);
    await sellEvening(pos, terminal, database);
    await photograph(relay.url, relay.admin, terminal.restaurantId);
  } finally {
    for (const close of closers.reverse()) await close();
  }
}

/** Every sale of the evening, the ordinary ones again and again, as if they had come in the last hours. */
async function sellEvening(pos: RestaurantPos, terminal: Terminal, database: pg.Client): Promise<void> {
  const sales = EVENING.filter(({ expected }) => expected.state !== 'REFUSED');
  const again = Array.from({ length: ROUNDS }, (_, round) =>
    sales.filter(isOrdinary).map((sale) => numbered(sale, round)),
  );
  const all = [...again.flat(), ...sales];
  // the parked one is not the last
  all.splice(-WAITING - 1, 0, ...all.splice(-1));
  const sold: [jobId: string, at: Date][] = [];
  for (const [index, sale] of all.entries()) {
    if (index === all.length - WAITING) {
      await settled(database);
      await pos.suffer('switched-off');
    }
    const at = new Date(Date.now() - (all.length - index) * MINUTES_BETWEEN_SALES * 60_000);
    const { status, body } = await terminal.send(transactionOf(sale, at), sale.by);
    if (status !== 200) throw new Error(`${sale.transactionKey} was answered ${status}: ${JSON.stringify(body)}`);
    sold.push([String(body.jobId), at]);
  }
  await settled(database);
  for (const [jobId, at] of sold) await moveTo(database, jobId, at);
}

const isOrdinary = ({ expected, isTest }: Sale) => expected.state === 'SENT' && !isTest;

function numbered(sale: Sale, round: number): Sale {
  return { ...sale, transactionKey: `SALE-${round + 2}${sale.transactionKey.slice(-3)}` };
}

/** The restaurant is where it is evening now. */
async function setClock(database: pg.Client): Promise<void> {
  await database.query('UPDATE restaurants SET timezone = $1 WHERE slug = $2', [
    eveningZone(new Date()),
    RESTAURANT.slug,
  ]);
}

/** Until nothing is under way: delivered, parked, or waiting for its next attempt. */
async function settled(database: pg.Client): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const { rowCount } = await database.query(
      `SELECT FROM outbox_jobs WHERE status IN ('PENDING', 'PROCESSING') LIMIT 1`,
    );
    if (rowCount === 0) return;
    if (Date.now() > deadline) throw new Error('the evening does not come to an end');
  }
}

/** As if it had been sold, and all had happened to it, then. */
async function moveTo(database: pg.Client, jobId: string, at: Date): Promise<void> {
  await database.query(
    `WITH job AS (SELECT id, event_key, restaurant_id, $2::timestamptz - created_at AS shift FROM outbox_jobs WHERE id = $1),
          moved AS (UPDATE outbox_jobs SET created_at = created_at + shift, updated_at = updated_at + shift
                    FROM job WHERE outbox_jobs.id = job.id),
          attempts AS (UPDATE delivery_attempts SET started_at = started_at + shift FROM job WHERE job_id = job.id)
     UPDATE terminal_events SET received_at = received_at + shift FROM job
     WHERE transaction_key = event_key AND terminal_events.restaurant_id = job.restaurant_id`,
    [jobId, at],
  );
}

/** @param folder the socket folder of the embedded database */
async function connect(folder: string): Promise<pg.Client> {
  const client = new pg.Client({
    host: folder,
    port: 5432,
    user: 'postgres',
    database: 'postgres',
    password: '',
    ssl: false,
  });
  client.on('error', () => {});
  await client.connect();
  return client;
}

main().catch((error: Error) => {
  process.stderr.write(`screenshots: ${error.message}\n`);
  process.exitCode = 1;
});
