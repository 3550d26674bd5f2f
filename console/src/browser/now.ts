import { useEffect, useState } from 'react';

/** The current time in ms, updated while the page is visible. @param everyMs how often; undefined: never */
export function useNow(everyMs: number | undefined): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (everyMs === undefined) return;
    setNow(Date.now());
    const timer = setInterval(() => document.visibilityState === 'visible' && setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
