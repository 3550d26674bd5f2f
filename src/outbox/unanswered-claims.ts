/** A claim whose statement has no answer yet, or none that was heard. */
interface UnansweredClaim {
  readonly locks: readonly string[];
  /** when its locks were first released, in ms */
  releasedAt?: number;
}

/**
 * The claims of this instance that were not answered. The jobs that such a statement may have claimed do not wait until their lease
 * expires: their locks, which are known before the statement, are released. The statement may still be on its way then, so they
 * are released again until a statement's deadline has passed since.
 */
export class UnansweredClaims {
  private readonly claims = new Set<UnansweredClaim>();

  /**
   * @param releaseLocks releases the jobs that hold one of these locks; returns how many those were
   * @param deadlineMs of a statement
   * @param now a clock, in ms
   */
  constructor(
    private readonly releaseLocks: (locks: readonly string[]) => Promise<number>,
    private readonly deadlineMs: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** A claim begins. @returns to be called when it is answered */
  begin(locks: readonly string[]): () => void {
    const claim: UnansweredClaim = { locks };
    this.claims.add(claim);
    return () => this.claims.delete(claim);
  }

  /**
   * Releases what they may have claimed.
   * @returns how many jobs; undefined when there is nothing to say: no claim, or one that was released before and claimed nothing since
   * @throws the database's error: the next call tries again
   */
  async release(): Promise<number | undefined> {
    const claims = [...this.claims];
    if (claims.length === 0) return undefined;
    const released = await this.releaseLocks(claims.flatMap(({ locks }) => locks));
    const isNew = claims.some(({ releasedAt }) => releasedAt === undefined);
    for (const claim of claims) {
      claim.releasedAt ??= this.now();
      if (this.now() - claim.releasedAt >= this.deadlineMs) this.claims.delete(claim);
    }
    return isNew || released > 0 ? released : undefined;
  }
}
