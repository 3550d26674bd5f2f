import { useSyncExternalStore } from 'react';

/** A value outside of React that components follow. */
export function observable<Value>(first: Value) {
  let current = first;
  const listeners = new Set<() => void>();
  const get = () => current;
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  return {
    get,
    set(next: Value): void {
      if (next === current) return;
      current = next;
      for (const listener of listeners) listener();
    },
    /** The value, as a hook. */
    use: () => useSyncExternalStore(subscribe, get),
  };
}
