import { useState } from 'react';
import { useSharedTexts } from '../i18n/shared.js';
import { Button } from './button.js';

/** A text to take elsewhere (an id, a command), and the button that copies it. */
export function Copyable({ text }: { readonly text: string }) {
  const texts = useSharedTexts();
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    // only a page on https or localhost may write to the clipboard; elsewhere the text is selected by hand
    await navigator.clipboard?.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 2_000);
  };
  return (
    <div className="copyable">
      <code>{text}</code>
      {typeof navigator.clipboard !== 'undefined' && (
        <Button onClick={copy}>
          <span aria-live="polite">{isCopied ? texts.copied : texts.copy}</span>
        </Button>
      )}
    </div>
  );
}
