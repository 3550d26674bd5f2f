import { Injectable } from '@nestjs/common';
import { founderSql } from '../../auth/founder.js';
import { Batcher } from '../../platform/database/batch/batcher.js';
import type { BatchedRow } from '../../platform/database/batch/row-queue.js';
import { within } from '../../platform/database/deadline.js';
import { preparedStatement } from '../../platform/database/prepared.js';
import { PrismaService } from '../../platform/database/prisma.service.js';

/** A restaurant that a user owns. */
export interface OwnedRestaurant {
  readonly id: string;
  /** whether the link is own (W32), not made by others */
  readonly own: boolean;
  readonly codeStoreTerminal: string | null;
}

/** A user who may send transactions, and the restaurants they own: a row of the view `owners`. */
export interface Owner {
  readonly id: string;
  readonly email: string;
  readonly tokenVersion: number;
  readonly passwordHash: string;
  /** the account for which its sales take turns (O44): at the beginning of the chain of accounts that created each other */
  readonly party: string;
  readonly restaurants: readonly OwnedRestaurant[];
}

interface Wanted extends BatchedRow {
  readonly value: string;
}

/** Limit of a read, in ms, waiting included: with the storing of the sale an answer takes at most 10 s (W25). */
const READ_LIMIT_MS = 5_000;
/** Concurrent statements, and the most users that one reads. */
const READS = { parallel: 2, most: 100, retry: false } as const;

const COLUMNS = `SELECT id::text, email, token_version AS "tokenVersion", password_hash AS "passwordHash", restaurants,
  coalesce(${founderSql('owners.id')}, id::text) AS party FROM owners`;
const BY_ID = preparedStatement('owners_by_id', `${COLUMNS} WHERE id = ANY ($1::uuid[])`);
const BY_EMAIL = preparedStatement('owners_by_email', `${COLUMNS} WHERE email = ANY ($1::text[])`);

/** Reads the users who send transactions, once for each sale; sales that arrive together share a statement (W28). */
@Injectable()
export class Owners {
  private readonly byId = this.reader(BY_ID, 'id');
  private readonly byEmail = this.reader(BY_EMAIL, 'email');

  constructor(private readonly prisma: PrismaService) {}

  /** @returns undefined when there is no such user */
  ofId(id: string): Promise<Owner | undefined> {
    return read(this.byId, id);
  }

  /** @param email normalised @returns undefined when there is no such user */
  ofEmail(email: string): Promise<Owner | undefined> {
    return read(this.byEmail, email);
  }

  private reader(statement: typeof BY_ID, key: 'id' | 'email'): Batcher<Wanted, Owner | undefined> {
    return new Batcher<Wanted, Owner | undefined>(async (wanted) => {
      const owners = await this.prisma.prepared<Owner>(statement, [[...new Set(wanted.map(({ value }) => value))]]);
      const found = new Map(owners.map((owner) => [owner[key], owner]));
      return wanted.map(({ value }) => found.get(value));
    }, READS);
  }
}

function read(owners: Batcher<Wanted, Owner | undefined>, value: string): Promise<Owner | undefined> {
  return within(READ_LIMIT_MS, owners.add({ value, length: value.length, keys: [], source: value }));
}
