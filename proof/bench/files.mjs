// Measures the comparison of a large file of an acquirer with the sales, and the webhook beside it.
//
//   npm run bench:files                                                  # the embedded database
//   EVIDENCE=1 npm run bench:files                                       # payments with authorizationCode and terminalId
//   DATABASE_URL=postgresql://postgres@127.0.0.1:5432/postgres npm run bench:files   # and a new database of this server
//
// One restaurant has ROWS sales of a month (50,000), and a file with a row of each: one in a hundred never arrived, one in five is found by
// its authorisation. A terminal sends a sale each 50 ms meanwhile. The table has the time of each request, the webhook's longest answer and
// its p99 beside it, and the memory of the process (RSS) before and at most.
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Beside, Memory } from './lib/beside.mjs';
import { Databases } from './lib/databases.mjs';
import { createRestaurants, RelayProcess } from './lib/relay.mjs';
import { fileOf, sell } from './lib/sold.mjs';

const ROWS = Number(process.env.ROWS ?? 50_000);
const EVERY_MS = 50;
const IDLE_MS = 5_000;
const MB = 1_024;
const DIRECTORY = fileURLToPath(new URL('../..', import.meta.url));

console.log(`${ROWS} rows, ${(fileOf(ROWS).length / 1_048_576).toFixed(1)} MB; a sale each ${EVERY_MS} ms beside it`);
console.log('database   request                     ms   webhook max ms   p99 ms   RSS before MB   peak MB');
await measureEmbedded();
if (process.env.DATABASE_URL) await measureServer(process.env.DATABASE_URL);

async function measureEmbedded() {
  const relay = await start({});
  const url = `postgresql://postgres@localhost/postgres?host=${encodeURIComponent(`${relay.folder}/data`)}`;
  await measure('embedded', relay, url);
}

async function measureServer(base) {
  const databases = new Databases(base);
  try {
    const url = await databases.create();
    await measure('Postgres', await start({ DATABASE_URL: url }), url);
  } finally {
    await databases.dropAll();
    await databases.close();
  }
}

/** Orders are not sent: only the webhook is measured beside the file. */
function start(environment) {
  return RelayProcess.start(DIRECTORY, { WORKER_ENABLED: 'false', ...environment });
}

async function measure(name, relay, url) {
  try {
    const { owners, static: senders } = await createRestaurants(relay, 1);
    const [{ restaurantId }] = owners;
    await sell(url, restaurantId, ROWS);
    const token = await relay.signIn(owners[0]);
    const files = `/restaurants/${restaurantId}/terminal-files`;
    const beside = new Beside(relay, senders[0], EVERY_MS);
    const phase = async (what, work) => {
      const memory = new Memory(relay.pid);
      const begin = performance.now();
      beside.begin();
      const result = await work();
      const ms = performance.now() - begin;
      const { longest, p99, refused } = await beside.end();
      const { before, peak } = memory.end();
      const cells = [ms.toFixed(0).padStart(8), longest.toFixed(0).padStart(16), p99.toFixed(0).padStart(8)];
      const sizes = [(before / MB).toFixed(0).padStart(15), (peak / MB).toFixed(0).padStart(9)];
      const note = refused > 0 ? `   ${refused} sales not taken` : '';
      console.log(`${name.padEnd(10)} ${what.padEnd(20)} ${[...cells, ...sizes].join(' ')}${note}`);
      return result;
    };
    await phase('idle', () => delay(IDLE_MS));
    const { data: file } = await phase('upload', () => upload(relay, files, token));
    const path = `${files}/${file.id}`;
    await phase('preview', () => relay.api('POST', `${path}/preview`, { token, body: file.mapping }));
    const { data } = await phase('confirm', () => relay.api('POST', `${path}/confirm`, { token, body: file.mapping }));
    await phase('compare again', () => relay.api('GET', `${path}/differences`, { token }));
    const counts = data.summary.filter(({ count }) => count > 0).map(({ answer, count }) => `${answer} ${count}`);
    console.log(`           ${counts.join(', ')}`);
  } finally {
    await relay.end('SIGTERM');
  }
}

async function upload(relay, path, token) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'text/csv' };
  const answer = await fetch(`${relay.url}${path}?name=month.csv`, { method: 'POST', headers, body: fileOf(ROWS) });
  if (answer.status !== 201) throw new Error(`${answer.status} ${await answer.text()}`);
  return answer.json();
}
