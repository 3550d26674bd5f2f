import { useState } from 'react';
import { useSharedTexts } from '../i18n/shared.js';
import { Button } from './button.js';
import type { IconName } from './icons.js';

/** A text such as an id or a command, with a button that copies it. */
export function Copyable({ text }: { readonly text: string }) {
  const { copy } = useSharedTexts();
  return (
    <div className="copyable">
      <code>{text}</code>
      <CopyButton text={text} label={copy} icon="copy" />
    </div>
  );
}

/** Copies a text; nothing where the browser has no clipboard: it allows it only on https and localhost. */
export function CopyButton({
  text,
  label,
  icon,
}: {
  readonly text: string;
  readonly label: string;
  readonly icon: IconName;
}) {
  const { copied } = useSharedTexts();
  const [isCopied, setCopied] = useState(false);
  if (typeof navigator.clipboard === 'undefined') return null;
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 2_000);
  };
  return (
    <Button kind="icon" icon={isCopied ? 'check' : icon} title={label} onClick={copy}>
      <span className="unseen" aria-live="polite">
        {isCopied ? copied : label}
      </span>
    </Button>
  );
}
