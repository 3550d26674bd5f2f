import type { DatabaseClock } from '../../../src/platform/database/clock.js';
import type { PreparedStatement } from '../../../src/platform/database/prepared.js';
import { PrismaService } from '../../../src/platform/database/prisma.service.js';
import type { OldRows, Removal } from '../../../src/platform/schedule/old-rows.js';
import type { Rounds } from '../../../src/platform/schedule/rounds.js';
import { Silence } from '../../../src/webhook/silence/silence.js';
import type { Scenario } from '../../support/scenario.js';

/** The relay's counting of sales, with a clock that a test sets: that of the database and of this machine. */
export class CountedHours {
  /** by how much this machine's clock differs from that of the database, in ms; null: it is not trusted */
  differsMs: number | null = 0;

  constructor(private readonly opened: () => Scenario) {}

  private at(time: string): { readonly silence: Silence; readonly removals: readonly Removal[] } {
    const now = new Date(time).toISOString();
    const trusted = this.differsMs === null ? null : Date.parse(now) + this.differsMs;
    const prepared = ({ text }: PreparedStatement, values: readonly unknown[]) =>
      this.opened()
        .relay.get(PrismaService)
        .unprepared(text.replaceAll('now()', `'${now}'::timestamptz`), values);
    const removals: Removal[] = [];
    const silence = new Silence(
      { prepared } as unknown as PrismaService,
      { trusted } as DatabaseClock,
      { add: () => {} } as unknown as Rounds,
      { add: (removal: Removal) => removals.push(removal) } as unknown as OldRows,
      new AbortController().signal,
    );
    silence.onModuleInit();
    return { silence, removals };
  }

  /** A round at this time, ISO 8601. */
  round = (time: string): Promise<void> => this.at(time).silence.run();

  /** Rounds at these times, one after the other. */
  async rounds(...times: string[]): Promise<void> {
    for (const time of times) await this.round(time);
  }

  /** @returns how many counts were removed */
  removeOld = async (time: string): Promise<number> => (await this.at(time).removals[0]?.remove()) ?? 0;
}
