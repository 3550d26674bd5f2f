import type { Enqueued } from '../../../src/outbox/store/enqueue.js';
import { type Config, loadConfig } from '../../../src/platform/config/config.js';
import { ENVIRONMENT } from '../../support/environment.js';
import { LOOKUP_PATH, PosLine } from './calls.js';
import type { SimulatedDatabase, State } from './database.js';
import { changesBetween } from './history.js';
import { Instance } from './instance.js';
import type { Order, OrderNumber } from './orders.js';
import { ModelPos } from './pos.js';
import { SimulatedPrisma } from './prisma.js';
import { RuleBroken, Rules } from './rules.js';
import { type Fate, INJECTED, type Step, Steps, unanswered, unreachable } from './steps.js';
import { Tills } from './tills.js';
import { type Activity, type Alarm, type Running, running, SimulatedTime } from './time.js';

/** How one world differs from another. */
export interface Kind {
  readonly pace: 'tick' | 'eager';
  readonly batchSize: 1 | 4;
  /** false: the POS cooks an order that comes twice twice */
  readonly refusesDuplicates: boolean;
  /** POS_AFTER_UNKNOWN=ask: the POS is asked before an order is sent again (D19) */
  readonly asks: boolean;
  /** the POS of the first restaurant fetches its orders (Q) */
  readonly pulls: boolean;
}

export const NAMES = ['A', 'B'] as const;
export type Name = (typeof NAMES)[number];

/** Whose statement changed the database. */
export type By = Running | 'operator';

const UUID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
/** Statements that change nothing when they return nothing. At the end they are repeated, and told only if they found something. */
const LOOKS_FOR_WORK = /^(claims|returns expired leases)/;

const configs = new Map<string, Config>();

/** Instances, a database and a POS, in which nothing happens but what is let happen, and each step is held against the rules. */
export class World {
  readonly config: Config;
  readonly pos: ModelPos;
  readonly rules: Rules;
  readonly line: PosLine;
  readonly tills: Tills;
  readonly steps = new Steps();
  /** what happened, a line each */
  readonly history: string[] = [];
  /** the error that a rule, or an instance, has ended the simulation with */
  broken: Error | undefined;
  /** nothing fails any more: what finds nothing to do is not told */
  isEnding = false;
  /** what terminals were told is stored */
  readonly accepted = new Set<OrderNumber>();
  private readonly storedOnce = new Set<OrderNumber>();
  readonly time = new SimulatedTime(
    (alarm) => this.addTimer(alarm),
    (alarm) => this.clearTimer(alarm),
  );
  private readonly prisma: SimulatedPrisma;
  private readonly instances = new Map<Name, Instance>();
  private readonly timers = new Map<Alarm, Step>();
  private state: State = { jobs: [], attempts: [], said: [], events: [], spent: [] };
  private started = 0;

  constructor(
    private readonly database: SimulatedDatabase,
    readonly kind: Kind,
  ) {
    this.config = configOf(kind);
    this.pos = new ModelPos(kind.refusesDuplicates);
    this.tills = new Tills(this.pos, () => this.state);
    this.rules = new Rules(this.config, this.time, () => this.state, kind.pulls ? this.tills : undefined);
    this.line = new PosLine(this.pos, this.steps, this.time, this.config.pos.timeoutMs, this.rules);
    this.prisma = new SimulatedPrisma(database, (title, execute) => this.turn(title, execute));
  }

  /** The instance of this name; a new one if the last is gone. */
  instance(name: Name): Instance {
    const known = this.instances.get(name);
    if (known) return known;
    const instance = new Instance(`${name}${++this.started}`, {
      config: this.config,
      prisma: this.prisma,
      transport: this.line,
      onLine: (line) => this.heed(line),
    });
    this.instances.set(name, instance);
    return instance;
  }

  /** The database between two steps. */
  get now(): State {
    return this.state;
  }

  /** What became of a sale: told to the terminal. */
  stored({ number }: Order, { result }: Enqueued): void {
    if (result === 'unplaced') this.rules.broken.push(`W28: order ${number} was refused, and its restaurant is there`);
    if (result === 'stored' && this.storedOnce.has(number))
      this.rules.broken.push(`W19: order ${number} was stored twice`);
    if (result === 'stored') this.storedOnce.add(number);
    this.accepted.add(number);
    this.note(`  the terminal is told: ${result === 'duplicate' ? 'a duplicate' : 'stored'}`);
  }

  /** It is gone at once, and another one has its name (`kill -9`). */
  crash(name: Name): void {
    this.steps.abandon(this.instance(name));
    this.instances.delete(name);
  }

