import type { FileClaim } from '../rules/file-claim.js';
import type { KeptDecision } from '../rules/kept-decisions.js';
import type { MatchRow, MatchSale } from '../rules/match-rows.js';
import type { EarlierRow } from '../rules/row-identity.js';
import type { FileDays } from '../rules/terminal-file.js';

/** A place in a list of sales by receipt. */
export interface SalePlace {
  readonly at: Date;
  readonly key: string;
}

/** A page, and where the next one begins; null: it is the last. */
export interface Page<Item, Place> {
  readonly items: readonly Item[];
  readonly next: Place | null;
}

/** A row of a confirmed file that is compared again. */
export interface OpenRow extends MatchRow {
  /** it was REPEATED of a file that does not count any more */
  readonly isRepeated: boolean;
}

/** Takes the answers to the rows of a file, as the statements take them: JSON of lists, in pieces. */
export interface Answered {
  /** what the answers say of the payments of the file, before the first of them (J21) */
  claim(claim: FileClaim): Promise<void>;
  rows(json: string): Promise<void>;
  /** sales that have no row */
  missingThere(json: string): Promise<void>;
}

/** What a comparison asks the database for, in pages, and gives to it: a large piece would take the thread of the relay for long. */
export interface Questions extends Answered {
  /** @param own the days of the sales of the file @returns the days that it covers */
  days(own: FileDays | null): Promise<FileDays>;
  /** the rows of the file that have no sale yet, after a line */
  openRows(after: number): Promise<Page<OpenRow, number>>;
  /** the sales of the days */
  sales(after: SalePlace | null): Promise<Page<MatchSale, SalePlace>>;
  salesByKey(keys: readonly string[]): Promise<readonly MatchSale[]>;
  /** authorisation codes and terminals of the payments of these sales, by key; without sales that have no authorisation code */
  evidence(keys: readonly string[]): Promise<readonly (readonly [string, readonly string[]])[]>;
  /** which of these texts stand in the payloads of these sales, by key */
  texts(keys: readonly string[], texts: readonly string[]): Promise<readonly (readonly [string, readonly string[]])[]>;
  /** what people decided about rows of this file, and of files that were taken back */
  decisions(): Promise<readonly KeptDecision[]>;
  /** rows of earlier files */
  earlier(identities: readonly string[]): Promise<readonly (readonly [string, EarlierRow])[]>;
}

/** Asks the relay. One question at a time. */
export type Ask = <Name extends keyof Questions>(
  name: Name,
  ...args: Parameters<Questions[Name]>
) => ReturnType<Questions[Name]>;
