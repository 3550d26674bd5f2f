// The relay beside the queues people use for the same work, in turn on one Postgres. See `npm run bench -- --help`.
import { appendFileSync, mkdirSync } from 'node:fs';
import { killAll } from '../load/processes.mjs';
import * as catalogue from './cases/catalogue.mjs';
import * as consoles from './cases/consoles.mjs';
import * as drain from './cases/drain.mjs';
import * as embedded from './cases/embedded.mjs';
import * as flood from './cases/flood.mjs';
import * as history from './cases/history.mjs';
import * as ingest from './cases/ingest.mjs';
import * as keys from './cases/keys.mjs';
import * as latency from './cases/latency.mjs';
import * as neighbour from './cases/neighbour.mjs';
import * as pause from './cases/pause.mjs';
import * as polls from './cases/polls.mjs';
import * as readers from './cases/readers.mjs';
import * as road from './cases/road.mjs';
import * as size from './cases/size.mjs';
import * as tenants from './cases/tenants.mjs';
import * as year from './cases/year.mjs';
import { postmasterOf } from './lib/cpu.mjs';
import { Databases } from './lib/databases.mjs';
import { describeRun, isCommit } from './lib/machine.mjs';
import { HELP, readOptions } from './lib/options.mjs';
import { PEERS } from './lib/peer.mjs';
import { RedisServer, redisVersion } from './lib/redis.mjs';
import { RelayVersion } from './lib/relay.mjs';
import { runRounds } from './lib/rounds.mjs';
import { asText, cellsOf, rowsOf } from './lib/table.mjs';
import { writePage } from './report.mjs';
import { hasTargets, neededBy } from './targets.mjs';

const CASES = {
  road,
  ingest,
  drain,
  latency,
  history,
  tenants,
  consoles,
  readers,
  polls,
  pause,
  keys,
  flood,
  neighbour,
  embedded,
  year,
  size,
  catalogue,
};
/** Rounds by default of a case that has targets of its rates, and of one whose targets are only how much something costs; each of the others has one. */
const ROUNDS = 5;
const ROUNDS_OF_COSTS = 3;
const COSTS = ['consoles', 'readers', 'polls', 'keys', 'flood', 'neighbour', 'catalogue'];
const RESULTS = new URL('./results/', import.meta.url);

const options = readOptions(process.argv.slice(2), { cases: Object.keys(CASES), peers: Object.keys(PEERS) });
if (options.help) {
  console.log(HELP);
  process.exit();
}
const databases = new Databases(options.databaseUrl);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => void stop(130));

try {
  await main();
  await stop(0);
} catch (error) {
  console.error(error);
  await stop(1);
}

async function main() {
  await databases.dropAll();
  const peers = options.peers.filter(isInstalled);
  const relays = options.relays.map(({ name, directory }) => new RelayVersion(name, directory));
  const header = await describeRun(databases, { ...options, relays, peers });
  if (options.write && !isCommit(header.commit))
    throw new Error(`--write: the page is of one commit, and this is ${header.commit}: commit first`);
  const record = openResults(header);
  const [{ pid }] = await databases.query('SELECT pg_backend_pid() AS pid');
  const run = { databases, postmaster: postmasterOf(pid) };
  if (peers.some((peer) => PEERS[peer].redis)) run.redis = await RedisServer.start();
  for (const version of relays) await version.prepare(databases);
  for (const name of options.cases) {
    const list = [...CASES[name].measurements({ ...options, relays, peers })];
    const isNeeded = options.isPage ? neededBy(name, relays[0].name) : () => true;
    const wanted = list.filter((item) => item.setting.includes(options.setting) && isNeeded(item));
    const rounds = [];
    const { rounds: count = roundsOf(name) } = options;
    await runRounds(run, name, wanted, { ...options, rounds: count }, (line) => {
      rounds.push(line);
      record(line);
    });
    if (rounds.length > 0)
      console.log(`\n${CASES[name].title}\n\n${asText(cellsOf(rowsOf(rounds), relays[0].name))}\n`);
  }
  if (options.write) writePage(header.commit);
}

function roundsOf(name) {
  if (options.quick || !hasTargets(name)) return 1;
  return COSTS.includes(name) ? ROUNDS_OF_COSTS : ROUNDS;
}

function isInstalled(peer) {
  if (!PEERS[peer].redis || redisVersion()) return true;
  console.log(`${peer} is left out: there is no redis-server on this machine`);
  return false;
}

/** @returns a function that appends a line to this run's file, and tells how it goes */
function openResults(header) {
  mkdirSync(RESULTS, { recursive: true });
  const file = new URL(`${header.at.replaceAll(':', '-')}.jsonl`, RESULTS);
  const append = (line) => appendFileSync(file, `${JSON.stringify(line)}\n`);
  append(header);
  return (line) => {
    append(line);
    const { case: name, setting, contender, round, figures, spoiled, repeated, error } = line;
    const rate = figures?.perSecond ? `${Math.round(figures.perSecond)}/s` : '';
    const remark = spoiled ? `(${spoiled}${repeated ? '; again' : ''})` : '';
    console.error(`${name} ${round}: ${setting}: ${contender} ${rate} ${remark}${error ? `\n${error}` : ''}`);
  };
}

/** Nothing of the benchmark outlives it. */
async function stop(code) {
  killAll();
  await databases.dropAll().catch((error) => console.error(error.message));
  process.exit(code);
}
