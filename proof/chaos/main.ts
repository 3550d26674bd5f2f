import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findPrograms } from '../../deploy/cluster/local.mjs';
import { findPostgres, type PostgresBinaries } from '../postgres/binaries.js';
import { Random } from '../random.js';
import { outageLines } from './cluster/outages.js';
import { clusterPlanOf, stepLine } from './cluster/plan.js';
import { runCluster } from './cluster/run.js';
import { LEASE_MS } from './deployment.js';
import { HELP, type Options, readOptions } from './options.js';
import { planLine, planOf } from './plan.js';
import { reportOf } from './report.js';
import { type Run, run } from './run.js';
import { judge, type Verdict } from './verdict.js';

/**
 * The command `npm run chaos`: a bad night for a whole deployment, and what became of every order in it.
 *
 * The plan of faults, the sales, and what POS and lines do by chance follow from the seed. Processes run as fast as the machine
 * lets them, so a seed repeats the plan, not every interleaving; the verdict holds for each.
 */

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2), process.env);
  if (options.help) {
    print(HELP);
    return 0;
  }
  const binaries = findPostgres();
  if ('missing' in binaries) {
    print(`chaos: skipped: ${binaries.missing}`);
    return 0;
  }
  if (!options.cluster) return night(options, (folder) => onPair(options, binaries, folder));
  const programs = findPrograms();
  if ('missing' in programs) {
    print(`chaos: skipped: ${programs.missing}`);
    return 0;
  }
  const { cluster } = options;
  return night(options, (folder) => onCluster({ ...options, cluster }, binaries, programs.folders, folder));
}

/** What a run came to, and further lines of its report. */
type Done = Run & { readonly more?: readonly string[] };

async function onPair(options: Options, binaries: PostgresBinaries, folder: string): Promise<Done> {
  const plan = planOf({ ...options.size, leaseMs: LEASE_MS }, new Random(options.seed).of('plan'));
  print(`SEED=${options.seed}, POS ${options.pos}; the plan, from the first sale on:`);
  for (const fault of plan) print(planLine(fault));
  print('');
  return run(options, plan, binaries, folder, print);
}

async function onCluster(
  options: Options & { readonly cluster: NonNullable<Options['cluster']> },
  binaries: PostgresBinaries,
  folders: string[],
  folder: string,
): Promise<Done> {
  const steps = clusterPlanOf(options.cluster.size, new Random(options.seed).of('cluster'));
  const how = options.cluster.asynchronous ? 'ASYNCHRONOUS' : 'synchronous, strict';
  print(`SEED=${options.seed}, POS ${options.pos}, ${how}; the steps, one after the other:`);
  for (const [index, step] of steps.entries()) print(stepLine(step, index));
  print('');
  const done = await runCluster(options, steps, binaries, folders, folder, print);
  return {
    ...done,
    more: [
      ...outageLines(done.outages),
      `relays left the pools of HAProxy ${done.leftPool} times; ${done.crashes.length === 0 ? 'at the end all are back' : 'see below'}`,
    ],
  };
}

/** Runs it in a folder of its own, judges what became of the orders, and says so. @returns the exit code */
async function night(options: Options, run: (folder: string) => Promise<Done>): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'relay-chaos-'));
  // postgres, which may run as somebody else, must reach its own folders in it
  chmodSync(folder, 0o711);
  let holds = false;
  try {
    const done = await run(folder);
    const verdict = judge(done.history);
    for (const line of reportOf(verdict, done, done.more)) print(line);
    const each = verdict.doubles.map(({ key, reason, text }) => `${key}: ${reason ?? 'NOT EXPLAINED'}: ${text}\n`);
    writeFileSync(join(folder, 'doubles.txt'), each.join(''));
    const isCounterProof = options.cluster?.asynchronous === true;
    holds = isCounterProof ? losses(verdict) > 0 : verdict.violations.length === 0 && done.crashes.length === 0;
    const words = isCounterProof
      ? `${losses(verdict)} accepted sales and cancels are lost, as asynchronous standbys lose them`
      : holds
        ? 'every rule holds'
        : 'A RULE IS BROKEN';
    print(`\n${words} (SEED=${options.seed})`);
  } finally {
    if (holds && !options.keep) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    else print(`the instances' logs, and each double with its reason: ${folder}`);
  }
  return holds ? 0 : 1;
}

function losses({ violations }: Verdict): number {
  return violations.filter(({ rule }) => rule === 'lost').length;
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130));

main().then(
  (code) => process.exit(code),
  (error: Error) => {
    process.stderr.write(`chaos: ${error.stack ?? error.message}\n`);
    process.exit(1);
  },
);
