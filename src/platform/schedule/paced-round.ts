import { type Pace, SLOW_PACE_SECONDS } from './pace.js';

/**
 * A round of reads for pages or senders that wait. A round is skipped while the last one runs; while the process is busy, rounds run as
 * rarely as pages may poll then (N9): sales come first.
 */
export class PacedRound {
  private isRunning = false;
  private ranAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly pace: Pace,
    private readonly run: () => Promise<void>,
  ) {}

  /** Runs a round if one may run now. @throws the error of the round */
  async next(): Promise<void> {
    const now = performance.now();
    if (this.isRunning || (this.pace.isBusy() && now - this.ranAt < SLOW_PACE_SECONDS * 1_000)) return;
    this.isRunning = true;
    this.ranAt = now;
    try {
      await this.run();
    } finally {
      this.isRunning = false;
    }
  }
}
