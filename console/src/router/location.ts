import { observable } from '../browser/observable.js';

/** Where the page is served. Paths in the code do not have it. */
const BASE = '/console';

/** A place in the console. */
export interface Place {
  /** `/r/<id>/tonight` */
  readonly path: string;
  readonly query: URLSearchParams;
  /** what stands behind `#`, as a query: browsers send it to no server */
  readonly fragment: URLSearchParams;
}

/** path -> its query when it was last left */
const left = new Map<string, string>();
const place = observable(read());
/** Moves within the console: the first page does not take the focus, the others do. */
let moves = 0;

addEventListener('popstate', changed);

/** Goes to a place, for example `/r/<id>/orders/key?key=…`. @param options.replace adds no step to the history */
export function navigate(to: string, { replace = false } = {}): void {
  history[replace ? 'replaceState' : 'pushState'](null, '', BASE + to);
  changed();
  if (!replace) scrollTo(0, 0);
}

/** Changes the query of this place, as filters do, and removes the fragment. It adds no step to the history. */
export function setQuery(changes: Record<string, string | undefined>): void {
  const { path, query: before } = place.get();
  const query = new URLSearchParams(before);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === '') query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  history.replaceState(null, '', BASE + path + (text ? `?${text}` : ''));
  place.set(read());
}

export const usePlace = place.use;

export function currentPath(): string {
  return place.get().path;
}

export function hasMoved(): boolean {
  return moves > 0;
}

/** Lets the next page take the focus although the address stays: the page before it was the sign-in. */
export function takeFocus(): void {
  moves++;
}

/** A place with the query that it had when it was left: a link back shows the same list again. */
export function asLeft(path: string): string {
  return path + (left.get(path) ?? '');
}

/** The address of a place, for `href`. */
export function hrefOf(to: string): string {
  return BASE + to;
}

/**
 * The parameters of a path by a pattern, for example `/r/:restaurantId/tonight`; null when the path does not match, or when a part
 * of it cannot be decoded.
 */
export function match(pattern: string, path: string): Record<string, string> | null {
  const [wanted, parts] = [pattern.split('/'), path.replace(/(.)\/$/, '$1').split('/')];
  if (wanted.length !== parts.length) return null;
  const found: Record<string, string> = {};
  try {
    for (const [i, part] of parts.entries()) {
      const name = wanted[i] as string;
      if (name.startsWith(':')) found[name.slice(1)] = decodeURIComponent(part);
      else if (name !== part) return null;
    }
  } catch {
    return null;
  }
  return found;
}

function changed(): void {
  const { path, query } = place.get();
  left.set(path, query.size > 0 ? `?${query}` : '');
  moves++;
  place.set(read());
}

function read(): Place {
  const { pathname, search, hash } = window.location;
  return {
    path: pathname.startsWith(BASE) ? pathname.slice(BASE.length) || '/' : '/',
    query: new URLSearchParams(search),
    fragment: new URLSearchParams(hash.slice(1)),
  };
}
