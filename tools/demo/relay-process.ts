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
/** A start may take this long as long as something moves: a slow machine, a first start. */
const START_LIMIT_MS = 300_000;
/** Neither a line of its log nor processor time for so long: it hangs. */
const SILENCE_LIMIT_MS = 60_000;
const LOOK_EVERY_MS = 1_000;
/** More than the relay allows itself for a call to the POS that is under way. */
const STOP_LIMIT_MS = 15_000;
const LINES_KEPT = 15;
/** All the relay gets of the user's environment: a DATABASE_URL in it must not become the demo's database. */
const INHERITED = ['PATH', 'HOME', 'TMPDIR', 'TEMP', 'TMP', 'SYSTEMROOT', 'TZ', 'LANG', 'LC_ALL'];

/** The relay itself, as a process of its own, known by its log alone. */
export class RelayProcess {
  /** Rejects when the relay ends and nobody asked it to. */
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
      throw new Error(this.withLog(`the relay ended by itself (${signal ?? `exit code ${code}`})`));
    });
    this.died.catch(() => {});
  }

  /**
   * Starts it in `folder`, where no .env file lies.
   * @param settings all of its environment that matters
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
      // the channel is for what is loaded by nodeOptions
      stdio: ['ignore', 'pipe', 'pipe', ...(nodeOptions.length > 0 ? (['ipc'] as const) : [])],
      // Ctrl-C goes to the whole group; the relay hears of it from here, once
      detached: true,
    });
    return new RelayProcess(child);
  }

  /** Calls `listener` with every line of the log from now on. */
  onLog(listener: (line: LogLine) => void): void {
    this.listeners.add(listener);
  }

  /**
   * Its address, once it has started. Patient while there is progress, in its log or in the processor time it has used.
   * @param stillStarting is called every second, with the ms since it was begun
   * @throws with its last words when it dies, hangs, or is not up within five minutes
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

  /** Asks what nodeOptions loaded into it; one question at a time. */
  async ask(question: string): Promise<unknown> {
    const answer = once(this.child, 'message');
    this.child.send(question);
    return (await Promise.race([answer, this.died]))[0];
  }

  /** SIGTERM, and its end. @throws when it does not end well */
  async stop(): Promise<void> {
    const { child } = this;
    if (child.exitCode !== null || child.signalCode !== null) return;
    this.stopping = true;
    const ended = once(child, 'close');
    child.kill('SIGTERM');
    const limit = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
    await ended;
    clearTimeout(limit);
    // before it is up it ends at once, by the signal
    const isWell = child.exitCode === 0 || (!this.isUp && child.signalCode === 'SIGTERM');
    if (!isWell)
      throw new Error(this.withLog(`the relay stopped with ${child.signalCode ?? `exit code ${child.exitCode}`}`));
  }

  /** At once, whatever it is doing. */
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
    if (this.lines.length === 0) return `${message}; it has said nothing`;
    return [`${message}; its last words:`, ...this.lines.map((line) => `  ${line}`)].join('\n');
  }
}

function parse(text: string): LogLine | undefined {
  try {
    return JSON.parse(text) as LogLine;
  } catch {
    // what the relay says before it has a log, or dying
    return undefined;
  }
}
