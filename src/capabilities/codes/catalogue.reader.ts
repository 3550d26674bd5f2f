import { Injectable } from '@nestjs/common';
import { PrismaService } from '../../platform/database/prisma.service.js';
import type { CatalogueProductView, CatalogueView, QueryCatalogueDto } from './catalogue.dto.js';
import { searchedFor } from './rules/catalogue-file.js';

/** The catalogue of a restaurant that counts. */
export interface Catalogue {
  /** 0: it has none */
  readonly id: number;
  readonly count: number;
  readonly replacedAt: Date | null;
  readonly replacedBy: string | null;
}

const CURRENT = `SELECT restaurant.catalogue_id AS id, coalesce(products, 0) AS count, replaced_at AS "replacedAt", replaced_by AS "replacedBy"
  FROM restaurants restaurant LEFT JOIN pos_catalogues known ON known.id = restaurant.catalogue_id WHERE restaurant.id = $1::uuid`;

/** One catalogue is read along its primary key: at most L237 rows, whatever other restaurants have. */
const PAGE = `SELECT code, name, price_cents::float8 AS "priceCents" FROM pos_catalogue
  WHERE catalogue_id = $1::int AND code > $2::text
    AND ($3::text = '' OR starts_with(search, ' ' || $3::text) OR (cardinality($4::text[]) > 0 AND search LIKE ALL ($4::text[])))
  ORDER BY code LIMIT $5::int`;

/** Reads the catalogue of a restaurant (I15). */
@Injectable()
export class CatalogueReader {
  constructor(private readonly prisma: PrismaService) {}

  /** The catalogue that counts. */
  async current(restaurantId: string): Promise<Catalogue> {
    const [current] = await this.prisma.report<Catalogue>(CURRENT, [restaurantId]);
    return current ?? { id: 0, count: 0, replacedAt: null, replacedBy: null };
  }

  /** A page of the products that fit, by code. */
  async search(restaurantId: string, { search = '', limit, after = '' }: QueryCatalogueDto): Promise<CatalogueView> {
    const { id, count, replacedAt, replacedBy } = await this.current(restaurantId);
    const { code, words } = searchedFor(search);
    const patterns = words.map((word) => `%${word}%`);
    const rows =
      id === 0 ? [] : await this.prisma.report<CatalogueProductView>(PAGE, [id, after, code, patterns, limit + 1]);
    const data = rows.slice(0, limit);
    const next = rows.length > limit ? (data.at(-1)?.code ?? null) : null;
    return { data, meta: { limit, next, count, replacedAt, replacedBy } };
  }
}
