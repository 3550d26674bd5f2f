import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { Progress } from './progress.js';

/** One line of the relay's log; every event has a fixed name. */
export interface LogLine {
  readonly event?: string;
  readonly [field: string]: unknown;
}

const PROGRAM = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
/** The limit of a start that makes progress. */
const START_LIMIT_MS = 300_000;
/** The limit without a log line and without CPU time. */
const SILENCE_LIMIT_MS = 60_000;
const LOOK_EVERY_MS = 1_000;
/** Longer than the relay waits for a call to the POS when it stops. */
const STOP_LIMIT_MS = 15_000;
const LINES_KEPT = 15;
/** The variables that the relay inherits; not DATABASE_URL, so that the demo does not use the user's database. */
const INHERITED = ['PATH', 'HOME', 'TMPDIR', 'TEMP', 'TMP', 'SYSTEMROOT', 'TZ', 'LANG', 'LC_ALL'];

/** The relay as a process, observed by its log. */
export class RelayProcess {
  /** Rejects when the relay exits without `stop` or `kill`. */
  readonly died: Promise<never>;
  /** the database's socket folder, known once it has started */
  databaseFolder = '';
  private readonly lines: string[] = [];
  private readonly listeners = new Set<(line: LogLine) => void>();
  private isUp = false;
  private stopping = false;

  private constructor(private readonly child: ChildProcess) {
    for (const stream of [child.stdout, child.stderr]) this.read(stream as Readable);
    const ended = once(child, 'close') as Promise<[code: number | null, signal: string | null]>;
    this.died = ended.then(([code, signal]) => {
      if (this.stopping) return new Promise<never>(() => {});
      throw new Error(this.withLog(`the relay exited (${signal ?? `exit code ${code}`})`));
    });
    this.died.catch(() => {});
  }

  /**
   * Starts it in `folder`, which has no .env file.
   * @param settings its environment, besides the inherited variables
   * @param nodeOptions for Node itself, before the program
   */
  static start(
    folder: string,
    settings: Readonly<Record<string, string>>,
    nodeOptions: readonly string[] = [],
  ): RelayProcess {
    const inherited = INHERITED.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []));
    const child = spawn(process.execPath, [...nodeOptions, PROGRAM], {
      cwd: folder,
      env: { ...Object.fromEntries(inherited), ...settings },
      // modules that nodeOptions loads use the IPC channel
      stdio: ['ignore', 'pipe', 'pipe', ...(nodeOptions.length > 0 ? (['ipc'] as const) : [])],
      // Ctrl-C signals the whole process group; the relay gets one SIGTERM from here
      detached: true,
    });
    return new RelayProcess(child);
  }

  /** Calls `listener` with each log line from now on. */
  onLog(listener: (line: LogLine) => void): void {
    this.listeners.add(listener);
  }

  /**
   * Waits until it has started. @returns its URL
   * @param stillStarting called every second with the ms since the start
   * @throws with its last log lines when it exits, makes no progress for a minute, or has not started in five minutes
   */
  async started(stillStarting: (ms: number) => void): Promise<string> {
    const progress = new Progress(this.child.pid as number);
    let look: NodeJS.Timeout | undefined;
    const started = new Promise<string>((resolve, reject) => {
      look = setInterval(() => {
        const { sinceStart, sinceMove } = progress.look();
        if (sinceStart > START_LIMIT_MS || sinceMove > SILENCE_LIMIT_MS)
          reject(new Error(this.withLog(`the relay has not started within ${Math.round(sinceStart / 1_000)} s`)));
        else stillStarting(sinceStart);
      }, LOOK_EVERY_MS);
      this.onLog(({ event, psql, url }) => {
        progress.moved();
        if (event === 'database.embedded') this.databaseFolder = /-h '([^']+)'/.exec(String(psql))?.[1] ?? '';
        if (event !== 'relay.started') return;
        this.isUp = true;
        resolve(String(url));
      });
    });
    return Promise.race([started, this.died]).finally(() => clearInterval(look));
  }

  /** Sends a message to a module that nodeOptions loaded, and returns its answer; one message at a time. */
  async ask(question: string): Promise<unknown> {
    const answer = once(this.child, 'message');
    this.child.send(question);
    return (await Promise.race([answer, this.died]))[0];
  }

  /** Sends SIGTERM and waits for the exit. @throws unless its exit code is 0 */
  async stop(): Promise<void> {
    const { child } = this;
    if (child.exitCode !== null || child.signalCode !== null) return;
    this.stopping = true;
    const ended = once(child, 'close');
    child.kill('SIGTERM');
    const limit = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
    await ended;
    clearTimeout(limit);
    // before it listens, the signal ends it
    const isWell = child.exitCode === 0 || (!this.isUp && child.signalCode === 'SIGTERM');
    if (!isWell)
      throw new Error(this.withLog(`the relay stopped with ${child.signalCode ?? `exit code ${child.exitCode}`}`));
  }

  /** Sends SIGKILL. */
  kill(): void {
    this.stopping = true;
    this.child.kill('SIGKILL');
  }

  private read(stream: Readable): void {
    createInterface({ input: stream }).on('line', (text) => {
      this.lines.push(text);
      if (this.lines.length > LINES_KEPT) this.lines.shift();
      const line = parse(text);
      if (line) for (const listener of this.listeners) listener(line);
    });
  }

  private withLog(message: string): string {
    if (this.lines.length === 0) return `${message}; it has logged nothing`;
    return [`${message}; its last log lines:`, ...this.lines.map((line) => `  ${line}`)].join('\n');
  }
}

function parse(text: string): LogLine | undefined {
  try {
    return JSON.parse(text) as LogLine;
  } catch {
    // printed before the log exists, or by Node at a crash
    return undefined;
  }
}
