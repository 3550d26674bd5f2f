// Processes that a benchmark or a soak starts. None outlives it: all are killed when it ends, however it ends.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const running = new Set();
process.on('exit', killAll);

/** As `spawn`, and remembered. */
export function startProcess(command, args, options) {
  const child = spawn(command, args, options);
  running.add(child);
  child.once('exit', () => running.delete(child));
  child.once('error', () => running.delete(child));
  return child;
}

export function killAll() {
  for (const child of running) child.kill('SIGKILL');
}

/** Waits until it has ended. */
export async function endProcess(child, signal = 'SIGKILL') {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}

/** A script in a new process; its functions are called over IPC, see `serve`. */
export class Helper {
  /** event name -> the promise of its first occurrence since the last `reset` */
  events = new Map();
  #calls = new Map();
  #count = 0;

  /** @param script its URL @param node the program to run it with */
  constructor(script, args = [], node = process.execPath) {
    this.process = startProcess(node, [fileURLToPath(script), ...args.map(String)], { stdio: ['ignore', 2, 2, 'ipc'] });
    this.process.on('message', (message) => this.#received(message));
    this.process.once('exit', (code, signal) => this.#ended(new Error(`${script} ended: ${code ?? signal}`)));
    this.process.once('error', (error) => this.#ended(error));
  }

  get pid() {
    return this.process.pid;
  }

  /** Calls a function of the script. @returns its result */
  call(name, ...args) {
    const id = ++this.#count;
    return new Promise((resolve, reject) => {
      this.#calls.set(id, { resolve, reject });
      this.process.send({ id, name, args }, (error) => error && reject(error));
    });
  }

  /** The next event of this name. */
  next(event) {
    return new Promise((resolve, reject) => this.events.set(event, { resolve, reject }));
  }

  end() {
    return endProcess(this.process);
  }

  #received({ id, event, result, error }) {
    const waiting = event ? this.events : this.#calls;
    const caller = waiting.get(event ?? id);
    waiting.delete(event ?? id);
    if (error) caller?.reject(new Error(error));
    else caller?.resolve(result);
  }

  #ended(error) {
    for (const { reject } of [...this.#calls.values(), ...this.events.values()]) reject(error);
    this.#calls.clear();
    this.events.clear();
  }
}

/** In the script: lets a Helper call these functions. Ends with the process that called. */
export function serve(functions) {
  process.on('disconnect', () => process.exit());
  // Ctrl-C goes to the whole group; the process that started this one ends it
  process.on('SIGINT', () => {});
  process.on('message', async ({ id, name, args }) => {
    try {
      process.send({ id, result: await functions[name](...args) });
    } catch (error) {
      process.send({ id, error: error.stack ?? String(error) });
    }
  });
}

/** The terminals; see loader.mjs. */
export const startLoader = () => new Helper(new URL('./loader.mjs', import.meta.url));
/** A POS that accepts everything; see receiver.mjs. */
export const startReceiver = () => new Helper(new URL('./receiver.mjs', import.meta.url));

/** In the script: sends an event. */
export const tell = (event, result) => process.send({ event, result });
