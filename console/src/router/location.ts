import { useSyncExternalStore } from 'react';

/** Where the page is served. Paths in the code are without it. */
const BASE = '/console';

/** A place in the console. */
export interface Place {
  /** `/r/<id>/tonight` */
  readonly path: string;
  readonly query: URLSearchParams;
}

/** path -> its query, when it was left last */
const left = new Map<string, string>();
const listeners = new Set<() => void>();
let place = read();
/** How often somebody has moved within the console: the first page does not take the focus, those after it do. */
let moves = 0;

addEventListener('popstate', changed);

/** Goes to a place, for example `/r/<id>/orders/key?key=…`. @param options.replace without a step back to where one was */
export function navigate(to: string, { replace = false } = {}): void {
  history[replace ? 'replaceState' : 'pushState'](null, '', BASE + to);
  changed();
  if (!replace) scrollTo(0, 0);
}

/** Changes the query of this place, as filters do; no step back is needed to undo one. */
export function setQuery(changes: Record<string, string | undefined>): void {
  const query = new URLSearchParams(place.query);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === '') query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  history.replaceState(null, '', BASE + place.path + (text ? `?${text}` : ''));
  place = read();
  for (const listener of listeners) listener();
}

export function usePlace(): Place {
  return useSyncExternalStore(subscribe, () => place);
}

export function currentPath(): string {
  return place.path;
}

export function hasMoved(): boolean {
  return moves > 0;
}

/** Lets the next page take the focus, although its address is the same: the one before it was the sign-in. */
export function takeFocus(): void {
  moves++;
}

/** A place with the query that it had when it was left: a way back leads to the list that one came from. */
export function asLeft(path: string): string {
  return path + (left.get(path) ?? '');
}

/** The address of a place, for `href`. */
export function hrefOf(to: string): string {
  return BASE + to;
}

/**
 * The parameters of a path that has the shape of a pattern, for example `/r/:restaurantId/tonight`; null when it has not, or when
 * a part of it cannot be decoded.
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
  left.set(place.path, place.query.size > 0 ? `?${place.query}` : '');
  place = read();
  moves++;
  for (const listener of listeners) listener();
}

function read(): Place {
  const { pathname, search } = window.location;
  return {
    path: pathname.startsWith(BASE) ? pathname.slice(BASE.length) || '/' : '/',
    query: new URLSearchParams(search),
  };
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
