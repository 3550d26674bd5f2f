import 'reflect-metadata';
import { existsSync } from 'node:fs';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { type Config, loadConfig } from './config.js';
import { ConfigError } from './environment.js';
import { createLog, type Log } from './log.js';

async function start(): Promise<void> {
  if (process.env.NODE_ENV !== 'production' && existsSync('.env')) process.loadEnvFile('.env');
  const config = loadConfig(process.env);
  const log = createLog(config);
  // not before the configuration is known to be right: the application takes a while to load
  const { createApp } = await import('./app.js');
  const app = await createApp(config, log);
  stopOnSignal(app, log);
  await listen(app, config, log);
}

async function listen(app: NestFastifyApplication, config: Config, log: Log): Promise<void> {
  try {
    await app.listen(config.port, config.host);
  } catch (error) {
    await app.close();
    throw error;
  }
  const url = await app.getUrl();
  log.info({ event: 'relay.started', url, pace: config.outbox.pace, worker: config.outbox.workerEnabled }, url);
}

/** SIGTERM and SIGINT: answer what has come in, finish what is in flight, exit 0. A second one does not wait. */
function stopOnSignal(app: NestFastifyApplication, log: Log): void {
  let stopping = false;
  const stop = async (signal: NodeJS.Signals) => {
    if (stopping) process.exit(1);
    stopping = true;
    log.info({ event: 'relay.stopping', signal });
    await app.close();
    log.info({ event: 'relay.stopped' });
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, (received) => {
      stop(received).catch((error: Error) => {
        log.error({ event: 'relay.stop_failed', error: error.message });
        process.exit(1);
      });
    });
  }
}

start().catch((error: Error) => {
  console.error(error instanceof ConfigError ? error.message : `The relay cannot start: ${error.message || error}`);
  process.exit(1);
});
