import { plainWords } from '../../../platform/files/rules/plain-words.js';
import { certainty } from './column-names.js';
import { LAYOUTS } from './presets.js';
import { MAPPED_COLUMNS, PRESETS, type Preset } from './terminal-file.js';

const NEEDED = PRESETS.map((preset) => ({ preset, needed: LAYOUTS[preset].needed.map(plainWords) }));

/** The layout that has these columns; null: unknown. */
export function presetOf(columns: readonly string[]): Preset | null {
  const names = new Set(columns.map(plainWords));
  return NEEDED.find(({ needed }) => needed.every((name) => names.has(name)))?.preset ?? null;
}

/** Whether a cell reads like the name of a column. */
export function isColumnName(cell: string): boolean {
  return MAPPED_COLUMNS.some((column) => certainty(column, cell) > 0);
}
