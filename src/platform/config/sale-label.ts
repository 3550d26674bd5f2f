import type { EnvironmentReader } from './environment.js';

const NAME = 'SALE_LABEL_FIELD';

/** Where the label of a sale stands in its payload (R44): the names of a dot path, such as `order.table`. @returns empty: no label */
export function readSaleLabelField(read: EnvironmentReader): readonly string[] {
  const text = read.text(NAME);
  if (text === undefined) return [];
  if (text.length <= 100 && /^[\w-]+(\.[\w-]+){0,4}$/.test(text)) return Object.freeze(text.split('.'));
  read.problem(NAME, 'must be a dot path of one to five names with letters, digits, _ and -, for example order.table');
  return [];
}
