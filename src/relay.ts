import 'reflect-metadata';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Worker } from './outbox/worker.js';
import { type Config, loadConfig } from './platform/config/config.js';
import { loadEnvFile } from './platform/config/env-file.js';
import { ConfigError } from './platform/config/environment.js';
import { raise, shareOpenFiles } from './platform/config/open-files.js';
import { startWarnings } from './platform/config/start-warnings.js';
import { listenError, tryPort } from './platform/http/port.js';
import { createLog, type Log } from './platform/telemetry/log.js';

/** After SIGTERM the process exits within POS_TIMEOUT_MS plus this time; ms. */
const STOP_LIMIT_MS = 10_000;
/** All open connections are closed this long before the process must exit; ms. */
const CUT_OFF_MS = 4_000;

async function start(): Promise<void> {
  if (process.env.NODE_ENV !== 'production') loadEnvFile('.env', process.env);
  const config = loadConfig(process.env);
  const files = shareOpenFiles(config);
  await tryPort(config.port, config.host);
  const log = await createLog(config);
  if (config.unknownVariables.length > 0)
    log.warn({ event: 'config.unknown_variables', variables: config.unknownVariables });
  for (const [fields, text] of startWarnings(config)) log.warn(fields, text);
  if (files.limit < files.wanted) log.warn({ event: 'relay.few_open_files', ...files, hint: raise(files.wanted) });
  // imported here because the application loads slowly: errors of the configuration are reported before it loads
  const [{ createApp, listen }, { Worker }, { noSpaceError }] = await Promise.all([
    import('./app.js'),
    import('./outbox/worker.js'),
    import('./platform/database/disk-full.js'),
  ]);
  const app = await createApp(config, log).catch((error) => {
    throw noSpaceError(error, config) ?? error;
  });
  stopOnSignal(app, app.get(Worker), config, log);
  try {
    await listen(app, config.port, config.host);
  } catch (error) {
    await app.close();
    throw noSpaceError(error, config) ?? listenError(error, config.port, config.host);
  }
  logStarted(await app.getUrl(), config, log);
}

/** Logs the start, with the addresses of console, documentation and webhook below PUBLIC_URL. */
function logStarted(url: string, { publicUrl, console: hasConsole, apiDocs, outbox }: Config, log: Log): void {
  // with PORT=0 the system chooses the port: only `url` has it
  const base = publicUrl.endsWith(':0') ? url : publicUrl;
  const places = {
    ...(hasConsole && { console: `${base}/console/` }),
    ...(apiDocs && { docs: `${base}/docs` }),
    webhook: `${base}/webhooks/terminal`,
  };
  log.info({ event: 'relay.started', url, ...places, pace: outbox.pace, worker: outbox.workerEnabled }, url);
}

/**
 * Stops on SIGTERM and SIGINT (O20): answers accepted requests and finishes the attempts in flight. The exit code is 0, or 1 when jobs
 * could not be settled or released, or when the time limit is reached. On a second signal the process exits with 1 at once.
 */
function stopOnSignal(app: NestFastifyApplication, worker: Worker, config: Config, log: Log): void {
  const stopping = app.get(AbortController);
  const limitMs = config.pos.timeoutMs + STOP_LIMIT_MS;
  const stop = async (signal: NodeJS.Signals) => {
    if (stopping.signal.aborted) process.exit(1);
    stopping.abort();
    log.info({ event: 'relay.stopping', signal, limitMs });
    setTimeout(() => app.getHttpServer().closeAllConnections(), limitMs - CUT_OFF_MS);
    setTimeout(() => {
      log.error({ event: 'relay.stop_forced', limitMs, unsettled: worker.unsettled });
      process.exit(1);
    }, limitMs);
    await app.close();
    const { unsettled } = worker;
    log.info({ event: 'relay.stopped', unsettled });
    process.exit(unsettled === 0 ? 0 : 1);
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
