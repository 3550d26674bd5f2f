import { Writable } from 'node:stream';
import type { Abstract, Type } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { SchedulerRegistry } from '@nestjs/schedule';
import { pino } from 'pino';
import type { Counter } from 'prom-client';
import { createApp, listen } from '../../src/app.js';
import { Reaper } from '../../src/outbox/reaper.js';
import { Worker } from '../../src/outbox/worker.js';
import { type Config, loadConfig } from '../../src/platform/config/config.js';
import { Rounds } from '../../src/platform/schedule/rounds.js';
import type { Log } from '../../src/platform/telemetry/log.js';
import { Metrics } from '../../src/platform/telemetry/metrics.js';
import { checkAnswers } from '../platform/http/answers.js';
import { failures, lookForSecrets } from '../runner/verdict.js';
import { RelayClient } from './client.js';
import { until } from './until.js';

const NO_CONSOLE = '/nowhere';

/**
 * The application in this process, listening on a free port. Its schedule is off unless WORKER_ENABLED is set: a test calls
 * `tick` and `reap`.
 */
export class TestRelay extends RelayClient {
  /** every line logged so far */
  readonly logged: Record<string, unknown>[] = [];
  readonly url: string = '';
  readonly app: NestFastifyApplication = undefined as never;
  private closed?: Promise<void>;

  private constructor(readonly config: Config) {
    super();
  }

  /**
   * @param config its environment, or a configuration that no environment can give
   * @param consoleFolder the folder of a built console; default: no console
   */
  static async start(config: Record<string, string> | Config, consoleFolder = NO_CONSOLE): Promise<TestRelay> {
    const given = 'jwtSecret' in config ? (config as Config) : loadConfig(config);
    const relay = new TestRelay({ ...given, consoleFolder });
    const write = (text: Buffer, _: unknown, done: () => void) => {
      lookForSecrets('the log', String(text));
      const line = JSON.parse(String(text));
      relay.logged.push(line);
      if (line.event === 'http.failed') failures.push(`${line.method} ${line.path}: ${line.error}`);
      done();
    };
    const log = pino({ level: 'debug' }, new Writable({ write })) as unknown as Log;
    const app = await createApp(relay.config, log);
    checkAnswers(app);
    await listen(app, 0, '127.0.0.1');
    // it is for processes that do not deliver, too, while no other delivers (G58)
    const registry = app.get(SchedulerRegistry);
    if (!given.outbox.workerEnabled && registry.doesExist('interval', 'alerts.round'))
      registry.deleteInterval('alerts.round');
    return Object.assign(relay, { app, url: await app.getUrl() });
  }

  /** For tests that count its statements: what runs at the start has ended, and nothing runs at an interval. */
  async quiet(): Promise<this> {
    await this.get(Rounds).begun;
    return this.withoutIntervals();
  }

  /** Nothing runs at an interval. */
  withoutIntervals(): this {
    const registry = this.get(SchedulerRegistry);
    for (const name of registry.getIntervals()) registry.deleteInterval(name);
    return this;
  }

  /** Waits until this event is logged. */
  hasLogged = (event: string) => until(() => this.logged.some((line) => line.event === event));

  /** A provider by its class. */
  get = <Part>(part: Type<Part> | Abstract<Part> | symbol): Part => this.app.get(part);

  /** One tick of the worker: claims a batch and settles it. */
  tick = () => this.get(Worker).tick();
  reap = () => this.get(Reaper).reap();

  close(): Promise<void> {
    this.closed ??= this.end();
    return this.closed;
  }

  private async end(): Promise<void> {
    // metrics that query the database are checked in the answers of the endpoint
    const counted = this.get(Metrics)
      .registry.getMetricsAsArray()
      .filter((metric) => !('collect' in metric && metric.collect));
    await this.app.close();
    const metrics = await Promise.all(counted.map((metric) => (metric as unknown as Counter).get()));
    lookForSecrets('the metrics', JSON.stringify(metrics));
  }
}
