import fc from 'fast-check';
import { histories, type Theme } from './commands.js';
import type { SimulatedDatabase } from './database.js';
import { drain, judgeEnd } from './ending.js';
import { type Kind, World } from './world.js';

const kindsOf = (theme: Theme): fc.Arbitrary<Kind> =>
  fc.record({
    pace: fc.constantFrom('tick', 'eager'),
    batchSize: fc.constantFrom(4, 1),
    refusesDuplicates: fc.boolean(),
    asks: fc.boolean(),
    pulls: fc.constant(theme === 'pulling'),
  });

/** The same histories every time, so that a change fails by its own doing; another number, or `random`, tries others. */
const SEED = process.env.SIMULATION_SEED ?? '2026';

/** A world, and what is to happen in it. */
export type Try = [Kind, Iterable<fc.AsyncCommand<World, World>>];

/** Random histories of a theme, each in an empty database; of one that breaks a rule the shortest is sought and told. */
export class Simulation {
  readonly tries: fc.Arbitrary<Try>;

  constructor(
    private readonly database: SimulatedDatabase,
    private readonly theme: Theme,
  ) {
    this.tries = this.triesFrom();
  }

  private triesFrom(replayPath?: string): fc.Arbitrary<Try> {
    return fc.tuple(kindsOf(this.theme), histories(this.theme, replayPath));
  }

  /**
   * @param replay what an earlier failure of this theme has printed: that history only
   * @throws Error with the broken rule, the shortest history that breaks it, and how to see it again
   */
  async assert(runs: number, replay?: string): Promise<void> {
    // a path of commands may have slashes of its own
    const [theme, seed, path, ...commands] = replay?.split('/') ?? [];
    if (replay && theme !== this.theme) return;
    let failed: World | undefined;
    const property = fc.asyncProperty(this.triesFrom(commands.join('/') || undefined), async (each) => {
      const world = await this.run(each);
      if (!world.broken) return;
      failed = world;
      throw world.broken;
    });
    const parameters = replay
      ? { seed: Number(seed), path: path as string, endOnFailure: true }
      : { numRuns: runs, ...(SEED === 'random' ? {} : { seed: Number(SEED) }) };
    const result = await fc.check(property, parameters);
    if (result.failed && failed) throw new Error(report(this.theme, failed, result));
    if (result.failed) throw new Error(fc.defaultReportMessage(result));
  }

  /** Lets everything happen, and then everything end. @returns the world afterwards, with the error that it ended in */
  async run([kind, commands]: Try): Promise<World> {
    const world = new World(this.database, kind);
    world.time.install();
    try {
      await this.database.empty(kind.pulls);
      await fc.asyncModelRun(() => ({ model: world, real: world }), commands);
      await drain(world);
      judgeEnd(world);
    } catch (error) {
      world.broken = error as Error;
    } finally {
      world.time.remove();
    }
    return world;
  }
}

function report(theme: Theme, { broken, history, kind }: World, result: fc.RunDetails<[Try]>): string {
  const commands = String(result.counterexample?.[0][1]);
  const [, replayPath] = /replayPath="([^"]*)"/.exec(commands) ?? [];
  const pos = `${kind.refusesDuplicates ? 'refuses' : 'cooks'} duplicates${kind.asks ? ' and is asked' : ''}`;
  return [
    String(broken?.message),
    '',
    `the shortest history, found after ${result.numRuns} (OUTBOX_PACE=${kind.pace}, ${kind.batchSize} slots, a POS that ${pos}):`,
    ...numbered(history),
    '',
    'see it again:',
    `SIMULATION_REPLAY='${theme}/${result.seed}/${result.counterexamplePath}/${replayPath}' npx jest test/outbox/interleavings`,
  ].join('\n');
}

/** A number for each step; what it changed stands below it. */
function numbered(history: readonly string[]): string[] {
  let step = 0;
  return history.map((line) => (line.startsWith(' ') ? `      ${line}` : `${String(++step).padStart(4)}  ${line}`));
}
