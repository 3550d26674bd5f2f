import { useEffect, useRef } from 'react';
import { useTyped } from '../../browser/typed.js';
import { SearchBox } from '../../design/search-box.js';
import { setQuery } from '../../router/location.js';
import { useTexts } from './texts.js';

/** Where a slash is a letter, or a dialog is open. */
const TAKES_KEYS = 'input, select, textarea, [contenteditable], dialog';

/** The search of the orders (N22). Below a phone's fold it comes up as soon as somebody searches, so that what is found is seen. */
export function Search({ value }: { readonly value: string }) {
  const texts = useTexts();
  const place = useRef<HTMLElement>(null);
  const box = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useTyped(value, (text) => setQuery({ q: text, state: undefined, after: undefined }));
  const isSearching = value !== '';
  useEffect(() => {
    if (isSearching) place.current?.scrollIntoView({ block: 'nearest' });
  }, [isSearching]);
  useEffect(() => {
    const focus = (event: KeyboardEvent) => {
      const isTaken = (event.target as Element).closest?.(TAKES_KEYS) || document.querySelector('dialog[open]');
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTaken) return;
      event.preventDefault();
      box.current?.focus();
    };
    document.addEventListener('keydown', focus);
    return () => document.removeEventListener('keydown', focus);
  }, []);
  return (
    <search className="order-search" ref={place}>
      <SearchBox field={box} label={texts.search} value={typed} maxLength={100} onType={setTyped} shortcut="/" />
      {typed && <p className="field-hint">{texts.searchHint}</p>}
    </search>
  );
}
