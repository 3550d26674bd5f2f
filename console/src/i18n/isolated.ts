const ISOLATES = /[\u2066-\u2069]/g;

/**
 * A text of somebody else inside a sentence of ours: its direction is its own and turns nothing around it, as in `<bdi>`. For
 * sentences that are written as one text.
 */
export function isolated(text: string): string {
  return `\u2068${text.replace(ISOLATES, '')}\u2069`;
}
