import { Injectable } from '@nestjs/common';
import { BoundedMap } from '../../auth/bounded-map.js';
import { preparedStatement } from '../../database/prepared.js';
import { PrismaService } from '../../database/prisma.service.js';

/** A restaurant that a user owns. */
export interface OwnedRestaurant {
  readonly id: string;
  /** whether the link is own (W32), not made by others */
  readonly own: boolean;
  readonly codeStoreTerminal: string | null;
  readonly codeStorePos: string | null;
}

/** A user who may send transactions, and the restaurants they own: a row of the view `owners`. */
export interface Owner {
  readonly id: string;
  readonly email: string;
  readonly tokenVersion: number;
  readonly passwordHash: string;
  readonly restaurants: readonly OwnedRestaurant[];
  /** digest of these columns; the statement that stores a sale checks that the digest in the database is still the same (W28) */
  readonly state: string;
}

/** The most users in the cache. */
const MAX_REMEMBERED = 10_000;

const COLUMNS =
  'id::text, email, token_version AS "tokenVersion", password_hash AS "passwordHash", restaurants, state FROM owners';
const READ = preparedStatement('owner', `SELECT ${COLUMNS} WHERE id = $1::uuid`);
const READ_BY_EMAIL = preparedStatement('owner_by_email', `SELECT ${COLUMNS} WHERE email = $1`);

/**
 * The users who send transactions, with a cache. A sale of a cached user needs one statement, which checks the cached row again and stores
 * the sale (W28).
 */
@Injectable()
export class Owners {
  private readonly byId = new BoundedMap<Owner>(MAX_REMEMBERED);
  private readonly idOfEmail = new BoundedMap<string>(MAX_REMEMBERED);

  constructor(private readonly prisma: PrismaService) {}

  /** The cached user, as last read from the database; undefined when the user is not in the cache. */
  remembered(id: string): Owner | undefined {
    return this.byId.get(id);
  }

  /** The cached user with this email. @param email normalised */
  rememberedByEmail(email: string): Owner | undefined {
    const owner = this.byId.get(this.idOfEmail.get(email) ?? '');
    return owner?.email === email ? owner : undefined;
  }

  /** Reads a user from the database and caches the user. @returns undefined when there is no such user */
  async read(id: string): Promise<Owner | undefined> {
    const [owner] = await this.prisma.prepared<Owner>(READ, [id]);
    if (owner) this.remember(owner);
    else this.byId.delete(id);
    return owner;
  }

  /** Like {@link read}, by email. @param email normalised */
  async readByEmail(email: string): Promise<Owner | undefined> {
    const [owner] = await this.prisma.prepared<Owner>(READ_BY_EMAIL, [email]);
    if (owner) this.remember(owner);
    return owner;
  }

  private remember(owner: Owner): void {
    this.byId.set(owner.id, owner);
    this.idOfEmail.set(owner.email, owner.id);
  }
}
