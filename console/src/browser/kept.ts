/** The key of the restaurant that was last shown. */
export const LAST_RESTAURANT = 'console.restaurant';
/** The key of the time when the session of this browser expires, ISO 8601; empty: it has none. */
export const SIGNED_IN_UNTIL = 'console.until';

/** What this browser keeps under a key; null: nothing, or the browser keeps nothing. */
export function kept(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Keeps a text in this browser. Where the browser keeps nothing, the text is lost with the page. */
export function keep(key: string, text: string): void {
  try {
    localStorage.setItem(key, text);
  } catch {
    // such a browser has no choice to make
  }
}
