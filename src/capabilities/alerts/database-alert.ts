import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { PrismaService } from '../../platform/database/prisma.service.js';
import { Log } from '../../platform/telemetry/log.js';
import { Channels } from '../channels/channel.js';
import { CLOSING_STEP, FIRST_STEP_AFTER_S } from './alert.js';
import { messageOf } from './message.js';

/** Time between two messages of one outage, in ms, and the most messages. */
const REPEAT_MS = 30 * 60_000;
const MOST_MESSAGES = 6;

interface Outage {
  readonly id: string;
  /** by performance.now(), ms */
  readonly since: number;
  messages: number;
  nextMessageAt: number;
}

/**
 * The alert of a database that is away (G10). No row can be written and no recipient be read then: each instance tells the platform's webhook,
 * whose address is in the environment. When the database is back, the alert is recorded, closed.
 */
@Injectable()
export class DatabaseAlert {
  private outage: Outage | undefined;

  constructor(
    private readonly prisma: PrismaService,
    private readonly channels: Channels,
    private readonly config: Config,
    private readonly log: Log,
  ) {}

  /** To be called every 10 s. @throws the database's error when the end of an outage cannot be recorded; the next call does it */
  async watch(): Promise<void> {
    const now = performance.now();
    if (await this.prisma.canWrite()) return this.end(now);
    this.outage ??= { id: randomUUID(), since: now, messages: 0, nextMessageAt: now + FIRST_STEP_AFTER_S * 1_000 };
    if (now < this.outage.nextMessageAt || this.outage.messages >= MOST_MESSAGES) return;
    this.outage.nextMessageAt = now + REPEAT_MS;
    this.outage.messages++;
    await this.tell(this.outage, 0);
  }

  private async end(now: number): Promise<void> {
    if (!this.outage) return;
    const { id, since, messages } = this.outage;
    const seconds = Math.round((now - since) / 1_000);
    const details = JSON.stringify({ name: this.config.instance, seconds });
    if (messages > 0)
      await this.prisma.$executeRaw`
        INSERT INTO alerts (id, kind, count, details, opened_at, closed_at)
        VALUES (${id}::uuid, 'DATABASE', 1, ${details}::jsonb, now() - ${seconds}::int * interval '1 second', now())
        ON CONFLICT (id) DO NOTHING`;
    const outage = this.outage;
    this.outage = undefined;
    if (messages > 0) await this.tell(outage, CLOSING_STEP, seconds);
  }

  private async tell({ id, messages }: Outage, step: number, seconds?: number): Promise<void> {
    const alert = {
      ...({ alertId: id, kind: 'DATABASE', cause: null, count: 1, restaurantId: null, restaurantName: null } as const),
      ...{
        timezone: null,
        currency: null,
        details: { name: this.config.instance, ...(seconds !== undefined && { seconds }) },
      },
    };
    const notification = { id: randomUUID(), step, channel: 'webhook', language: 'en' } as const;
    const message = messageOf({ ...alert, ...notification }, 0, undefined);
    const sent = await this.channels.send({ channel: 'webhook', restaurantId: null }, message);
    const line = { event: 'alert.database', alert: id, messages };
    if (sent.outcome === 'SENT') this.log.warn(line);
    else this.log.warn({ ...line, reason: sent.reason });
  }
}
