import { setTimeout as delay } from 'node:timers/promises';
import { renderTicket } from '../simulator/ticket.js';
import { Board, type Entry } from './board.js';
import { EVENING, transactionOf } from './evening.js';
import { Journeys } from './journey.js';
import { afterwards, consoleLines, hasPsql, nextSteps } from './next-steps.js';
import { HELP, type Options, readOptions } from './options.js';
import { type OpenRelay, openRelay } from './relay.js';
import { RestaurantPos } from './restaurant-pos.js';
import { Screen } from './screen.js';
import { isSettled, problemsOf, summary } from './summary.js';
import { Terminal } from './terminal.js';

/** The command `npm run demo`: an evening in a restaurant, from the terminal through the relay to the kitchen. */

const BETWEEN_SALES_MS = 900;
/** The evening takes 50 s; on a machine that is busy with other things, longer. */
const EVENING_LIMIT_MS = 180_000;
const SIGN_EVERY_MS = 5_000;
/** Shown in full: it has the most on it. */
const SHOWN_TICKET = 'SALE-1009';

type Closer = () => Promise<void> | void;

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2));
  if (options.help) {
    console.log(HELP);
    return 0;
  }
  const screen = new Screen(process.stdout, process.env);
  const stop = stopOnSignals();
  const closers: Closer[] = [];
  let code = await run(options, screen, stop.signal, closers);
  const wasStopped = stop.signal.aborted;
  stop.abort();
  screen.leave();
  if (wasStopped) screen.print('\n Stopping ...');
  for (const close of closers.reverse()) {
    try {
      await close();
    } catch (error) {
      screen.print(`demo: ${(error as Error).message}`);
      code = 1;
    }
  }
  if (wasStopped && code === 0) screen.print(' Stopped; nothing is left behind.');
  return code;
}

/** @returns the exit code */
async function run(options: Options, screen: Screen, stop: AbortSignal, closers: Closer[]): Promise<number> {
  try {
    return await Promise.race([play(options, screen, stop, closers), stopped(stop)]);
  } catch (error) {
    if (!stop.aborted) screen.print(`demo: ${(error as Error).message}`);
    return stop.aborted && !options.once ? 0 : 1;
  }
}

/** From the first process to the last table, and on until Ctrl-C. */
async function play({ once }: Options, screen: Screen, stop: AbortSignal, closers: Closer[]): Promise<number> {
  screen.print(' Starting the relay, its embedded database and a simulated POS ...\n');
  const pos = new RestaurantPos();
  closers.push(() => pos.simulator.close());
  const posUrl = await pos.open();
  const relay = await openRelay(posUrl, closers, signOfLife(screen));
  const { url, terminalToken: token } = relay;
  const story = async () => {
    const terminal = await Terminal.install(url, relay.admin, token, pos);
    // with --once it has ended before anybody could look
    if (!once) screen.print(`${consoleLines({ relayUrl: url, login: relay.admin }, screen.paint)}\n`);
    const { databaseFolder } = relay.process;
    const journeys = await Journeys.open(databaseFolder);
    closers.push(() => journeys.close());
    const board = new Board(journeys, pos, Date.now());
    reportRefusals(relay, board);
    const watching = journeys.watch(stop, () => screen.show(board.view(Date.now())));
    const outOfTime = delay(EVENING_LIMIT_MS, undefined, { signal: stop, ref: false });
    const evening = playEvening(board, pos, terminal, stop);
    // a sale on its way to the relay is answered before the relay is asked to stop
    closers.push(() => evening.catch(() => {}));
    await Promise.race([evening, outOfTime, watching]);
    const isWell = conclude(board, pos, screen);
    if (!isWell) return 1;
    if (once) {
      screen.print(`${afterwards(screen.paint)}\n`);
      return 0;
    }

    pos.learn();
    board.endEvening();
    const parkedJob = journeys.jobs.find(({ status }) => status === 'DLQ')?.id ?? '';
    const { restaurantId } = terminal;
    const addresses = { relayUrl: url, posUrl, token, login: relay.admin, restaurantId, databaseFolder, parkedJob };
    screen.print(`${nextSteps(addresses, hasPsql(process.env), screen.paint)}\n`);
    await watching;
    return 0;
  };
  return Promise.race([withRelaysWords(story(), relay), relay.process.died]);
}

