// graphile-worker as its documentation tunes it (worker.graphile.org/docs/performance): a local queue, and completion in batches.
import { Logger, makeWorkerUtils, run } from 'graphile-worker';
import pg from 'pg';

const TASK = 'deliver';
const LOCAL_QUEUE = 500;
/** More connections than these are not used: jobs come through the local queue. */
const MAX_CONNECTIONS = 40;
const logger = new Logger(() => (level, message) => level === 'error' && console.error(message));

export async function open({ databaseUrl, concurrency, role }) {
  const pool = poolOf(databaseUrl, role === 'worker' ? 1 : concurrency);
  const utils = await makeWorkerUtils({ pgPool: pool, logger });
  await utils.migrate();
  return {
    add: (payload) => utils.addJob(TASK, payload),
    addMany: (payloads) => utils.addJobs(payloads.map((payload) => ({ identifier: TASK, payload }))),
    async settleDown() {
      await pool.query('VACUUM ANALYZE graphile_worker._private_jobs');
      await pool.query('CHECKPOINT');
    },
    work: ({ deliver, concurrency }) =>
      run({
        preset: {
          worker: {
            connectionString: databaseUrl,
            maxPoolSize: Math.min(concurrency + 2, MAX_CONNECTIONS),
            logger,
            concurrentJobs: concurrency,
            localQueue: { size: LOCAL_QUEUE },
            completeJobBatchDelay: 0,
            failJobBatchDelay: 0,
          },
        },
        taskList: { [TASK]: deliver },
        noHandleSignals: true,
        crontab: '',
      }).then(() => undefined),
  };
}

function poolOf(connectionString, max) {
  const pool = new pg.Pool({ connectionString, max });
  pool.on('error', (error) => console.error(error.message));
  // graphile-worker warns of a pool that does not listen to the errors of its connections
  pool.on('connect', (client) => client.on('error', (error) => console.error(error.message)));
  return pool;
}
