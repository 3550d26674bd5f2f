import { Injectable } from '@nestjs/common';
import { type CodeDigests, notInCatalogue } from '../domain/catalogue.js';
import { NO_CODES } from '../domain/pos-codes.js';
import { BoundedMap } from '../platform/bounded-map.js';
import { PrismaService } from '../platform/database/prisma.service.js';
import { Log } from '../platform/telemetry/log.js';
import { RestaurantCodes } from './restaurant-codes.js';
import type { CatalogueWarnings, NewEvent } from './store/new-row.js';
import type { Place } from './store/place.js';

/** Limits of the cache (L240): bytes of all catalogues; overhead of each catalogue, in bytes; places whose restaurant is known. */
const MOST_KEPT = 16_777_216;
const OF_EACH = 200;
const MOST_PLACES = 10_000;

const READ_DIGESTS = `SELECT code_digests AS digests FROM pos_catalogues WHERE id = $1::int`;

/** What the statement that stores a sale says of its restaurant. */
export interface CatalogueOf {
  readonly restaurantId: string;
  readonly codesVersion: number;
  /** 0: the restaurant has none */
  readonly catalogueId: number;
}

/** The restaurant of a sale with the versions of its codes and of its catalogue, as the statement writes it, too. */
const basisOf = ({ restaurantId, codesVersion, catalogueId }: CatalogueOf) =>
  `${restaurantId}/${codesVersion}/${catalogueId}`;

/**
 * The catalogues of restaurants, for the warnings at the door (I16, I17). A sale is never held up for them: which restaurant it has, and with which
 * catalogue, is known from the sale before it from the same place. A catalogue never changes, so an instance reads one once, beside the sales.
 */
@Injectable()
export class RestaurantCatalogues {
  /** by place, of restaurants with a catalogue */
  private readonly places = new BoundedMap<CatalogueOf>(MOST_PLACES);
  /** by catalogue, the one used least recently first */
  private readonly known = new Map<number, CodeDigests>();
  private kept = 0;
  private reading = Promise.resolve();
  private readonly waiting = new Set<number>();

  constructor(
    private readonly prisma: PrismaService,
    private readonly codes: RestaurantCodes,
    private readonly log: Log,
  ) {}

  /** @returns the warnings of a sale; undefined: none, or what they need is not known yet */
  warningsOf({ place, sale: { order } }: NewEvent): CatalogueWarnings | undefined {
    const of = this.places.get(keyOf(place));
    if (of === undefined || !('items' in order)) return undefined;
    const digests = this.known.get(of.catalogueId);
    const codes = of.codesVersion === 0 ? NO_CODES : this.codes.known(of);
    // a restaurant with many codes has no warnings: they would have to be looked up for each sale (L214)
    if (digests === undefined || codes == null) return undefined;
    this.known.delete(of.catalogueId);
    this.known.set(of.catalogueId, digests);
    const warnings = notInCatalogue(order.items, codes, digests);
    return warnings.length > 0 ? { basis: basisOf(of), warnings } : undefined;
  }

  /** Notes which restaurant a place has, and with which catalogue, and reads what is not known of it. Never throws, and is not waited for. */
  note(place: Place, of: CatalogueOf): void {
    const key = keyOf(place);
    if (of.catalogueId === 0) {
      this.places.delete(key);
      return;
    }
    this.places.set(key, of);
    if (of.codesVersion > 0 && this.codes.known(of) === undefined)
      this.codes.preload(of).catch((error: Error) => this.notRead(of, error));
    const { catalogueId } = of;
    if (this.known.has(catalogueId) || this.waiting.has(catalogueId)) return;
    this.waiting.add(catalogueId);
    // one after the other, on the connections of reports
    this.reading = this.reading
      .then(() => this.read(catalogueId))
      .catch((error: Error) => this.notRead(of, error))
      .finally(() => this.waiting.delete(catalogueId));
  }

  private async read(catalogueId: number): Promise<void> {
    const [row] = await this.prisma.report<{ digests: Buffer }>(READ_DIGESTS, [catalogueId]);
    // it was replaced meanwhile
    if (!row) return;
    const digests = new Float64Array(new Uint8Array(row.digests).buffer);
    this.known.set(catalogueId, digests);
    this.kept += digests.byteLength + OF_EACH;
    for (const [id, { byteLength }] of this.known) {
      if (this.kept <= MOST_KEPT || id === catalogueId) break;
      this.known.delete(id);
      this.kept -= byteLength + OF_EACH;
    }
  }

  /** The next sale reads it again. */
  private notRead({ restaurantId, catalogueId }: CatalogueOf, { message }: Error): void {
    this.log.warn({ event: 'catalogue.not_read', restaurantId, catalogue: catalogueId, error: message });
  }
}

/** Sales with the same key have the same restaurant, until it is changed. */
function keyOf(place: Place): string {
  return place.restaurantId ?? (place.sender === 'terminal' ? `code ${place.storeCode}` : '');
}
