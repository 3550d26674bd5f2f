import { Injectable } from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';
import { JwtKey } from '../../auth/jwt.key.js';
import { hasDigest } from '../../auth/sender-keys/token.js';
import { isUuid } from '../../domain/text.js';
import { PrismaService } from '../../platform/database/prisma.service.js';
import { TokenLookUps, type TokenSender } from '../../platform/http/limits/token-look-ups.js';
import { problem } from '../../platform/http/problem.js';

/** The audience of the tokens: one of a person is none of these (A37), and these are none of a person. */
const AUDIENCE = 'open-delivery';
/** How long a token is valid, in seconds (L261). It also ends with its credentials, which every request reads. */
export const TOKEN_SECONDS = 3_600;

/** Who a token stands for. */
export interface PosPrincipal {
  readonly credentialId: string;
  readonly restaurantId: string;
  /** whose restaurants take turns as one (O44, Q11); undefined: the restaurant counts for itself */
  readonly foundedBy?: string | undefined;
}

interface Claims {
  readonly sub?: unknown;
  readonly res?: unknown;
  readonly own?: unknown;
}

/** The tokens with which a POS asks for its orders (Q3). */
@Injectable()
export class PosTokens {
  private readonly jwt: JwtService;

  constructor(
    { secret, algorithm }: JwtKey,
    private readonly prisma: PrismaService,
    private readonly lookUps: TokenLookUps,
  ) {
    this.jwt = new JwtService({
      secret,
      signOptions: { algorithm, expiresIn: TOKEN_SECONDS, audience: AUDIENCE },
      verifyOptions: { algorithms: [algorithm], audience: AUDIENCE },
    });
  }

  /** @throws 401 UNAUTHENTICATED: the credentials are wrong or have ended; 503 TOO_MANY_AT_ONCE */
  async issue(clientId: string, clientSecret: string, sender: TokenSender): Promise<string> {
    const found = isUuid(clientId)
      ? await this.lookUps.run(
          sender,
          () => this.prisma.$queryRaw<{ restaurantId: string; secretHash: string; foundedBy: string | null }[]>`
            SELECT restaurant_id::text AS "restaurantId", secret_hash AS "secretHash",
              (SELECT founded_by::text FROM restaurants WHERE id = restaurant_id) AS "foundedBy"
            FROM live_pos_credentials WHERE id = ${clientId}::uuid`,
        )
      : [];
    const [credential] = found;
    if (!credential || !hasDigest(clientSecret, credential.secretHash))
      throw problem('UNAUTHENTICATED', 'client_id or client_secret is wrong, or the credentials have ended');
    const { restaurantId: res, foundedBy } = credential;
    return this.jwt.signAsync({ sub: clientId, res, ...(foundedBy !== null && { own: foundedBy }) });
  }

  /** @returns undefined when the token is none of these, or has expired. Its credentials may have ended. */
  async principalOf(token: string): Promise<PosPrincipal | undefined> {
    const claims = await this.jwt.verifyAsync<Claims>(token).catch(() => undefined);
    if (typeof claims?.sub !== 'string' || typeof claims.res !== 'string') return undefined;
    const { sub, res, own } = claims;
    return { credentialId: sub, restaurantId: res, foundedBy: typeof own === 'string' ? own : undefined };
  }
}
