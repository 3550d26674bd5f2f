const ISOLATES = /[\u2066-\u2069]/g;

/**
 * Isolates the text direction of a foreign text inside a sentence, as `<bdi>` does in markup.
 */
export function isolated(text: string): string {
  return `\u2068${text.replace(ISOLATES, '')}\u2069`;
}
