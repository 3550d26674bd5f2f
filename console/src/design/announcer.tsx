import { useEffect, useState } from 'react';

/** Announces a text to screen readers when it changes; the first text is on the page already. */
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
