import { SchedulerRegistry } from '@nestjs/schedule';
import type { Config } from '../../src/platform/config/config.js';
import { Rounds } from '../../src/platform/schedule/rounds.js';
import type { Log } from '../../src/platform/telemetry/log.js';
import { until } from '../support/until.js';

test('a round that the database cancels again and again is logged as an error: the fourth one, and each twentieth after it', async () => {
  const lines: string[] = [];
  const note = (level: string) => (line: { readonly event: string }) => lines.push(`${level} ${line.event}`);
  const log = { debug: note('debug'), error: note('error') } as unknown as Log;
  const registry = new SchedulerRegistry();
  const config = { outbox: { workerEnabled: true } } as Config;
  const rounds = new Rounds(registry, new AbortController().signal, config, log);
  const cancelled = Object.assign(new Error('Connection terminated unexpectedly'), { code: '57P01' });
  const run = () => Promise.reject(cancelled);
  rounds.add({ name: 'alerts.round', everyMs: 1, on: 'all', waitsForDatabase: true, run });
  rounds.start();
  await until(() => lines.length >= 24);
  registry.deleteInterval('alerts.round');
  const errors = lines.flatMap((line, i) => (line.startsWith('error') ? [i + 1] : []));
  expect(errors.slice(0, 2)).toEqual([4, 24]);
  expect([...new Set(lines)].sort()).toEqual(['debug alerts.round_left_out', 'error alerts.round_failed']);
});
