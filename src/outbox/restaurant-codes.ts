import { Injectable } from '@nestjs/common';
import {
  CODE_LENGTH,
  type CodeKind,
  itemCodesOf,
  NO_CODES,
  type PosCodes,
  type PosName,
  tenderKeys,
} from '../domain/pos-codes.js';
import { readEvidence } from '../domain/sent-fields.js';
import { entriesOf, type JsonObject } from '../domain/transaction.js';
import { preparedStatement } from '../platform/database/prepared.js';
import { PrismaService } from '../platform/database/prisma.service.js';

/** The characters of all codes that an instance keeps, and what a code takes beside its texts (L232). */
const MOST_KEPT = 16_777_216;
const OF_EACH = 100;

/** A restaurant with more codes is not kept: those of each order are looked up (L214). */
const MOST_READ = 1_000;

const CODE = 'json_build_array(kind, terminal_code, pos_code, name)';

/** Version and codes come from one snapshot. Codes are null when there are more than {@link MOST_READ}. */
const READ_CODES = preparedStatement(
  'pos_codes',
  `SELECT codes_version AS version, default_item_code AS "defaultItem",
     CASE WHEN (SELECT count(*) FROM (SELECT FROM pos_codes WHERE restaurant_id = restaurant.id LIMIT ${MOST_READ + 1}) AS counted) <= ${MOST_READ}
       THEN coalesce((SELECT json_agg(${CODE}) FROM pos_codes WHERE restaurant_id = restaurant.id), '[]') END AS codes
   FROM restaurants restaurant WHERE id = $1::uuid`,
);

/** Each code by its whole key (decisions/032). $2: codes of items; $3: of tenders */
const LOOK_UP = preparedStatement(
  'pos_codes_of_sale',
  `SELECT codes_version AS version, default_item_code AS "defaultItem", coalesce((
     SELECT json_agg(${CODE})
     FROM (SELECT 'ITEM'::code_kind AS wanted_kind, unnest($2::text[]) AS code UNION ALL SELECT 'TENDER'::code_kind, unnest($3::text[])) AS wanted, LATERAL (
       SELECT * FROM pos_codes WHERE restaurant_id = restaurant.id AND kind = wanted.wanted_kind AND terminal_code = wanted.code OFFSET 0) AS known), '[]') AS codes
   FROM restaurants restaurant WHERE id = $1::uuid`,
);
type CodeRow = readonly [kind: CodeKind, terminalCode: string, posCode: string, name: string | null];

interface Row {
  readonly version: number;
  readonly defaultItem: string | null;
  readonly codes: readonly CodeRow[] | null;
}

interface Known {
  readonly version: number;
  /** null: those of each order are looked up */
  readonly codes: PosCodes | null;
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
   * The codes of this version or of a later one: all of them, or those that the sale needs when there are more than L214.
   * @param payload of the sale, as stored
   * @returns at once what is known
   * @throws the database's error
   */
  of({ restaurantId, codesVersion }: CodesOf, payload: JsonObject): PosCodes | Promise<PosCodes> {
    if (codesVersion === 0) return NO_CODES;
    const known = this.kept.get(restaurantId);
    if (known === undefined || known.version < codesVersion)
      return this.readAtLeast(restaurantId, codesVersion).then(
        ({ codes }) => codes ?? this.lookUp(restaurantId, payload),
      );
    this.kept.delete(restaurantId);
    this.kept.set(restaurantId, known);
    return known.codes ?? this.lookUp(restaurantId, payload);
  }

  /** The codes of this version, as they are in memory; null: they are too many to be kept (L214); undefined: not read. */
  known({ restaurantId, codesVersion }: CodesOf): PosCodes | null | undefined {
    const known = this.kept.get(restaurantId);
    return known?.version === codesVersion ? known.codes : undefined;
  }

  /** Reads the codes of this version into memory. @throws the database's error */
  async preload({ restaurantId, codesVersion }: CodesOf): Promise<void> {
    await this.readAtLeast(restaurantId, codesVersion);
  }

  private async readAtLeast(restaurantId: string, version: number): Promise<Known> {
    const shared = await this.reading.get(restaurantId);
    // the read may have begun before the change
    if (shared !== undefined && shared.version >= version) return shared;
    return this.reading.get(restaurantId) ?? this.begin(restaurantId);
  }

  private begin(restaurantId: string): Promise<Known> {
    const reading = this.read(restaurantId)
      .then((known) => this.keep(restaurantId, known))
      .finally(() => this.reading.delete(restaurantId));
    this.reading.set(restaurantId, reading);
    return reading;
  }

  private async lookUp(restaurantId: string, payload: JsonObject): Promise<PosCodes> {
    const items = [...itemCodesOf(payload.items)].filter(({ length }) => length <= CODE_LENGTH);
    const tenders = entriesOf(payload.payments).flatMap((payment) =>
      tenderKeys(payment.tenderType, readEvidence(payment, '', [])?.brand),
    );
    const [row] = await this.prisma.prepared<Row>(LOOK_UP, [restaurantId, items, [...new Set(tenders)]]);
    return codesIn(row).codes;
  }

  private async read(restaurantId: string): Promise<Known> {
    const [row] = await this.prisma.prepared<Row>(READ_CODES, [restaurantId]);
    const { codes, size } = codesIn(row);
    return { version: row?.version ?? 0, codes: row?.codes === null ? null : codes, size };
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

/** The codes of a row, and the characters that they take. */
function codesIn(row: Row | undefined): { readonly codes: PosCodes; readonly size: number } {
  const items = new Map<string, PosName>();
  const tenders = new Map<string, PosName>();
  let size = OF_EACH;
  for (const [kind, terminalCode, code, name] of row?.codes ?? []) {
    (kind === 'ITEM' ? items : tenders).set(terminalCode, { code, name });
    size += OF_EACH + terminalCode.length + code.length + (name?.length ?? 0);
  }
  return { codes: { items, tenders, defaultItem: row?.defaultItem ?? null }, size };
}
