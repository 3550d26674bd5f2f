import { useEffect, useState } from 'react';

/** A pause in typing, in ms, after which the text is used. */
const PAUSE_MS = 400;

/**
 * The text of a search field, which is used once somebody pauses.
 * @param value the text in use; a change from elsewhere is shown
 * @returns what is typed, and what sets it
 */
export function useTyped(value: string, onPause: (text: string) => void): [string, (text: string) => void] {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  useEffect(() => {
    if (typed.trim() === value) return;
    const timer = setTimeout(() => onPause(typed.trim()), PAUSE_MS);
    return () => clearTimeout(timer);
  });
  return [typed, setTyped];
}
