import { useState } from 'react';
import { useSharedTexts } from '../i18n/shared.js';
import { Button } from './button.js';

/** A text such as an id or a command, with a button that copies it. */
export function Copyable({ text }: { readonly text: string }) {
  const texts = useSharedTexts();
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    // browsers allow the clipboard only on https and localhost
    await navigator.clipboard?.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 2_000);
  };
  return (
    <div className="copyable">
      <code>{text}</code>
      {typeof navigator.clipboard !== 'undefined' && (
        <Button kind="icon" icon={isCopied ? 'check' : 'copy'} title={texts.copy} onClick={copy}>
          <span className="unseen" aria-live="polite">
            {isCopied ? texts.copied : texts.copy}
          </span>
        </Button>
      )}
    </div>
  );
}
