import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findPostgres, type PostgresBinaries } from '../postgres/binaries.js';
import { Random } from '../random.js';
import { LEASE_MS } from './deployment.js';
import { HELP, type Options, readOptions } from './options.js';
import { planLine, planOf } from './plan.js';
import { reportOf } from './report.js';
import { run } from './run.js';
import { judge } from './verdict.js';

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
  return chaos(options, binaries);
}

async function chaos(options: Options, binaries: PostgresBinaries): Promise<number> {
  const plan = planOf({ ...options.size, leaseMs: LEASE_MS }, new Random(options.seed).of('plan'));
  print(`SEED=${options.seed}, POS ${options.pos}; the plan, from the first sale on:`);
  for (const fault of plan) print(planLine(fault));
  print('');
  const folder = mkdtempSync(join(tmpdir(), 'relay-chaos-'));
  // postgres, which may run as somebody else, must reach its own folders in it
  chmodSync(folder, 0o711);
  let holds = false;
  try {
    const done = await run(options, plan, binaries, folder, print);
    const verdict = judge(done.history);
    holds = verdict.violations.length === 0 && done.crashes.length === 0;
    for (const line of reportOf(verdict, done)) print(line);
    const each = verdict.doubles.map(({ key, reason, text }) => `${key}: ${reason ?? 'NOT EXPLAINED'}: ${text}\n`);
    writeFileSync(join(folder, 'doubles.txt'), each.join(''));
    print(`\n${holds ? 'every rule holds' : 'A RULE IS BROKEN'} (SEED=${options.seed})`);
  } finally {
    if (holds && !options.keep) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    else print(`the instances' logs, and each double with its reason: ${folder}`);
  }
  return holds ? 0 : 1;
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130));

main().then(
  (code) => process.exit(code),
  (error: Error) => {
    process.stderr.write(`chaos: ${error.stack ?? error.message}\n`);
    process.exit(1);
  },
);
