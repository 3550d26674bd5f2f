import { CODE_LENGTH } from '../../../domain/pos-codes.js';
import { NAME, normalized, storableText } from '../../../domain/text.js';
import type { DecimalSign, FileRecord } from '../../../platform/files/rules/csv.js';
import { readFileAmount } from '../../../platform/files/rules/file-amount.js';
import { plainWords } from '../../../platform/files/rules/plain-words.js';

/** The columns of a catalogue (I14). */
export const CATALOGUE_COLUMNS = ['code', 'name', 'price'] as const;
export type CatalogueColumn = (typeof CATALOGUE_COLUMNS)[number];

/** The place of each column, from 0; null: the file has none. */
export interface CataloguePlaces {
  readonly code: number;
  readonly name: number;
  readonly price: number | null;
}

/** A product of a file. */
export interface CatalogueRow {
  readonly code: string;
  readonly name: string | null;
  /** null: the file has none */
  readonly priceCents: number | null;
}

/** A cell that cannot be read. */
export interface CatalogueProblem {
  /** where the row begins, from 1 */
  readonly line: number;
  readonly column: CatalogueColumn;
  readonly reason: string;
}

/**
 * Names of columns, the surest first, in English, Portuguese, Spanish, German, French and Italian, as plainWords() writes them. A barcode is a code only where there
 * is no other one.
 */
const NAMES: Readonly<Record<CatalogueColumn, readonly string[]>> = {
  code: names(
    'code, pos code, integration code, item code, product code, sku, plu, external code, article code, article number, item number, product id, item id',
    'codigo, codigo pdv, codigo de integracao, codigo integracao, codigo do produto, codigo produto, cod produto, cod do produto, codigo do item, codigo externo, codigo interno, cod',
    'codigo del producto, codigo de producto, codigo de articulo, codigo articulo, numero de articulo',
    'artikelnummer, artikelnr, artikel nr, art nr, artnr, produktnummer, produktcode, artikelcode, nummer',
    'code article, code produit, reference produit, numero d article',
    'codice, codice articolo, codice prodotto, cod articolo, numero articolo',
    'referencia, reference, referenz, riferimento, ref, id, ean, gtin, barcode, codigo de barras, code barres, codice a barre',
  ),
  name: names(
    'name, product name, item name, title, product, item, article, description, product description, item description',
    'nome, nome do produto, nome produto, produto, descricao, descricao do produto, descricao produto',
    'nombre, nombre del producto, nombre de producto, producto, articulo, descripcion, descripcion del producto',
    'bezeichnung, artikelbezeichnung, artikelname, produktname, artikel, produkt, beschreibung',
    'nom, nom du produit, nom produit, libelle, designation, produit',
    'nome prodotto, nome del prodotto, prodotto, articolo, descrizione',
  ),
  price: names(
    'price, unit price, sale price, sales price, selling price, retail price, list price, gross price, amount',
    'preco, preco de venda, preco venda, preco unitario, valor, valor de venda, valor unitario',
    'precio, precio de venta, precio venta, precio unitario, pvp',
    'preis, verkaufspreis, vk preis, vk, bruttopreis, einzelpreis, preis brutto',
    'prix, prix de vente, prix vente, prix ttc, prix unitaire, tarif',
    'prezzo, prezzo di vendita, prezzo vendita, prezzo unitario',
  ),
};

function names(...lists: readonly string[]): readonly string[] {
  return lists.flatMap((list) => list.split(', '));
}

/** The place of the columns by their names; undefined: there is no code, or no name. */
export function cataloguePlaces(cells: readonly string[]): CataloguePlaces | undefined {
  const plain = cells.map(plainWords);
  const placeOf = (column: CatalogueColumn) => {
    const known = NAMES[column].find((name) => plain.includes(name));
    return known === undefined ? null : plain.indexOf(known);
  };
  const [code, name, price] = [placeOf('code'), placeOf('name'), placeOf('price')];
  return code === null || name === null ? undefined : { code, name, price };
}

/** Reads a row. @returns the product, or the cells that cannot be read */
export function readCatalogueRow(
  { line, cells }: FileRecord,
  places: CataloguePlaces,
  decimal: DecimalSign,
): CatalogueRow | readonly CatalogueProblem[] {
  const problems: CatalogueProblem[] = [];
  const cell = (column: CatalogueColumn) => cells[places[column] ?? -1] ?? '';
  const text = (column: CatalogueColumn) => {
    const value = storableText(cell(column));
    if (value.length > CODE_LENGTH) problems.push({ line, column, reason: `has more than ${CODE_LENGTH} characters` });
    else if (!NAME.test(value)) problems.push({ line, column, reason: 'has characters that are invisible' });
    return value;
  };
  const [code, name] = [text('code'), text('name')];
  if (code === '') problems.push({ line, column: 'code', reason: 'is empty' });
  const price = cell('price');
  const cents = price === '' ? null : readFileAmount(price, decimal);
  const complain = (reason: string) =>
    problems.push({ line, column: 'price', reason: `"${price.slice(0, 50).toWellFormed()}" ${reason}` });
  if (typeof cents === 'string') complain(cents);
  else if (cents !== null && cents < 0n) complain('is below zero');
  return problems.length > 0
    ? problems
    : { code, name: name || null, priceCents: cents === null ? null : Number(cents) };
}

/** The words that are looked for: each is compared with each product. */
const MOST_WORDS = 10;

/** Letters and digits of any script. */
const NO_WORD = /[^\p{L}\p{N}]+/u;

/** The words of a text in lower case without accents (I15). */
export function searchWords(text: string): string[] {
  return plain(text)
    .split(NO_WORD)
    .filter((word) => word !== '');
}

/** What a search looks through (I15): the code and the words of the name, a blank before each. */
export function searchText({ code, name }: CatalogueRow): string {
  const words = new Set([plain(code), ...searchWords(code), ...searchWords(name ?? '')]);
  return [...words].map((word) => ` ${word}`).join('');
}

/** What a search looks for (I15): the beginning of a code, or of each of some words; each begins with a blank. */
export function searchedFor(text: string): { readonly code: string; readonly words: readonly string[] } {
  return {
    code: plain(text.trim()),
    words: searchWords(text)
      .slice(0, MOST_WORDS)
      .map((word) => ` ${word}`),
  };
}

function plain(text: string): string {
  return normalized(text, 'NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
}
