import type { LogLine } from '../../tools/demo/relay-process.js';
import type { Campaign } from './campaign.js';
import type { Canary } from './canary.js';
import type { Judge } from './judge.js';
import { replay } from './replay.js';
import type { Usage } from './usage.js';

const SHOWN = 1_000;

/** What is wrong beside single requests, and the last words of a run. */
export class Verdict {
  readonly problems: string[] = [];
  /** known once there are tenants */
  judge: Judge | undefined;
  private canary = '';

  constructor(private readonly seed: number) {}

  /** A line of the relay's log: no 500 has an excuse, and no secret stands there (H10). */
  hear(line: LogLine): void {
    if (line.event === 'http.failed') this.problems.push(`the relay logged: ${String(line.error).slice(0, SHOWN)}`);
    const text = JSON.stringify(line);
    const found = this.judge?.violationInLog(text);
    if (found) this.problems.push(`${found} in ${text.slice(0, SHOWN)}`);
  }

  /** @param uncooked sales that were not cooked exactly once */
  reads({ sold, refused }: Canary, uncooked: readonly string[]): void {
    this.problems.push(...uncooked.map((key) => `the canary's sale ${key} was not cooked exactly once`));
    this.problems.push(...refused.map((sale) => `the canary's sale was not accepted: ${sale}`));
    this.canary = `the canary sold ${sold.length}, cooked exactly once: ${sold.length - uncooked.length}`;
  }

  /** @param keys of the orders that the relay calls delivered @param orders that the POS accepted, by key */
  delivered(keys: readonly string[], orders: ReadonlyMap<string, unknown>): void {
    for (const key of keys)
      if (!orders.has(key)) this.problems.push(`order ${key} counts as delivered, and the POS has not accepted it`);
  }

  /** Prints it all. @returns the exit code */
  tell({ violations, statuses, renewals }: Campaign, usage: Usage, url: string): number {
    for (const violation of violations) console.log(replay(violation, this.seed, url));
    for (const problem of this.problems) console.log(`FAILED ${this.seed}: ${problem}`);
    const answers = [...statuses]
      .toSorted(([a], [b]) => a - b)
      .map(([status, count]) => `${count} x ${status || 'closed'}`);
    const [few, alone, password] = [usage.dearestFewMs, usage.dearestAloneMs, usage.dearestWithPasswordMs].map(
      Math.round,
    );
    for (const line of [
      `answers: ${answers.join(', ')}`,
      `CPU: four requests at once ${few} ms at most, or measured alone`,
      `CPU: ${usage.alone} measured alone, ${alone} ms at most`,
      `CPU: ${usage.withPassword} with a password (bcrypt, cost 10), ${password} ms at most`,
      `tenants made ${renewals} times; ${this.canary}`,
    ])
      console.log(`  ${line}`);
    const failed = violations.length + this.problems.length;
    console.log(`fuzz: seed ${this.seed}: ${failed === 0 ? 'held' : `${failed} VIOLATIONS`}`);
    return failed === 0 ? 0 : 1;
  }
}
