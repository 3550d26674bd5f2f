import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { Config } from '../config.js';
import { Log } from '../log.js';
import { EmbeddedDatabase } from './embedded.js';
import { PrismaClient } from './generated/client.js';
import { migrate } from './migrations.js';

/** A burst of changes to one restaurant waits for its turn rather than fail. */
const TRANSACTION = { maxWait: 15_000, timeout: 15_000 };

/**
 * The one Prisma client of the process, on a Postgres server or on the embedded default; migrated before anyone gets it.
 * It closes last, in onApplicationShutdown: requests and deliveries that are still finishing need it.
 */
@Injectable()
export class Prisma extends PrismaClient implements OnApplicationShutdown {
  private constructor(
    private readonly pool: pg.Pool,
    private readonly embedded: EmbeddedDatabase | undefined,
  ) {
    super({ adapter: new PrismaPg(pool), transactionOptions: TRANSACTION });
  }

  /** @throws EmbeddedDatabaseError, MigrationError, or the driver's error when the server does not answer */
  static async open(config: Config, log: Log): Promise<Prisma> {
    const embedded = config.databaseUrl ? undefined : await EmbeddedDatabase.open(config.dataDir);
    const pool = new pg.Pool({
      connectionString: config.databaseUrl ?? embedded?.url,
      max: config.databasePoolSize,
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
      application_name: 'relay',
      // the adapter reads timestamps as UTC, whatever offset they carry
      options: '-c timezone=UTC',
    });
    pool.on('error', (error) => log.warn({ event: 'database.connection_lost', error: error.message }));
    const prisma = new Prisma(pool, embedded);
    try {
      await prisma.migrate(log);
      await prisma.$connect();
    } catch (error) {
      await prisma.onApplicationShutdown();
      throw error;
    }
    if (embedded) log.info({ event: 'database.embedded', dataDir: config.dataDir, psql: embedded.psql });
    return prisma;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.$disconnect();
    await this.pool.end();
    await this.embedded?.close();
  }

  private async migrate(log: Log): Promise<void> {
    const client = await this.pool.connect();
    try {
      const applied = await migrate(client);
      if (applied.length > 0) log.info({ event: 'database.migrated', applied });
    } finally {
      client.release();
    }
  }
}
