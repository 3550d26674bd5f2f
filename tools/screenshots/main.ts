import { rmSync } from 'node:fs';
import type pg from 'pg';
import type { Browser } from 'playwright-core';
import { readArguments } from '../command-line.js';
import { EVENING, POS_CATALOGUE, RESTAURANT, type Sale, transactionOf } from '../demo/evening.js';
import { connect } from '../demo/journey.js';
import { openRelay } from '../demo/relay.js';
import { RestaurantPos } from '../demo/restaurant-pos.js';
import { Terminal } from '../demo/terminal.js';
import { eveningZone } from './evening-zone.js';
import { film } from './film.js';
import { IMAGES, photograph, withBrowser } from './photographer.js';
import { buildSheet, openSheet } from './sheet.js';

/** The command `npm run screenshots`: sends the sales of the demo, then takes the pictures of docs/images. */

const HELP = `npm run screenshots -- [options]

  --film    only the film of README, docs/images/film.webp
  --sheet   only the sheet of parts: every part of the console in every state, below node_modules/.cache/sheet`;

const MINUTES_BETWEEN_SALES = 7;
/** How often the sales that end SENT are repeated. */
const ROUNDS = 3;
/** The last sales are sent while the POS is off. */
const WAITING = 2;
const SETTLE_LIMIT_MS = 60_000;

type Closer = () => Promise<void> | void;

async function main(): Promise<void> {
  const {
    film: isFilm,
    sheet,
    help,
  } = readArguments(process.argv.slice(2), {
    film: { type: 'boolean', default: false },
    sheet: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  });
  if (help) return console.log(HELP);
  await withBrowser((browser) => (sheet ? takeSheet(browser) : takeEvening(browser, isFilm)));
}

/** In both schemes, from the smallest phone to a desk. */
async function takeSheet(browser: Browser): Promise<void> {
  const folder = await buildSheet();
  try {
    for (const width of [320, 390, 768, 1_440])
      for (const colorScheme of ['light', 'dark'] as const) {
        const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme, reducedMotion: 'reduce' });
        await openSheet(page, folder);
        const path = `node_modules/.cache/sheet/${width}-${colorScheme}.png`;
        await page.screenshot({ path, fullPage: true });
        console.log(path);
        await page.close();
      }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @param isFilm only the film, which begins before anything fails */
async function takeEvening(browser: Browser, isFilm: boolean): Promise<void> {
  const closers: Closer[] = [];
  try {
    const pos = new RestaurantPos();
    closers.push(() => pos.simulator.close());
    const relay = await openRelay(await pos.open(), closers, () => {});
    const terminal = await Terminal.install(relay.url, relay.admin, relay.terminalToken, pos);
    const database = await connect(relay.process.databaseFolder);
    closers.push(() => database.end());
    await setClock(database);
    if (isFilm) {
      await terminal.giveCatalogue(POS_CATALOGUE);
      await sellOrdinary(terminal, database);
      await film(browser, relay.url, relay.admin, terminal, `${IMAGES}film.webp`);
      return console.log('docs/images/film.webp');
    }
    await sellEvening(pos, terminal, database);
    await photograph(browser, relay.url, relay.admin, terminal.restaurantId);
  } finally {
    for (const close of closers.reverse()) await close();
  }
}

/** Sends the ordinary sales with times of the last hours, and waits until the POS has them. */
async function sellOrdinary(terminal: Terminal, database: pg.Client): Promise<void> {
  const sales = EVENING.filter(isOrdinary);
  for (const [index, sale] of sales.entries()) {
    const at = new Date(Date.now() - (sales.length - index) * MINUTES_BETWEEN_SALES * 60_000);
    const { body } = await terminal.send(transactionOf(sale, at), sale.by);
    await settled(database);
    await moveTo(database, String(body.jobId), at);
  }
}

/** Sends the sales, the ordinary ones repeatedly, with times of the last hours. */
async function sellEvening(pos: RestaurantPos, terminal: Terminal, database: pg.Client): Promise<void> {
  const sales = EVENING.filter(({ expected }) => expected.state !== 'REFUSED');
  const again = Array.from({ length: ROUNDS }, (_, round) =>
    sales.filter(isOrdinary).map((sale) => numbered(sale, round)),
  );
  const all = [...again.flat(), ...sales];
  // the parked order is not the last one
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

/** Sets the restaurant's zone to one where it is evening now. */
async function setClock(database: pg.Client): Promise<void> {
  await database.query('UPDATE restaurants SET timezone = $1 WHERE slug = $2', [
    eveningZone(new Date()),
    RESTAURANT.slug,
  ]);
}

/** Waits until no job is PENDING or PROCESSING. */
async function settled(database: pg.Client): Promise<void> {
  const deadline = Date.now() + SETTLE_LIMIT_MS;
  for (;;) {
    const { rowCount } = await database.query(
      `SELECT FROM outbox_jobs WHERE status IN ('PENDING', 'PROCESSING') LIMIT 1`,
    );
    if (rowCount === 0) return;
    if (Date.now() > deadline) throw new Error('some jobs are still PENDING or PROCESSING');
  }
}

/** Moves a sale and its attempts to this time. */
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

main().catch((error: Error) => {
  process.stderr.write(`screenshots: ${error.message}\n`);
  process.exitCode = 1;
});
