import { setTimeout as delay } from 'node:timers/promises';
import { wantsColour } from '../command-line.js';
import { renderTicket } from '../simulator/ticket.js';
import { EVENING, NEW_PRODUCT, NEW_RESTAURANT, POS_CATALOGUE, type Sale, transactionOf } from './evening.js';
import { Journeys } from './journey.js';
import { type Entry, Ledger } from './ledger.js';
import { ordersTable } from './lines.js';
import { afterwards, consoleLines, leftForYou, nextSteps } from './next-steps.js';
import { HELP, type Options, readOptions } from './options.js';
import { Owner } from './owner.js';
import { painter } from './paint.js';
import { KitchenPrinter } from './printer.js';
import { Receipts } from './receipts.js';
import { type OpenRelay, openRelay } from './relay.js';
import { Reporter } from './reporter.js';
import { RestaurantPos } from './restaurant-pos.js';
import { isSettled, moneyLines, problemsOf } from './summary.js';
import { Terminal } from './terminal.js';

/** The command `npm run demo`: the sales of an evening, from the terminal through the relay to a simulated POS. */

const BETWEEN_SALES_MS = 500;
/** The evening takes 35 s, more on a busy machine. */
const EVENING_LIMIT_MS = 180_000;
const PROGRESS_EVERY_MS = 5_000;
/** The ticket that is printed: it has a surcharge. */
const SHOWN_TICKET = 'SALE-1009';

/** It comes first, so that the owner is told before the evening ends. */
const PARKED_SALE = EVENING.find(({ expected }) => expected.state === 'DLQ') as Sale;

type Closer = () => Promise<void> | void;

const colour = wantsColour(process.env, process.stdout.isTTY === true);
const paint = painter(colour);
const print = (text: string) => process.stdout.write(`${text}\n`);

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2));
  if (options.help) {
    print(HELP);
    return 0;
  }
  const stop = stopOnSignals();
  const closers: Closer[] = [];
  let code = await run(options, stop.signal, closers);
  const wasStopped = stop.signal.aborted;
  stop.abort();
  if (wasStopped) print('\n Stopping ...');
  for (const close of closers.reverse()) {
    try {
      await close();
    } catch (error) {
      print(`demo: ${(error as Error).message}`);
      code = 1;
    }
  }
  if (wasStopped && code === 0) print(' Stopped. The temporary folder is removed.');
  return code;
}

/** @returns the exit code */
async function run(options: Options, stop: AbortSignal, closers: Closer[]): Promise<number> {
  try {
    return await Promise.race([play(options, stop, closers), stopped(stop)]);
  } catch (error) {
    if (!stop.aborted) print(`demo: ${(error as Error).message}`);
    return stop.aborted && !options.once ? 0 : 1;
  }
}

/** Starts the relay and the POS, plays the evening, prints the table, and runs until Ctrl-C. */
async function play({ once, verbose, commands }: Options, stop: AbortSignal, closers: Closer[]): Promise<number> {
  print(' Starting the relay, its embedded database and a simulated POS ...\n');
  const reporter = new Reporter(print, paint);
  const pos = new RestaurantPos((orderId, meal) => reporter.cooked(orderId, meal));
  closers.push(() => pos.simulator.close());
  const posUrl = await pos.open();
  const owner = new Owner();
  closers.push(() => owner.close());
  const relay = await openRelay(posUrl, closers, reportStart(), await owner.openMailbox());
  const { url, terminalToken: token } = relay;
  const story = async () => {
    const terminal = await Terminal.install(url, relay.admin, token, pos);
    print(
      ` The restaurant has a key for its terminals, ${terminal.key.keyId}: sales with "auth signed" are signed by it.\n`,
    );
    await terminal.giveCatalogue(POS_CATALOGUE);
    await owner.confirmAddress(terminal);
    const printer = await KitchenPrinter.install(terminal);
    // with --once the relay stops at the end: there is no time to sign in
    if (!once) print(`${consoleLines({ relayUrl: url, login: relay.admin }, paint)}\n`);
    const { databaseFolder } = relay.process;
    const journeys = await Journeys.open(databaseFolder);
    closers.push(() => journeys.close());
    const receipts = new Receipts(url, terminal.receiptsToken);
    const asking = receipts.follow(
      (receipt) => verbose && reporter.receipt(receipt),
      (why) => print(` No receipts for the terminal: ${why}.`),
      stop,
    );
    closers.push(() => asking);
    const ledger = new Ledger(journeys);
    const watching = journeys.watch(stop, () => reporter.looked(journeys.jobs));
    const outOfTime = delay(EVENING_LIMIT_MS, undefined, { signal: stop, ref: false });
    const told = owner.isTold(databaseFolder, stop).then((subject) => reporter.told(relay.admin.email, subject));
    const printed = printer.hasPrinted(stop).then((ticket) => reporter.ticket(ticket));
    const evening = Promise.all([playEvening(ledger, reporter, pos, terminal, stop), told, printed]);
    // a sale that was sent is answered before the relay stops
    closers.push(() => evening.then(() => {}).catch(() => {}));
    await Promise.race([evening, outOfTime, watching]);
    const isWell = conclude(ledger, pos);
    if (!isWell) return 1;
    print(` The POS has the product, under another code: ${NEW_PRODUCT.posCode}.`);
    if (once) {
      await mapAndSendAgain(owner, terminal, ledger, stop);
      print(`${afterwards(paint)}\n`);
      return 0;
    }

    reportRefusals(relay, reporter);
    const { restaurantId } = terminal;
    const addresses = { relayUrl: url, posUrl, token, login: relay.admin, restaurantId };
    if (commands) print(`${nextSteps(addresses, paint)}\n`);
    const { name, timezone } = NEW_RESTAURANT;
    const { body } = await terminal.call('POST', '/restaurants', { name, timezone });
    const fresh = { ...(body.data as { id: string }), posIdPartner: pos.posIdPartner, posSecret: pos.posSecret };
    print(`${leftForYou(addresses, PARKED_SALE.transactionKey, fresh, paint)}\n`);
    await watching;
    return 0;
  };
  return Promise.race([preferRelayError(story(), relay), relay.process.died]);
}

