import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { PrismaService } from '../../platform/database/prisma.service.js';
import { SecretBox } from '../../platform/secrets/secret-box.js';
import { PosClient } from '../../pos/client.js';
import { PosHttp } from '../../pos/http-transport.js';
import { PosTokens } from '../../pos/tokens.js';
import type { CheckView } from './check.views.js';

/** Runs the doctor's checks of a restaurant inside the relay (R8). */
@Injectable()
export class CheckService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly config: Config,
    private readonly box: SecretBox,
    private readonly http: PosHttp,
    private readonly client: PosClient,
    private readonly tokens: PosTokens,
  ) {}

  /** Checks a restaurant within POS_TIMEOUT_MS plus 2 s. @throws the database's error when the database does not answer */
  async run(restaurantId: string): Promise<CheckView[]> {
    // these modules are loaded by the first check, not at the start
    const [{ examineRestaurantById }, { messageOf }, { ADVICE }] = await Promise.all([
      import('./restaurant-examination.js'),
      import('./findings.js'),
      import('./words.js'),
    ]);
    const { prisma, config, box, http, client, tokens } = this;
    const database = {
      query: <Row>(sql: string, values: unknown[] = []) => prisma.$queryRawUnsafe<Row[]>(sql, ...values),
    };
    const found = await examineRestaurantById(restaurantId, { config, box, database, http, client, tokens });
    return found.map((one) => ({ ...one, message: messageOf(one), advice: ADVICE[one.code] }));
  }
}
