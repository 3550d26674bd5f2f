// Rounds: everybody in turn, A B A B ..., and again what other load on the machine spoiled.
import { setTimeout as delay } from 'node:timers/promises';
import { machineSeconds, secondsOfTree } from './cpu.mjs';
import { Measurement } from './measurement.mjs';

/** Processors that others may use on average while a round lasts. */
const OTHERS_LIMIT = 0.15;
/** Transactions a second in other databases of the server. */
const TRANSACTIONS_LIMIT = 20;
/** The machine counts as quiet after this many ms with less than this at work. */
const QUIET_MS = 1_000;
const QUIET_PROCESSORS = 0.15;

/**
 * Measures every contender of a setting once in each round.
 * @param list what to measure: `setting`, `contender`, `measure(measurement)`
 * @param options `rounds`; `repeats`: how often a spoiled round is repeated; `quietMs`: how long to wait for a quiet machine
 * @param record called with each round's figures
 */
export async function runRounds(run, name, list, { rounds, repeats, quietMs }, record) {
  for (let round = 1; round <= rounds; round++)
    for (const item of list)
      for (let attempt = 0; attempt <= repeats; attempt++) {
        const result = await measureOnce(run, item, quietMs);
        const isLast = attempt === repeats;
        const { setting, contender } = item;
        record({
          case: name,
          setting,
          contender,
          round,
          attempt,
          ...result,
          repeated: Boolean(result.spoiled) && !isLast,
        });
        if (!result.spoiled || isLast) break;
      }
}

/** @returns `figures`, or the `error`; what `others` used meanwhile, and why the round is `spoiled`, if it is */
async function measureOnce(run, { measure }, quietMs) {
  await quiet(quietMs);
  const measurement = new Measurement(run);
  const before = await snapshot(run);
  let result;
  try {
    result = { figures: await measure(measurement) };
  } catch (error) {
    result = { error: String(error.stack ?? error) };
  }
  try {
    const after = await snapshot(run);
    const seconds = after.at - before.at;
    const others = Math.max(0, (after.busy - before.busy - (after.own - before.own)) / seconds);
    const transactions = Math.max(0, (after.transactions - before.transactions) / seconds);
    return { ...result, others, seconds, spoiled: reasonOf(others, transactions, result.error) };
  } finally {
    await measurement.close();
  }
}

function reasonOf(others, transactions, error) {
  if (error) return 'it failed';
  if (others > OTHERS_LIMIT) return `others used ${others.toFixed(2)} processors`;
  if (transactions > TRANSACTIONS_LIMIT)
    return `other databases ended ${transactions.toFixed(0)} transactions a second`;
  return undefined;
}

/** What machine and benchmark have used so far; the server of Postgres is part of the benchmark. */
async function snapshot({ databases, postmaster }) {
  return {
    at: performance.now() / 1_000,
    busy: machineSeconds().busy,
    own: secondsOfTree(process.pid) + (postmaster ? secondsOfTree(postmaster) : 0),
    transactions: await databases.transactionsOfOthers(),
  };
}

/** Waits until the machine is quiet, or the limit has passed. */
async function quiet(limitMs) {
  for (const begin = performance.now(); performance.now() - begin < limitMs; ) {
    const before = machineSeconds().busy;
    await delay(QUIET_MS);
    if (!(machineSeconds().busy - before > (QUIET_PROCESSORS * QUIET_MS) / 1_000)) return;
  }
}
