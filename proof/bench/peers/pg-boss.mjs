// pg-boss with LISTEN/NOTIFY where somebody waits (to notify costs every job that is stored, so it is off where nobody does), two pollers with big batches, the shortest polling interval, and at once again after a full batch.
import pg from 'pg';
import { PgBoss } from 'pg-boss';

const QUEUE = 'deliver';
const POLLERS = 2;
const BATCH = 250;
/** Connections for fetching and completing jobs. */
const FETCHERS = 10;

export async function open({ databaseUrl, concurrency, role, nobodyWaits = false }) {
  const max = { producer: concurrency, worker: FETCHERS, both: concurrency + FETCHERS }[role];
  const boss = new PgBoss({ connectionString: databaseUrl, max, schedule: false, useListenNotify: !nobodyWaits });
  boss.on('error', (error) => console.error(error.message));
  await boss.start();
  if (!(await boss.getQueue(QUEUE))) await boss.createQueue(QUEUE);
  await boss.updateQueue(QUEUE, { notify: !nobodyWaits });
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 });
  pool.on('error', (error) => console.error(error.message));
  return {
    add: (payload) => boss.send(QUEUE, payload),
    addMany: (payloads) =>
      boss.insert(
        QUEUE,
        payloads.map((data) => ({ data })),
      ),
    async settleDown() {
      await pool.query('VACUUM ANALYZE pgboss.job');
      await pool.query('CHECKPOINT');
    },
    async work({ deliver, concurrency }) {
      const slots = slotsOf(concurrency);
      const options = { batchSize: BATCH, pollingIntervalSeconds: 0.5, burstWhenBatchFull: true };
      for (let n = 0; n < POLLERS; n++)
        await boss.work(QUEUE, options, async (jobs) => {
          await Promise.all(jobs.map(({ data }) => slots(() => deliver(data))));
        });
    },
  };
}

/** Limits how many run at once, over all batches. */
function slotsOf(count) {
  let free = count;
  const waiting = [];
  return async (work) => {
    if (free > 0) free--;
    else await new Promise((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free++;
    }
  };
}
