import { resolve } from 'node:path';
import { readArguments, wholeNumber } from '../../../tools/command-line.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

export const HELP = `npm run bench -- [options]

  --case NAMES      only these, separated by commas: road, ingest, drain, latency, history,
                      tenants, consoles, readers, polls, pause, keys, flood, neighbour, embedded,
                      year, size, catalogue
  --peer NAMES      only these peers; none: only the relay and its ceiling
  --relay DIR       the built repository of the relay, default: this one; NAME=DIR, several times, to compare versions
  --rounds N        rounds, default 5 of a case with targets, 3 if they are costs, else 1
  --repeats N       how often a round that other load spoiled is repeated, default 5
  --quick           short runs, for a look: few jobs, one round, nothing is repeated
  --traces          the case road: the last version also with a collector, which gets the spans of every sale
  --huge            the case history also with ten million delivered orders
  --setting TEXT    only settings that contain this text
  --write           write docs/benchmarks.md afterwards, of one commit: without --case what the targets need (90 minutes,
                      with --quick 15), and with it all of these cases

BENCH_DATABASE_URL  a Postgres on this machine whose user may create databases; default
                    postgresql://postgres@127.0.0.1:5432/postgres`;

/** @returns `rounds`: undefined when the case decides @throws with what is wrong with them */
export function readOptions(argv, { cases, peers }) {
  const values = readArguments(argv, {
    case: { type: 'string' },
    peer: { type: 'string' },
    relay: { type: 'string', multiple: true, default: [ROOT] },
    rounds: { type: 'string' },
    repeats: { type: 'string' },
    setting: { type: 'string', default: '' },
    quick: { type: 'boolean', default: false },
    huge: { type: 'boolean', default: false },
    traces: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  });
  const { quick, huge, traces, write, help, setting } = values;
  const isPage = write && values.case === undefined;
  return {
    // the targets name a history of ten million
    ...{ quick, traces, write, help, setting, isPage, huge: huge || (isPage && !quick) },
    cases: named('--case', values.case, cases),
    peers: values.peer === 'none' ? [] : named('--peer', values.peer, peers),
    relays: values.relay.map(readRelay),
    rounds: values.rounds === undefined ? undefined : wholeNumber('rounds', values.rounds),
    repeats: wholeNumber('repeats', values.repeats ?? (quick ? '0' : '5')),
    quietMs: quick ? 3_000 : 120_000,
    databaseUrl: localUrl(process.env.BENCH_DATABASE_URL),
  };
}

/** `DIR` or `NAME=DIR` */
function readRelay(text) {
  const [, name = 'relay', directory] = /^(?:([\w.-]+)=)?(.+)$/.exec(text);
  return { name, directory: resolve(process.env.INIT_CWD ?? '.', directory) };
}

function named(option, text, known) {
  const names = text?.split(',') ?? known;
  for (const name of names)
    if (!known.includes(name)) throw new Error(`${option}: there is no ${name}, only ${known.join(', ')}`);
  return names;
}

/** BENCH_DATABASE_URL, or its default. The load stays on this machine. */
export function localUrl(text = 'postgresql://postgres@127.0.0.1:5432/postgres') {
  const { hostname } = new URL(text);
  if (!['127.0.0.1', 'localhost', '[::1]'].includes(hostname))
    throw new Error('BENCH_DATABASE_URL: must be on this machine (127.0.0.1)');
  return text;
}
