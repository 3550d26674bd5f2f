import { ApiProperty } from '@nestjs/swagger';
import { CODE_LENGTH } from '../../domain/pos-codes.js';
import { DELIMITERS, ENCODINGS } from '../../platform/files/rules/csv.js';
import { MAX_PAGE } from '../../platform/http/fields/cursor-page.js';
import {
  Integer,
  ListOf,
  NullableInstant,
  NullableInteger,
  NullableText,
  OneOf,
} from '../../platform/http/fields/fields.js';
import { MessageWith } from '../../platform/http/fields/message.view.js';
import { QueryBoolean, QueryInteger, QueryText } from '../../platform/http/fields/query-fields.js';
import { MAX_PRODUCTS_OF_CATALOGUE, SHOWN_PROBLEMS, SHOWN_ROWS } from './read-catalogue.js';
import { CATALOGUE_COLUMNS } from './rules/catalogue-file.js';

/** Query parameters of `PUT /restaurants/:restaurantId/catalogue`. */
export class ReplaceCatalogueQueryDto {
  @QueryBoolean('true: says what it would do, and changes nothing')
  preview?: boolean;
}

/** Query parameters of `GET /restaurants/:restaurantId/catalogue`. */
export class QueryCatalogueDto {
  @QueryText(CODE_LENGTH, 'the beginning of a code, or of words of the name; case and accents do not matter')
  search?: string;

  @QueryInteger({ default: 20, minimum: 1, maximum: MAX_PAGE })
  limit = 20;

  @QueryText(CODE_LENGTH, 'cursor: `meta.next` of the previous page')
  after?: string;
}

/** A product that the POS knows. */
export class CatalogueProductView {
  @ApiProperty({ maxLength: CODE_LENGTH }) code: string;
  @NullableText(undefined, { maxLength: CODE_LENGTH }) name: string | null;
  @NullableInteger('null: the file had none') priceCents: number | null;
}

class CatalogueColumnsView {
  @NullableText('as the file names it') code: string | null;
  @NullableText('as the file names it') name: string | null;
  @NullableText('as the file names it; null: it has none') price: string | null;
}

class CatalogueProblemView {
  @Integer('of the file, from 1') line: number;
  @OneOf(CATALOGUE_COLUMNS, 'CatalogueColumn') column: string;
  @ApiProperty() reason: string;
}

/** What a file makes of the catalogue. */
export class CatalogueReplacedView {
  @ApiProperty({ description: 'false: of a preview, and of a file that has what the catalogue has' }) replaced: boolean;
  @ApiProperty() columns: CatalogueColumnsView;
  @Integer('the line with the names of the columns') headerLine: number;
  @OneOf(DELIMITERS, 'FileDelimiter') delimiter: string;
  @OneOf(ENCODINGS, 'FileEncoding') encoding: string;
  @Integer(`products of the file, at most ${MAX_PRODUCTS_OF_CATALOGUE}`) count: number;
  @Integer('products that the catalogue did not have') added: number;
  @Integer('products with another name or price') changed: number;
  @Integer('products that the file does not have') removed: number;
  @Integer('rows that are equal to one before') duplicates: number;
  @Integer('cells that cannot be read: with one of them the file is refused') unreadable: number;
  @ListOf(CatalogueProblemView, SHOWN_PROBLEMS, 'the first of these') problems: CatalogueProblemView[];
  @ListOf(CatalogueProductView, SHOWN_ROWS, 'the first products') rows: CatalogueProductView[];
}

/** Response of `PUT /restaurants/:restaurantId/catalogue`. */
export class CatalogueReplacedAnswerView extends MessageWith(CatalogueReplacedView) {}

class CatalogueMetaView {
  @Integer() limit: number;
  @NullableText('cursor of the next page: send it as `after`; null on the last page') next: string | null;
  @Integer('products of the catalogue; 0: the restaurant has none') count: number;
  @NullableInstant('when it was replaced') replacedAt: Date | null;
  @NullableText('who replaced it; null: nobody whom the people of the restaurant see') replacedBy: string | null;
}

/** Response of `GET /restaurants/:restaurantId/catalogue`. */
export class CatalogueView {
  @ListOf(CatalogueProductView, MAX_PAGE, 'by code') data: CatalogueProductView[];
  @ApiProperty() meta: CatalogueMetaView;
}
