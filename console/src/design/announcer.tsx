import { useEffect, useState } from 'react';

/** Reads a text to users of screen readers whenever it changes, politely; the first is on the page anyhow. */
export function Announcer({ text }: { readonly text: string }) {
  const [first] = useState(text);
  const [said, setSaid] = useState('');
  useEffect(() => {
    if (text !== first) setSaid(text);
  }, [text, first]);
  return (
    <div className="unseen" aria-live="polite" aria-atomic="true">
      {said}
    </div>
  );
}