/** A line every few seconds while the relay starts. */
function signOfLife(screen: Screen): (ms: number) => void {
  let next = SIGN_EVERY_MS;
  return (ms) => {
    if (ms < next) return;
    screen.print(` ... still starting, ${Math.round(ms / 1_000)} s`);
    next += SIGN_EVERY_MS;
  };
}

/** The story, in order: every sale is sent, and everything sent is seen to its end. */
async function playEvening(board: Board, pos: RestaurantPos, terminal: Terminal, stop: AbortSignal): Promise<void> {
  const status = (entry: Entry) => board.jobOf(entry)?.status;
  const isUnderWay = (entry: Entry) => ['PENDING', 'PROCESSING'].includes(status(entry) ?? '');
  for (const sale of EVENING) {
    // a trouble is for one sale only
    if (sale.trouble) await until(() => !board.entries.some(isUnderWay), stop);
    if (sale.trouble) await pos.suffer(sale.trouble);
    const at = new Date();
    const entry = board.begin(sale, at.getTime());
    entry.answer = await terminal.send(transactionOf(sale, at), sale.by);
    if (sale.trouble) await until(() => status(entry) === 'FAILED', stop);
    if (sale.trouble) await pos.heal();
    await delay(BETWEEN_SALES_MS, undefined, { signal: stop });
  }
  await until(() => isSettled(board), stop);
}

/** The last table, what became of it all, and a ticket as the kitchen got it. */
function conclude(board: Board, { simulator }: RestaurantPos, screen: Screen): boolean {
  screen.keep(board.view(Date.now()));
  const problems = problemsOf(board, simulator);
  const ticket = simulator.orders.get(SHOWN_TICKET)?.order;
  screen.print(`\n${summary(board, simulator, screen)}\n`);
  if (ticket) screen.print(`${renderTicket(ticket, { colour: screen.colour }).replaceAll(/^/gm, ' ')}\n`);
  for (const problem of problems) screen.print(screen.paint('bad', ` NOT AS EXPECTED: ${problem}`));
  return problems.length === 0;
}

/** What the door refuses leaves no job: only the relay's log tells of it. */
function reportRefusals({ process: relay }: OpenRelay, board: Board): void {
  relay.onLog(({ event, path, statusCode, code }) => {
    if (event === 'http.refused' && path === '/webhooks/terminal')
      board.refused(Number(statusCode), String(code), Date.now());
  });
}

/** When the relay dies, everybody's connection breaks; why it died is the better message. */
async function withRelaysWords<T>(story: Promise<T>, relay: OpenRelay): Promise<T> {
  return story.catch(async (error: Error) => {
    await Promise.race([relay.process.died, delay(1_000)]);
    throw error;
  });
}

async function until(holds: () => boolean, stop: AbortSignal): Promise<void> {
  while (!holds()) await delay(50, undefined, { signal: stop });
}

function stopped(stop: AbortSignal): Promise<never> {
  return new Promise((_, reject) => stop.addEventListener('abort', () => reject(stop.reason), { once: true }));
}

/** Ctrl-C and SIGTERM end the demo in good order; a second one does not wait. */
function stopOnSignals(): AbortController {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => (stop.signal.aborted ? process.exit(1) : stop.abort()));
  // nobody reads any more
  process.stdout.on('error', () => stop.abort());
  return stop;
}

main().then(
  // whatever was still being started when the demo was stopped does not keep it
  (code) => process.exit(code),
  (error: Error) => {
    process.stderr.write(`demo: ${error.message}\n`);
    process.exit(1);
  },
);
