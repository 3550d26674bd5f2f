/** The record separator, as between the texts of RFC 7464: JSON.stringify escapes it, so no JSON text has it. */
const SEPARATOR = '\x1e';

/**
 * JSON texts as one parameter for {@link jsonTexts}. As an array `pg` would escape each quotation mark of each text, and Postgres would
 * read the escapes again.
 * @param texts from JSON.stringify; null stays null
 */
export function joinJson(texts: readonly (string | null)[]): string {
  return texts.join(SEPARATOR);
}

/** SQL: the text[] of a parameter that {@link joinJson} made. Of a single null it is empty, which `unnest` beside other arrays fills with null. */
export const jsonTexts = (parameter: string) => `string_to_array(${parameter}::text, chr(30), '')`;
