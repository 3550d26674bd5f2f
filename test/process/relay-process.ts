import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { lookForSecrets } from '../runner/verdict.js';
import { RelayClient } from '../support/client.js';
import { until, within } from '../support/until.js';

type Line = Record<string, unknown>;

/** The variables of this process that a relay process gets. */
export const { PATH = '', HOME = '', NODE_V8_COVERAGE = '', RELAY_TEST_FOLDER = '' } = process.env;

/** These processes live for seconds: optimizing compilation would cost more than it gains. */
const SHORT_LIVED = ['--liftoff-only', '--interrupt-budget=1000000'];

/** Arguments for Node to run a program of src/: compiled in the set-up, or from the sources for coverage. */
export const program = (path: string) => [
  ...SHORT_LIVED,
  ...(NODE_V8_COVERAGE
    ? ['--import', new URL('../../tools/typescript.mjs', import.meta.url).href, source(`../../src/${path}.ts`)]
    : ['--enable-source-maps', join(RELAY_TEST_FOLDER, 'src', `${path}.js`)]),
];
const source = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const LIMIT_MS = 60_000;

/** The relay as a process, for tests of kill -9, SIGSTOP and SIGTERM. */
export class RelayProcess extends RelayClient {
  readonly lines: Line[] = [];
  /** printed lines that are not JSON log lines */
  text = '';

  private constructor(readonly process: ChildProcess) {
    super();
    for (const stream of [process.stdout, process.stderr])
      createInterface({ input: stream as NodeJS.ReadableStream }).on('line', (line) => {
        lookForSecrets("a process' log", line);
        if (line.startsWith('{')) this.lines.push(JSON.parse(line));
        else this.text += `${line}\n`;
      });
  }

  /**
   * Starts it with this environment; does not wait.
   * @param openFiles the limit of open files
   */
  static spawn(environment: Readonly<Record<string, string>>, cwd?: string, openFiles?: number): RelayProcess {
    const env = { PATH, HOME, NODE_V8_COVERAGE, NODE_ENV: 'production', ...environment };
    const command = [process.execPath, ...program('main')];
    const [file, ...args] = openFiles
      ? ['/bin/sh', '-c', `ulimit -n ${openFiles} && exec "$@"`, 'sh', ...command]
      : command;
    return new RelayProcess(spawn(file as string, args, { cwd, env }));
  }

  get url(): string {
    return String(this.lines.find(({ event }) => event === 'relay.started')?.url);
  }

  /** Waits for a log line of this event that satisfies `where`. */
  logged(event: string, where: (line: Line) => boolean = () => true): Promise<Line> {
    return until(() => {
      const hasEnded = this.hasEnded;
      const line = this.lines.find((candidate) => candidate.event === event && where(candidate));
      if (!line && hasEnded) throw new Error(`the relay ended without ${event}: ${this.text}`);
      return line;
    }, LIMIT_MS);
  }

  /** @returns the exit code, or the signal that ended it */
  async ended(): Promise<number | string | null> {
    if (!this.hasEnded) await within(LIMIT_MS, 'the exit of a relay process', once(this.process, 'exit'));
    return this.process.exitCode ?? this.process.signalCode;
  }

  signal(name: NodeJS.Signals): void {
    this.process.kill(name);
  }

  stop(): Promise<number | string | null> {
    this.signal('SIGTERM');
    return this.ended();
  }

  async kill(): Promise<void> {
    this.signal('SIGKILL');
    await this.ended();
  }

  private get hasEnded(): boolean {
    return this.process.exitCode !== null || this.process.signalCode !== null;
  }
}
