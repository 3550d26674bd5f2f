import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { EventLog } from './event-log.js';

const PROGRAM = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const PRELOAD = new URL('./preload.mjs', import.meta.url).href;
const LOOK_EVERY_MS = 150;
const LOOK_LIMIT_MS = 2_000;
const START_LIMIT_MS = 180_000;
/** File descriptors of an instance: fewer than clients may want. */
export const DESCRIPTORS = 512;
/** A supervisor starts a process again after this time. */
const RESTART_AFTER_MS = 300;
/** A stop takes POS_TIMEOUT_MS + 10 s at most (O20); this is not measured, it only ends what hangs. */
const STOP_LIMIT_MS = 60_000;

/** An instance of the relay as a process, restarted whenever it ends. */
export class Instance {
  readonly url: string;
  isUp = false;
  /** it ended by itself although it had come up: a bug */
  readonly crashes: string[] = [];
  /** every process that it has been */
  readonly pids: number[] = [];
  private child: ChildProcess | undefined;
  private isMeant = false;
  private closing = false;
  private readonly log: number;
  private readonly environment: Readonly<Record<string, string>>;

  /**
   * @param number from 0
   * @param clockMs what its clock is off by
   * @param logFile to which its log is appended
   */
  constructor(
    readonly number: number,
    { host, port }: { readonly host: string; readonly port: number },
    clockMs: number,
    environment: Readonly<Record<string, string>>,
    readonly logFile: string,
    private readonly events: EventLog,
  ) {
    this.url = `http://${host}:${port}`;
    this.environment = { ...environment, PORT: String(port), CHAOS_CLOCK_MS: String(clockMs) };
    this.log = openSync(logFile, 'a');
  }

  /** Starts it and keeps it running; resolves when it serves. */
  async start(): Promise<void> {
    this.spawn();
    await this.up();
  }

  /** Resolves when it serves. @throws when it does not for minutes */
  async up(): Promise<void> {
    const startedAt = performance.now();
    while (!this.isUp) {
      if (performance.now() - startedAt > START_LIMIT_MS)
        throw new Error(`instance ${this.number} does not come up; see ${this.logFile}`);
      await delay(LOOK_EVERY_MS);
    }
  }

  /** kill -9, also while it is starting. */
  async kill(): Promise<void> {
    const child = await this.running();
    this.isMeant = true;
    this.events.happened('kill', this.number, `instance ${this.number}: kill -9 of ${child.pid}`, child.pid);
    child.kill('SIGKILL');
    await ended(child);
  }

  /** SIGSTOP, and SIGCONT after `ms`. */
  async stopFor(ms: number): Promise<void> {
    const child = await this.running();
    const text = `instance ${this.number}: SIGSTOP of ${child.pid} for ${ms} ms`;
    const over = this.events.begin('stop', this.number, text, child.pid);
    child.kill('SIGSTOP');
    await Promise.race([delay(ms), ended(child)]);
    child.kill('SIGCONT');
    over();
  }

  /** SIGTERM, as of a deployment. */
  async terminate(): Promise<void> {
    const child = await this.running();
    this.isMeant = true;
    const over = this.events.begin('term', this.number, `instance ${this.number}: SIGTERM of ${child.pid}`, child.pid);
    child.kill('SIGTERM');
    const limit = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
    await ended(child);
    clearTimeout(limit);
    over(`instance ${this.number}: ended on SIGTERM with ${child.signalCode ?? `exit code ${child.exitCode}`}`);
  }

  /** Ends it for good; with `now` by kill -9, without waiting. */
  async close(now = false): Promise<void> {
    if (!this.closing) closeSync(this.log);
    this.closing = true;
    const { child } = this;
    if (!child || hasEnded(child)) return;
    child.kill('SIGCONT');
    child.kill(now ? 'SIGKILL' : 'SIGTERM');
    if (!now) await Promise.race([ended(child), delay(STOP_LIMIT_MS, undefined, { ref: false })]);
  }

  private spawn(): void {
    const relay = [process.execPath, '--import', PRELOAD, PROGRAM];
    const child = spawn('sh', ['-c', `ulimit -n ${DESCRIPTORS} && exec "$@"`, 'sh', ...relay], {
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...this.environment },
      // Ctrl-C goes to the whole group: this process ends its instances itself
      detached: true,
      stdio: ['ignore', this.log, this.log],
    });
    this.child = child;
    if (child.pid) this.pids.push(child.pid);
    this.isMeant = false;
    child.once('exit', (code, signal) => void this.afterExit(child, code, signal));
    void this.watchStart(child);
  }

  private async watchStart(child: ChildProcess): Promise<void> {
    while (!hasEnded(child) && !this.closing) {
      const isLive = await fetch(`${this.url}/health/live`, { signal: AbortSignal.timeout(LOOK_LIMIT_MS) }).then(
        ({ ok }) => ok,
        () => false,
      );
      if (isLive && child === this.child && !hasEnded(child)) {
        this.isUp = true;
        return;
      }
      await delay(LOOK_EVERY_MS);
    }
  }

  private async afterExit(child: ChildProcess, code: number | null, signal: string | null): Promise<void> {
    const wasUp = this.isUp;
    this.isUp = false;
    if (this.closing) return;
    if (!this.isMeant) {
      // at its start it gives up when there is no database for long (exit code 1), which is no crash
      const text = `instance ${this.number}: ${child.pid} ended by itself with ${signal ?? `exit code ${code}`}`;
      this.events.happened('ended', this.number, text, child.pid);
      if (wasUp) this.crashes.push(text);
    }
    await delay(RESTART_AFTER_MS);
    if (!this.closing) this.spawn();
  }

  /** The process, as soon as there is one. */
  private async running(): Promise<ChildProcess> {
    while (!this.child || hasEnded(this.child)) await delay(20);
    return this.child;
  }
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

async function ended(child: ChildProcess): Promise<void> {
  if (!hasEnded(child)) await once(child, 'exit');
}
