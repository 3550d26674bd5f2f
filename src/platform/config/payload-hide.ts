import { type FieldPath, hides, SHOWN_FIELDS } from '../../domain/hidden-fields.js';
import type { EnvironmentReader } from './environment.js';

const NAME = 'PAYLOAD_HIDE';
/** The most paths, and the most characters of a path (L88). */
const [MOST, LONGEST] = [50, 200];
const PATH = /^[\p{L}\p{N}_-]+(\.[\p{L}\p{N}_-]+){0,7}$/u;

/**
 * The fields of a payload that only OWNERs see (S22), as dot paths separated by commas.
 * @param label where the label of a sale stands, which lists show to everybody
 * @returns empty: every field is shown
 */
export function readPayloadHide(read: EnvironmentReader, label: FieldPath): readonly FieldPath[] {
  const texts = (read.text(NAME) ?? '').split(',').map((text) => text.trim());
  const paths = [...new Set(texts.filter((text) => text !== ''))];
  const problem = problemOf(paths, label);
  if (problem === undefined) return Object.freeze(paths.map((path) => Object.freeze(path.split('.'))));
  read.problem(NAME, problem);
  return [];
}

function problemOf(paths: readonly string[], label: FieldPath): string | undefined {
  if (paths.length > MOST) return `must have at most ${MOST} paths`;
  for (const path of paths) {
    if (path.length > LONGEST || !PATH.test(path))
      return `must be dot paths of one to eight names with letters, digits, _ and -, separated by commas, for example customer.name,items.note`;
    const names = path.split('.');
    const shown = SHOWN_FIELDS.find((field) => hides(names, field));
    if (shown)
      return `must not hide ${shown.join('.')}, which lists, orders and tickets show; name the fields beside it`;
    if (label.length > 0 && hides(names, label)) return 'must not hide SALE_LABEL_FIELD, which lists show to everybody';
  }
  return undefined;
}
