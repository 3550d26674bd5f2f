import { Injectable } from '@nestjs/common';
import { type CodeKind, NO_CODES, type PosCodes, type PosName } from '../domain/pos-codes.js';
import { preparedStatement } from '../platform/database/prepared.js';
import { PrismaService } from '../platform/database/prisma.service.js';

/** The characters of all codes that an instance keeps, and what a code takes beside its texts (L232). */
const MOST_KEPT = 16_777_216;
const OF_EACH = 100;

/** Version and codes come from one snapshot. */
const READ_CODES = preparedStatement(
  'pos_codes',
  `SELECT codes_version AS version, default_item_code AS "defaultItem",
     coalesce((SELECT json_agg(json_build_array(kind, terminal_code, pos_code, name)) FROM pos_codes WHERE restaurant_id = restaurant.id), '[]') AS codes
   FROM restaurants restaurant WHERE id = $1::uuid`,
);
type CodeRow = readonly [kind: CodeKind, terminalCode: string, posCode: string, name: string | null];

interface Known {
  readonly version: number;
  readonly codes: PosCodes;
  /** characters that they take */
  readonly size: number;
}

/** The restaurant and the version of its codes, as the claim of an order returns them (I4). */
export interface CodesOf {
  readonly restaurantId: string;
  /** of the restaurant's codes; 0: it has never had any */
  readonly codesVersion: number;
}

/**
 * The codes of restaurants at their POS (I4). An instance reads those of a restaurant once for each version, and keeps what fits into a bound. Without
 * codes nothing is read.
 */
@Injectable()
export class RestaurantCodes {
  /** by restaurant, the one used least recently first */
  private readonly kept = new Map<string, Known>();
  private size = 0;
  /** reads that are under way */
  private readonly reading = new Map<string, Promise<Known>>();

  constructor(private readonly prisma: PrismaService) {}

  /**
   * The codes of this version or of a later one.
   * @returns at once what is known
   * @throws the database's error
   */
  of({ restaurantId, codesVersion }: CodesOf): PosCodes | Promise<PosCodes> {
    if (codesVersion === 0) return NO_CODES;
    const known = this.kept.get(restaurantId);
    if (known === undefined || known.version < codesVersion) return this.readAtLeast(restaurantId, codesVersion);
    this.kept.delete(restaurantId);
    this.kept.set(restaurantId, known);
    return known.codes;
  }

  /** The codes of this version, if they are in memory. */
  known({ restaurantId, codesVersion }: CodesOf): PosCodes | undefined {
    const known = this.kept.get(restaurantId);
    return known?.version === codesVersion ? known.codes : undefined;
  }

  private async readAtLeast(restaurantId: string, version: number): Promise<PosCodes> {
    const shared = await this.reading.get(restaurantId);
    // the read may have begun before the change
    if (shared !== undefined && shared.version >= version) return shared.codes;
    const reading = this.reading.get(restaurantId) ?? this.begin(restaurantId);
    return (await reading).codes;
  }

  private begin(restaurantId: string): Promise<Known> {
    const reading = this.read(restaurantId)
      .then((known) => this.keep(restaurantId, known))
      .finally(() => this.reading.delete(restaurantId));
    this.reading.set(restaurantId, reading);
    return reading;
  }

  private async read(restaurantId: string): Promise<Known> {
    type Row = { version: number; defaultItem: string | null; codes: CodeRow[] };
    const [row] = await this.prisma.prepared<Row>(READ_CODES, [restaurantId]);
    const items = new Map<string, PosName>();
    const tenders = new Map<string, PosName>();
    let size = OF_EACH;
    for (const [kind, terminalCode, code, name] of row?.codes ?? []) {
      (kind === 'ITEM' ? items : tenders).set(terminalCode, { code, name });
      size += OF_EACH + terminalCode.length + code.length + (name?.length ?? 0);
    }
    return { version: row?.version ?? 0, codes: { items, tenders, defaultItem: row?.defaultItem ?? null }, size };
  }

  private keep(restaurantId: string, read: Known): Known {
    const before = this.kept.get(restaurantId);
    // another read, which began later, may have ended first
    if (before !== undefined && before.version > read.version) return before;
    this.forget(restaurantId);
    this.kept.set(restaurantId, read);
    this.size += read.size;
    for (const id of this.kept.keys()) {
      if (this.size <= MOST_KEPT || id === restaurantId) break;
      this.forget(id);
    }
    return read;
  }

  private forget(restaurantId: string): void {
    this.size -= this.kept.get(restaurantId)?.size ?? 0;
    this.kept.delete(restaurantId);
  }
}
