import { NoAnswerError } from '../../../src/platform/database/connection.js';
import type { Instance } from './instance.js';
import type { Activity, Running } from './time.js';

/** What can become of a statement. `late`: its client gives up, and it is executed afterwards. */
export const STATEMENT_TROUBLES = ['answer lost', 'never sent', 'late'] as const;
/**
 * What can become of a call to the POS. `answer waits`: it has arrived, and its answer is a step of its own; `late`: the instance
 * gives up, and it arrives afterwards.
 */
export const CALL_TROUBLES = [
  ...['answer waits', 'answer lost', 'late', 'lost on the way', 'not sent'],
  ...['refused with 422', 'met by a 503', 'cooked and met by a 503'],
] as const;

/** `ok`, or a trouble. */
export type Fate = string;

/** Something that an instance waits for, and that happens when the simulation says so. */
export interface Step {
  readonly kind: 'statement' | 'call' | 'answer' | 'timer';
  readonly of: Running;
  readonly title: string;
  run(fate: Fate): Promise<void>;
}

/** A statement that may have been executed. */
export const unanswered = () => new NoAnswerError(1_000);
/** A statement that was not. */
export const unreachable = () =>
  Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' });
/** Errors that the simulation has made; every other is a defect. */
export const INJECTED = /the database gave no answer|connect ECONNREFUSED 127/;

/** The steps that wait. */
export class Steps {
  private waiting: Step[] = [];
  /** of instances that are gone or have given up: they may still arrive */
  private drifting: Step[] = [];

  add(step: Step): void {
    this.waiting.push(step);
  }

  remove(step: Step): void {
    this.waiting = this.waiting.filter((each) => each !== step);
    this.drifting = this.drifting.filter((each) => each !== step);
  }

  /** Whoever waits for it has given up. */
  setAdrift(step: Step): void {
    this.remove(step);
    this.drifting.push(step);
  }

  /** What an instance waits for, in an order that does not depend on the order in which it was asked for. */
  of(instance: Instance, ...kinds: readonly Step['kind'][]): Step[] {
    return this.waiting
      .filter(({ of, kind }) => of.instance === instance && (kinds.length === 0 || kinds.includes(kind)))
      .toSorted((a, b) => rank(a) - rank(b) || (a.title < b.title ? -1 : Number(a.title > b.title)));
  }

  /** The statement that an instance has asked for last. */
  lastStatement(instance: Instance, activity: Activity): Step | undefined {
    return this.waiting.findLast(
      ({ of, kind }) => of.instance === instance && of.activity === activity && kind === 'statement',
    );
  }

  get adrift(): readonly Step[] {
    return this.drifting;
  }

  /** The instance is gone: what it has sent may arrive, and nobody hears of it. */
  abandon(instance: Instance): void {
    for (const step of this.of(instance)) {
      if (step.kind === 'statement' || step.kind === 'call') this.setAdrift(step);
      else this.remove(step);
    }
  }
}

/** Nobody waits for a timer while there is something else to do. */
const rank = ({ kind }: Step) => (kind === 'timer' ? 1 : 0);
