import { Injectable } from '@nestjs/common';
import { Log } from '../log.js';
import { Metrics } from '../metrics.js';
import { JobStore } from './job-store.js';

const BATCH = 500;

/** Every 20 seconds: returns jobs whose worker died, hung or was cut off longer than a lease ago. */
@Injectable()
export class Reaper {
  private running = false;

  constructor(
    private readonly jobs: JobStore,
    private readonly metrics: Metrics,
    private readonly log: Log,
  ) {}

  async reap(): Promise<void> {
    if (this.running) return;
    this.running = true;
    try {
      let expired = await this.jobs.expireLeases(BATCH);
      while (expired.length > 0) {
        this.metrics.expiredLeases.inc(expired.length);
        for (const { id, ...job } of expired) this.log.warn({ event: 'outbox.lease_expired', job: id, ...job });
        expired = expired.length === BATCH ? await this.jobs.expireLeases(BATCH) : [];
      }
    } finally {
      this.running = false;
    }
  }
}
