import v8 from 'node:v8';
import fc from 'fast-check';
import { THEMES, type Theme } from './interleavings/commands.js';
import { SimulatedDatabase } from './interleavings/database.js';
import { Simulation } from './interleavings/simulation.js';

/** How many histories are tried; .ci/run tries thousands. */
const RUNS = Number(process.env.SIMULATION_RUNS ?? 18);
/** As a failure prints it: tries that history again, and no other. */
const REPLAY = process.env.SIMULATION_REPLAY;

const themes = Object.keys(THEMES) as Theme[];
const LIMIT_MS = 900_000;

// over so many histories, compiling PGlite a second time, for speed, gains more than it costs (test/runner/worker.mjs)
if (RUNS > 1_000) v8.setFlagsFromString('--no-liftoff-only');

describe('any interleaving of worker, reaper, webhooks, cancels, operators and retention, with crashes between any two steps', () => {
  let database: SimulatedDatabase;

  beforeAll(async () => {
    database = await SimulatedDatabase.open();
  });
  afterAll(() => database.close());

  test.each(themes)(
    'keeps every rule; mostly: %s',
    (theme) => new Simulation(database, theme).assert(Math.ceil(RUNS / themes.length), REPLAY),
    LIMIT_MS,
  );

  test('the same history again takes the same steps, whatever was in the database before', async () => {
    const tries = themes.flatMap((theme) => {
      const simulation = new Simulation(database, theme);
      return fc.sample(simulation.tries, { numRuns: 4, seed: 7 }).map((each) => ({ simulation, each }));
    });
    const told: string[][] = [];
    for (const { simulation, each } of [...tries, ...tries.toReversed()])
      told.push((await simulation.run(each)).history);
    expect(told.slice(tries.length).toReversed()).toEqual(told.slice(0, tries.length));
    expect(told.flat().length).toBeGreaterThan(200);
  });
});
