import { isDatabaseAway } from '../platform/database/errors.js';

/** A claim statement whose answer was lost. */
interface UnansweredClaim {
  readonly claimIds: readonly string[];
  /** when the jobs with these claim ids were first released, in ms */
  releasedAt?: number;
}

/**
 * The claim statements of this instance whose answer was lost. Jobs that such a statement may have claimed are released before their lease
 * ends, by their claim ids, which are known before the statement runs. The statement may still arrive at the database after the release,
 * so the release is repeated until the time limit of a statement has passed.
 */
export class UnansweredClaims {
  private readonly claims = new Set<UnansweredClaim>();

  /**
   * @param releaseClaims releases the jobs with one of these claim ids; returns their number
   * @param deadlineMs time limit of a statement, in ms
   * @param now a clock, in ms
   */
  constructor(
    private readonly releaseClaims: (claimIds: readonly string[]) => Promise<number>,
    private readonly deadlineMs: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Call it when a statement has failed. @param error its error; a statement that the database refused has claimed nothing */
  add(claimIds: readonly string[], error: unknown): void {
    if (claimIds.length > 0 && isDatabaseAway(error)) this.claims.add({ claimIds });
  }

  /**
   * Releases the jobs that unanswered statements may have claimed.
   * @returns the number of released jobs; undefined when there is no such statement, or a repeated release found no job
   * @throws the database's error: the next call tries again
   */
  async release(): Promise<number | undefined> {
    const claims = [...this.claims];
    if (claims.length === 0) return undefined;
    const released = await this.releaseClaims(claims.flatMap(({ claimIds }) => claimIds));
    const isNew = claims.some(({ releasedAt }) => releasedAt === undefined);
    for (const claim of claims) {
      claim.releasedAt ??= this.now();
      if (this.now() - claim.releasedAt >= this.deadlineMs) this.claims.delete(claim);
    }
    return isNew || released > 0 ? released : undefined;
  }
}