  /** Lets an instance begin something, up to its first step. An error ends up with the rules. */
  async begin(name: Name, activity: Activity, work: (instance: Instance) => Promise<unknown>): Promise<void> {
    const instance = this.instance(name);
    instance.run(activity, () => work(instance)).catch((error: unknown) => this.heed({ error: String(error) }));
    await this.quiet();
  }

  /** Lets a step happen, and what follows from it until everybody waits again. */
  async take(step: Step, fate: Fate): Promise<void> {
    this.steps.remove(step);
    this.time.pass(1);
    this.note(`${step.of.instance.name} ${step.title}${fate === 'ok' ? '' : ` (${fate})`}`);
    const told = this.history.length;
    await step.run(fate);
    if (this.isEnding && LOOKS_FOR_WORK.test(step.title) && this.history.length === told) this.history.pop();
    await this.quiet();
  }

  /** An operator's statement: nobody interrupts it. */
  async operate(text: string, values: readonly unknown[]): Promise<Error | undefined> {
    this.time.pass(1);
    try {
      await this.database.query(text, values);
      return undefined;
    } catch (error) {
      return error as Error;
    } finally {
      await this.look('operator');
    }
  }

  /** Begins a line of the history. */
  note(line: string): void {
    this.history.push(line);
  }

  /** @throws RuleBroken when a rule has been broken */
  judge(): void {
    const [first] = [...this.rules.broken, ...this.tills.wrong];
    if (first) throw new RuleBroken(first);
  }

  /** Until nobody has anything to do but to wait for a step: two rounds, since what arrives together is gathered in one. */
  private async quiet(): Promise<void> {
    for (let round = 0; round < 3; round++) await new Promise((next) => setImmediate(next));
  }

  /** A statement of an instance waits for its turn. */
  private turn<T>(title: string, execute: () => Promise<T>): Promise<T> {
    const of = running.getStore() as Running;
    return new Promise((resolve, reject) => {
      const step: Step = {
        kind: 'statement',
        of,
        title,
        run: async (fate) => {
          if (fate === 'never sent') return reject(unreachable());
          if (fate === 'late') {
            this.steps.setAdrift(step);
            return reject(unanswered());
          }
          const result = await execute().catch((error: Error) => error);
          const foundNothing = LOOKS_FOR_WORK.test(title) && Array.isArray(result) && result.length === 0;
          if (!foundNothing) await this.look(of);
          if (result instanceof Error) this.note(`  fails: ${result.message.replace(UUID, '#')}`);
          if (fate === 'answer lost') reject(unanswered());
          else if (result instanceof Error) reject(result);
          else resolve(result);
        },
      };
      this.steps.add(step);
    });
  }

  /** Reads what a statement has changed. */
  private async look(by: By): Promise<void> {
    const before = this.state;
    this.state = await this.database.state();
    for (const change of changesBetween(before, this.state)) this.note(`  ${change}`);
    this.rules.compare(before, this.state, by);
  }

  private addTimer(alarm: Alarm): void {
    const title = 'has waited long enough';
    const run = async () => {
      this.timers.delete(alarm);
      this.time.reach(alarm.at);
      alarm.ring();
    };
    const step: Step = { kind: 'timer', of: alarm.of, title, run };
    this.timers.set(alarm, step);
    this.steps.add(step);
  }

  private clearTimer(alarm: Alarm): void {
    const step = this.timers.get(alarm);
    if (step) this.steps.remove(step);
    this.timers.delete(alarm);
  }

  /** What an instance logs or throws: an error that nobody has made for it is a defect. */
  private heed(line: Record<string, unknown>): void {
    const { event, error } = line;
    const isDefect =
      event === 'outbox.attempt' || event === 'outbox.lock_lost'
        ? /internal error/.test(String(error))
        : typeof error === 'string' && !String(event).startsWith('alarm.') && !INJECTED.test(error);
    if (isDefect) this.rules.broken.push(`an unexpected error: ${event ?? 'thrown'}: ${error}`);
  }
}

function configOf({ pace, batchSize, asks }: Kind): Config {
  const key = `${pace}/${batchSize}/${asks}`;
  let config = configs.get(key);
  if (config) return config;
  config = loadConfig({
    ...ENVIRONMENT,
    WORKER_ENABLED: 'true',
    POS_BASE_URL: 'http://127.0.0.1:9',
    DATABASE_URL: 'postgresql://127.0.0.1/simulated',
    DATABASE_TIMEOUT_MS: '1000',
    OUTBOX_PACE: pace,
    OUTBOX_BATCH_SIZE: String(batchSize),
    OUTBOX_MAX_ATTEMPTS: '3',
    POS_ORDER_LOOKUP_PATH: LOOKUP_PATH,
    POS_AFTER_UNKNOWN: asks ? 'ask' : 'resend',
    OUTBOX_RETENTION_DAYS: '30',
  });
  configs.set(key, config);
  return config;
}
