import { AsyncLocalStorage } from 'node:async_hooks';
import { syncBuiltinESMExports } from 'node:module';
import timersPromises from 'node:timers/promises';
import type { Instance } from './instance.js';

/** What an instance is at work for. */
export type Activity =
  | 'webhook'
  | 'cancel'
  | 'worker'
  | 'reaper'
  | 'retention'
  | 'poll'
  | 'acknowledgement'
  | 'statement';

/** Whose code is running. */
export interface Running {
  readonly instance: Instance;
  readonly activity: Activity;
  /** `lockedBy` of the job that is being delivered */
  readonly claim?: string;
}

/** Follows every instance's code through its promises, so that what it asks for is known to be its own. */
export const running = new AsyncLocalStorage<Running>();

/**
 * For PGlite, while time is simulated: the alarm by which an idle session writes down its statistics would be set by one clock,
 * and ring by another.
 */
export const withoutAlarms = new AsyncLocalStorage<true>();

/**
 * From now on no alarm of PGlite's is set, while time is not simulated either: one that was asked for by the simulated clock would
 * ring at once by the other, be set again, and so on.
 * @returns ends it
 */
export function muteAlarms(): () => void {
  globalThis.setTimeout = muted;
  return () => {
    globalThis.setTimeout = real.setTimeout;
  };
}

/** A timer that an instance waits for. */
export interface Alarm {
  readonly at: number;
  readonly of: Running;
  ring(): void;
}

const START = Date.parse('2030-01-01T12:00:00Z');
const real = {
  now: Date.now,
  performanceNow: performance.now,
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  delay: timersPromises.setTimeout,
  random: Math.random,
};

/** Whether it is the simulation that asks: an instance, or its database. */
const isSimulated = () => running.getStore() !== undefined || withoutAlarms.getStore() === true;

const muted = ((ring: () => void, ms?: number) =>
  withoutAlarms.getStore() ? undefined : real.setTimeout(ring, ms)) as typeof setTimeout;

/**
 * The one clock of a simulation, in ms: the instances' and, since PGlite reads the time from this process, their database's. It
 * stands still until it is moved. An instance's timers are told to `onAlarm`. Everybody else has the real clock and real timers:
 * a PGlite that another suite has left in this process would set its alarm by the one, and wait for it by the other, for ever.
 */
export class SimulatedTime {
  now = START;

  constructor(
    private readonly onAlarm: (alarm: Alarm) => void,
    private readonly onCleared: (alarm: Alarm) => void,
  ) {}

  pass(ms: number): void {
    this.now += ms;
  }

  /** Not before this time. */
  reach(time: number): void {
    this.now = Math.max(this.now, time);
  }

  install(): void {
    Date.now = () => (isSimulated() ? this.now : real.now());
    performance.now = () => (isSimulated() ? this.now - START : real.performanceNow.call(performance));
    // the jitter of a backoff
    Math.random = () => 0.5;
    globalThis.setTimeout = ((ring: () => void, ms = 0) => {
      if (withoutAlarms.getStore()) return undefined;
      return running.getStore() ? this.alarm(ring, ms) : real.setTimeout(ring, ms);
    }) as typeof setTimeout;
    globalThis.clearTimeout = ((timer: unknown) => {
      if (timer instanceof SimulatedTimer) this.onCleared(timer);
      else real.clearTimeout(timer as NodeJS.Timeout);
    }) as typeof clearTimeout;
    timersPromises.setTimeout = ((ms = 0, value: unknown, options: object) =>
      running.getStore()
        ? new Promise<unknown>((resolve) => this.alarm(() => resolve(value), ms))
        : real.delay(ms, value, options)) as typeof timersPromises.setTimeout;
    syncBuiltinESMExports();
  }

  remove(): void {
    Date.now = real.now;
    performance.now = real.performanceNow;
    Math.random = real.random;
    globalThis.setTimeout = muted;
    globalThis.clearTimeout = real.clearTimeout;
    timersPromises.setTimeout = real.delay;
    syncBuiltinESMExports();
  }

  private alarm(ring: () => void, ms: number): SimulatedTimer {
    const timer = new SimulatedTimer(this.now + ms, running.getStore() as Running, ring);
    this.onAlarm(timer);
    return timer;
  }
}

/** As far as Node's Timeout is used. */
class SimulatedTimer implements Alarm {
  constructor(
    readonly at: number,
    readonly of: Running,
    private readonly callback: () => void,
  ) {}

  ring = () => running.run(this.of, this.callback);
  ref = () => this;
  unref = () => this;
}