/** Prints a line every few seconds while the relay starts. */
function reportStart(): (ms: number) => void {
  let next = PROGRESS_EVERY_MS;
  return (ms) => {
    if (ms < next) return;
    print(` ... still starting, ${Math.round(ms / 1_000)} s`);
    next += PROGRESS_EVERY_MS;
  };
}

/** Sends every sale in order, and waits until each job is settled. */
async function playEvening(
  ledger: Ledger,
  reporter: Reporter,
  pos: RestaurantPos,
  terminal: Terminal,
  stop: AbortSignal,
): Promise<void> {
  const status = (entry: Entry) => ledger.jobOf(entry)?.status;
  const isUnderWay = (entry: Entry) => ['PENDING', 'PROCESSING'].includes(status(entry) ?? '');
  for (const sale of [PARKED_SALE, ...EVENING.filter((sale) => sale !== PARKED_SALE)]) {
    // a trouble applies to one sale only
    if (sale.trouble) await until(() => !ledger.entries.some(isUnderWay), stop);
    if (sale.trouble) await pos.suffer(sale.trouble);
    const entry = ledger.begin(sale);
    entry.answer = await terminal.send(transactionOf(sale, new Date()), sale.by);
    reporter.sold(entry);
    if (sale.trouble) await until(() => status(entry) === 'FAILED', stop);
    if (sale.trouble) await pos.heal();
    else await delay(BETWEEN_SALES_MS, undefined, { signal: stop });
  }
  print(
    ' ... All sales are sent. Failed deliveries are retried, and the owner is notified of the parked order: by mail after 5 min,',
  );
  print('     here after half a minute, because the demo moves the clock of the alert.');
  await until(() => isSettled(ledger), stop);
}

/** Prints a ticket, the table of all orders, and the sums. @returns whether everything is as expected */
function conclude(ledger: Ledger, { simulator }: RestaurantPos): boolean {
  const problems = problemsOf(ledger, simulator);
  const ticket = simulator.orders.get(SHOWN_TICKET)?.order;
  if (ticket) print(`\n${renderTicket(ticket, { colour }).replaceAll(/^/gm, ' ')}`);
  print(`\n${ordersTable(ledger.entries, (entry) => ledger.jobOf(entry), paint)}\n`);
  print(`${moneyLines(ledger, simulator)}\n`);
  for (const problem of problems) print(paint('bad', ` NOT AS EXPECTED: ${problem}`));
  return problems.length === 0;
}

/** The owner sets the code of the product, and with it the parked order is sent again. */
async function mapAndSendAgain(owner: Owner, terminal: Terminal, ledger: Ledger, stop: AbortSignal): Promise<void> {
  const { transactionKey } = PARKED_SALE;
  print(` The owner opens the order of the mail, enters ${NEW_PRODUCT.posCode}, and presses "Keep and send again":`);
  await owner.mapAndSendAgain(terminal, transactionKey);
  const entry = ledger.entries.find(({ sale }) => sale === PARKED_SALE) as Entry;
  await until(() => ledger.jobOf(entry)?.status === 'SENT', stop);
  print(paint('strong', ' The kitchen cooks it: every paid order is in the POS.\n'));
}

/** A refused webhook creates no job: only the relay's log shows it. */
function reportRefusals({ process: relay }: OpenRelay, reporter: Reporter): void {
  relay.onLog(({ event, path, statusCode, code }) => {
    if (event === 'http.refused' && String(path).startsWith('/webhooks/terminal')) reporter.refused(statusCode, code);
  });
}

/** When the relay process ends, connections break; the error of the process is the better message. */
async function preferRelayError<T>(story: Promise<T>, relay: OpenRelay): Promise<T> {
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

/** The first SIGINT, SIGTERM or SIGHUP stops the demo in order; a second one exits at once. */
function stopOnSignals(): AbortController {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => (stop.signal.aborted ? process.exit(1) : stop.abort()));
  // the reader of the output has gone
  process.stdout.on('error', () => stop.abort());
  return stop;
}

main().then(
  // a start that was interrupted does not keep the process alive
  (code) => process.exit(code),
  (error: Error) => {
    process.stderr.write(`demo: ${error.message}\n`);
    process.exit(1);
  },
);
