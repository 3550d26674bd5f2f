import { useEffect } from 'react';
import type { View } from '../api/client.js';
import { noteAnswer } from '../api/connection.js';
import { every, pauseOf, queries } from '../api/queries.js';
import { useHas } from './session.js';

/** A page with a stream polls this rarely, in ms. */
const LIVE_MS = 60_000;
/** A page whose stream was refused tries again after this time, in ms. */
const AGAIN_MS = 60_000;
/** A stream without a state for this time has failed, in ms: the relay ends it after 60 s, and a new one begins with the state. */
const SILENT_MS = 100_000;

/** The restaurant whose state arrives by a stream now. */
let live: string | undefined;

interface Pushed {
  readonly state: View<'StateView'>;
  readonly orders: View<'OrderPageView'>;
}

/** As `every` while the state of the restaurant does not arrive by a stream (N18). */
export function everyUnlessLive(restaurantId: string, ms: number) {
  return { ...every(ms), refetchInterval: () => (live === restaurantId ? LIVE_MS : pauseOf(ms)) } as const;
}

/** Receives the state of the restaurant by a stream while the page is visible; without a stream the queries of the page poll. */
export function useLive(restaurantId: string): void {
  const hasStream = useHas()('live');
  useEffect(() => {
    if (!hasStream) return;
    let source: EventSource | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const close = () => {
      source?.close();
      source = undefined;
      if (live === restaurantId) live = undefined;
    };
    const open = () => {
      close();
      clearTimeout(timer);
      if (document.visibilityState === 'hidden') return;
      source = new EventSource(`/console/api/restaurants/${restaurantId}/live`);
      const heard = () => {
        clearTimeout(timer);
        timer = setTimeout(open, SILENT_MS);
      };
      source.addEventListener('state', ({ data }: MessageEvent<string>) => {
        heard();
        live = restaurantId;
        noteAnswer();
        apply(restaurantId, JSON.parse(data) as Pushed);
      });
      source.addEventListener('error', () => {
        // the browser opens an ended stream again by itself; a refused one is closed
        live = undefined;
        if (source?.readyState !== EventSource.CLOSED) return;
        clearTimeout(timer);
        timer = setTimeout(open, AGAIN_MS);
        void queries.invalidateQueries({ queryKey: ['state', restaurantId] });
      });
    };
    open();
    document.addEventListener('visibilitychange', open);
    return () => {
      document.removeEventListener('visibilitychange', open);
      clearTimeout(timer);
      close();
    };
  }, [restaurantId, hasStream]);
}

function apply(restaurantId: string, { state, orders }: Pushed): void {
  queries.setQueryData(['state', restaurantId], state);
  const newest = { limit: orders.meta.limit, from: state.today.from };
  queries.setQueryData(['orders', restaurantId, newest], orders);
  // other lists of this restaurant that are shown
  void queries.invalidateQueries({
    queryKey: ['orders', restaurantId],
    predicate: ({ queryKey }) => JSON.stringify(queryKey[2]) !== JSON.stringify(newest),
  });
}
