import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/** These processes live for seconds: compiling WebAssembly a second time, for speed, would cost them more than it gains. */
const SHORT_LIVED = ['--liftoff-only'];

type Line = Record<string, unknown>;

/** The relay as a process of its own, for what only a process can suffer: kill -9, SIGSTOP, SIGTERM. */
export class Instance {
  readonly lines: Line[] = [];
  /** what was printed beside the log */
  text = '';
  private readonly waiting = new Set<() => void>();

  private constructor(readonly process: ChildProcess) {
    for (const stream of [process.stdout, process.stderr]) {
      if (!stream) continue;
      createInterface({ input: stream }).on('line', (line) => {
        if (line.startsWith('{')) this.lines.push(JSON.parse(line));
        else this.text += `${line}\n`;
        for (const check of this.waiting) check();
      });
    }
    process.on('exit', () => {
      for (const check of this.waiting) check();
    });
  }

  /** Starts it with this environment and nothing else of ours; does not wait. */
  static spawn(environment: Record<string, string>, cwd?: string): Instance {
    const { PATH = '', HOME = '' } = process.env;
    return new Instance(
      spawn(process.execPath, [...SHORT_LIVED, MAIN], {
        cwd,
        env: { PATH, HOME, NODE_ENV: 'production', ...environment },
      }),
    );
  }

  /** Starts it and waits until it listens. */
  static async start(environment: Record<string, string>): Promise<Instance> {
    const instance = Instance.spawn(environment);
    await instance.logged('relay.started');
    return instance;
  }

  get url(): string {
    return String(this.lines.find(({ event }) => event === 'relay.started')?.url);
  }

  /** Waits for a line of this event that satisfies `where`. */
  logged(event: string, where: (line: Line) => boolean = () => true): Promise<Line> {
    return new Promise((resolve, reject) => {
      const check = () => {
        const line = this.lines.find((candidate) => candidate.event === event && where(candidate));
        if (!line && this.process.exitCode === null && this.process.signalCode === null) return;
        this.waiting.delete(check);
        if (line) resolve(line);
        else
          reject(new Error(`the instance ended without ${event}: ${this.text}${JSON.stringify(this.lines.slice(-3))}`));
      };
      this.waiting.add(check);
      check();
    });
  }

  /** @returns the exit code, or the signal that ended it */
  async ended(): Promise<number | string | null> {
    if (this.process.exitCode === null && this.process.signalCode === null) await once(this.process, 'exit');
    return this.process.exitCode ?? this.process.signalCode;
  }

  signal(name: NodeJS.Signals): void {
    this.process.kill(name);
  }

  async stop(): Promise<number | string | null> {
    this.signal('SIGTERM');
    return this.ended();
  }

  async kill(): Promise<void> {
    this.signal('SIGKILL');
    await this.ended();
  }
}
