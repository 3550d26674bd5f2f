import { spawnSync } from 'node:child_process';
import { mkdtempSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const { PATH = '', RELAY_TEST_FOLDER = '' } = process.env;

/**
 * Runs code with a `log` in a process whose stdout is a file. In the code, `file()` returns the written text, and `flushes` has the
 * calls of setInterval, which do not run.
 * @returns the events in the file after the process has ended
 */
function run(code: string): string[] {
  const file = join(mkdtempSync(join(RELAY_TEST_FOLDER, 'log-')), 'out');
  const runner = new URL('../../../tools/typescript.mjs', import.meta.url).href;
  const source = new URL('../../../src/platform/telemetry/log.ts', import.meta.url).href;
  const program = `
    import { readFileSync } from 'node:fs';
    import { setImmediate as turn } from 'node:timers/promises';
    const flushes = [];
    globalThis.setInterval = (run, ms) => { flushes.push({ run, ms }); return { unref() {}, ref() {} }; };
    const { createLog } = await import('${source}');
    const log = await createLog({ logLevel: 'info', environment: 'production', instance: 'test' });
    const file = () => readFileSync('${file}', 'utf8');
    const turns = async (until) => { for (let i = 0; i < 100_000 && !until(); i++) await turn(); };
    ${code}`;
  const { status, stderr } = spawnSync(process.execPath, ['--import', runner, '--input-type=module', '-e', program], {
    encoding: 'utf8',
    env: { PATH },
    stdio: ['ignore', openSync(file, 'w'), 'pipe'],
  });
  expect([status, stderr]).toEqual([0, '']);
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line).event);
}

describe('log lines are written together (H11)', () => {
  test('a line stays in the buffer for 100 ms at most', () => {
    const events = run(`
      log.info({ event: 'one' });
      for (let i = 0; i < 100; i++) await turn();
      if (file() !== '') throw new Error('written at once');
      if (flushes.length !== 1 || flushes[0].ms > 100) throw new Error(JSON.stringify(flushes));
      flushes[0].run();
      await turns(() => file() !== '');
      process.reallyExit(0);`);
    expect(events).toEqual(['one']);
  });

  test('a line of level error is written at once, with the lines before it', () => {
    const events = run(`
      log.info({ event: 'one' });
      log.error({ event: 'two' });
      await turns(() => file().includes('two'));
      // reallyExit runs no exit handlers
      process.reallyExit(0);`);
    expect(events).toEqual(['one', 'two']);
  });

  test('process.exit writes the buffer', () => {
    expect(run(`log.info({ event: 'one' }); log.warn({ event: 'two' }); process.exit(0);`)).toEqual(['one', 'two']);
  });
});
