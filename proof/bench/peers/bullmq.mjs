// BullMQ on a Redis that writes every command to disk before it answers; finished jobs are removed.
import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';

const QUEUE = 'deliver';

export async function open({ redisPort }) {
  const connection = { host: '127.0.0.1', port: redisPort, maxRetriesPerRequest: null };
  const queue = new Queue(QUEUE, { connection, defaultJobOptions: { removeOnComplete: true } });
  await queue.waitUntilReady();
  return {
    add: (payload) => queue.add('deliver', payload),
    addMany: (payloads) => queue.addBulk(payloads.map((data) => ({ name: 'deliver', data }))),
    async settleDown() {
      const redis = new Redis(connection);
      await redis.bgrewriteaof();
      while (/aof_rewrite_(in_progress|scheduled):1/.test(await redis.info('persistence')))
        await new Promise((resolve) => setTimeout(resolve, 50));
      redis.disconnect();
    },
    async work({ deliver, concurrency }) {
      const worker = new Worker(QUEUE, ({ data }) => deliver(data), { connection, concurrency });
      worker.on('error', (error) => console.error(error.message));
      await worker.waitUntilReady();
    },
  };
}
