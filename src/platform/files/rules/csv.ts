// What a CSV file is made of. Pure types and lists, for reader and interface.

export const ENCODINGS = ['utf-8', 'windows-1252', 'utf-16le', 'utf-16be'] as const;
export type FileEncoding = (typeof ENCODINGS)[number];

export const DELIMITERS = [',', ';', '\t', '|'] as const;
export type Delimiter = (typeof DELIMITERS)[number];

export const DECIMALS = ['point', 'comma'] as const;
export type DecimalSign = (typeof DECIMALS)[number];

/** A record of a file: its cells, and the line where it begins. */
export interface FileRecord {
  readonly line: number;
  readonly cells: readonly string[];
}
